import type { ChatFacts } from "../../domain/chat-facts.ts";
import type { CommandEvent } from "../../domain/inbound.ts";
import type { Card } from "../../domain/messenger.ts";
import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import { type DestinationPurpose, upsertDestination } from "../../store/destinations.ts";
import { writeOutgoing } from "../../store/outbox.ts";
import type { DeskDeps } from "../deps.ts";
import { setupChecklist } from "../setup-checklist.ts";
import { ADMINS, type Command, type StaffCall, splitArgs } from "./command.ts";
import { checklistText, type Lack, SETUP_TEXTS } from "./setup-texts.ts";

/** In a group: makes it serve a purpose. In private: what still keeps the desk closed. */
export const setup: Command = {
  roles: ADMINS,
  usage: "[operators | review | kyc]",
  help: {
    en: "here in private: what is still missing; in a group: what the group is for",
    ru: "в личном чате: чего ещё не хватает; в группе: для чего она",
  },
  asksChat: ({ command }) => command.chatKind === "group" && purposeOf(command) !== null,
  async run(tx, deps, call) {
    const { command } = call;
    const texts = SETUP_TEXTS[deps.dress.staffLanguage];
    const purpose = purposeOf(command);
    if (purpose === null)
      return command.chatKind === "group"
        ? texts.groupHelp
        : checklistText(await setupChecklist(tx, deps, call.tenantId), call.tenantId, texts);
    if (command.chatKind !== "group") return texts.onlyInGroup(purpose);
    return claim(tx, deps, call, purpose);
  },
};

const PURPOSES: readonly DestinationPurpose[] = ["operators", "review", "kyc"];

function purposeOf({ args }: CommandEvent): DestinationPurpose | null {
  const { word } = splitArgs(args);
  return PURPOSES.find((purpose) => purpose === word) ?? null;
}

/** What is missing for the purpose is named first: then nothing is changed. */
async function claim(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, command, chat }: StaffCall,
  purpose: DestinationPurpose,
): Promise<string> {
  const texts = SETUP_TEXTS[deps.dress.staffLanguage];
  const lacks = chat ? lacksOf(command, chat, purpose) : { needed: [], wanted: [] };
  if (lacks.needed.length > 0)
    return [texts.notYet(purpose), ...lacks.needed.map((lack) => texts.lacks[lack])].join("\n");
  const { messenger, channelId, chatId } = command;
  const now = deps.clock.now();
  await upsertDestination(tx, { tenantId, purpose, messenger, channelId, chatId, now });
  const card = testCard(deps, purpose, staff.name);
  await writeOutgoing(tx, { jobs: deps.dress.jobs, tenantId, now }, [
    { channelId, chatId, purpose: "card", content: { kind: "card", card } },
  ]);
  await writeAudit(tx, [
    {
      ...{ tenantId, userId: staff.id, createdAt: now, eventType: "destination.set" },
      summary: `${messenger} ${chatId} serves ${purpose}`,
      refs: { via: messenger, chat: chatId, purpose },
    },
  ]);
  const unsure = chat?.kind === "unreachable" ? [texts.unsure] : [];
  return [texts.done(purpose), ...unsure, ...lacks.wanted.map((lack) => texts.lacks[lack])].join(
    "\n",
  );
}

/** `needed`: the purpose cannot be served without; `wanted`: part of it cannot. */
function lacksOf(
  { messenger }: CommandEvent,
  chat: ChatFacts,
  purpose: DestinationPurpose,
): { needed: Lack[]; wanted: Lack[] } {
  if (chat.kind === "unreachable") return { needed: [], wanted: [] };
  const needed: Lack[] = [];
  if (!chat.isMember) needed.push(messenger === "slack" ? "slackInvite" : "telegramMember");
  if (messenger === "slack") return { needed, wanted: [] };
  if (purpose === "review" && !chat.isForum) needed.push("forum");
  if (purpose === "review" && !chat.mayManageTopics) needed.push("topics");
  const wanted: Lack[] = [];
  if (purpose === "operators" && !chat.mayDeleteMessages) wanted.push("deleting");
  return { needed, wanted };
}

function testCard(deps: DeskDeps, purpose: DestinationPurpose, by: string): Card {
  const texts = SETUP_TEXTS[deps.dress.staffLanguage];
  return {
    title: texts.testTitle,
    facts: [
      { label: texts.serves, value: texts.purposes[purpose] },
      { label: texts.setBy, value: by },
    ],
    footer: deps.dress.sandbox ? ["SANDBOX"] : [],
    buttons: [],
  };
}
