import type { ChatFacts } from "../../domain/chat-facts.ts";
import type { CommandEvent } from "../../domain/inbound.ts";
import type { Language } from "../../domain/language.ts";
import type { Tx } from "../../store/db.ts";
import { type DestinationPurpose, listDestinations } from "../../store/destinations.ts";
import type { DeskDeps } from "../deps.ts";
import { type Requested, requestChange, requestedText } from "../request-change.ts";
import { setupChecklist } from "../setup-checklist.ts";
import { ADMINS, type Command, type StaffCall, splitArgs } from "./command.ts";
import { checklistText, type Lack, SETUP_TEXTS } from "./setup-texts.ts";

/** In a group: makes it serve a purpose. In private: what still keeps the desk closed. */
export const setup: Command = {
  roles: ADMINS,
  usage: "[operators | review | kyc | off]",
  help: {
    en: "here in private: what is still missing; in a group: what the group is for",
    ru: "в личном чате: чего ещё не хватает; в группе: для чего она",
  },
  asksChat: ({ command }) => command.chatKind === "group" && purposeOf(command) !== null,
  async run(tx, deps, call) {
    const { command } = call;
    const texts = SETUP_TEXTS[deps.dress.staffLanguage];
    const purpose = purposeOf(command);
    if (command.chatKind === "group" && splitArgs(command.args).word === "off")
      return giveUp(tx, deps, call);
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

/** What is missing for the purpose is named first: then nothing is asked for. */
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
  const language = deps.dress.staffLanguage;
  const change = { kind: "destination", op: "add", messenger, channelId, chatId, purpose } as const;
  const asked = { tenantId, by: staff.id, change, now: deps.clock.now(), language };
  const requested = await requestChange(tx, deps, asked);
  const unsure = chat?.kind === "unreachable" ? [texts.unsure] : [];
  const wanted = lacks.wanted.map((lack) => texts.lacks[lack]);
  return [saidOf(requested, { purpose, language }), ...unsure, ...wanted].join("\n");
}

function saidOf(
  requested: Requested,
  { purpose, language }: { purpose: DestinationPurpose; language: Language },
): string {
  const texts = SETUP_TEXTS[language];
  switch (requested.kind) {
    case "done":
      return texts.done(purpose);
    case "unchanged":
      return texts.already(purpose);
    case "asked":
      return requestedText(requested, language);
    default:
      return requested satisfies never;
  }
}

/** The chat serves nothing any more. */
async function giveUp(
  tx: Tx,
  deps: DeskDeps,
  { tenantId, staff, command }: StaffCall,
): Promise<string> {
  const language = deps.dress.staffLanguage;
  const texts = SETUP_TEXTS[language];
  const { messenger, chatId } = command;
  const all = await listDestinations(tx, tenantId);
  const here = all.filter((one) => one.messenger === messenger && one.chatId === chatId);
  if (here.length === 0) return texts.servesNothing;
  const lines: string[] = [];
  for (const { purpose, channelId } of here) {
    const place = { messenger, channelId, chatId, purpose };
    const change = { kind: "destination", op: "remove", ...place } as const;
    const asked = { tenantId, by: staff.id, change, now: deps.clock.now(), language };
    const requested = await requestChange(tx, deps, asked);
    lines.push(
      requested.kind === "asked" ? requestedText(requested, language) : texts.givenUp(purpose),
    );
  }
  return lines.join("\n");
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
