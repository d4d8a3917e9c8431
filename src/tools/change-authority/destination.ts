import { z } from "zod";
import { UserError } from "../../domain/errors.ts";
import type { Language } from "../../domain/language.ts";
import { writeAudit } from "../../store/audit.ts";
import type { Tx } from "../../store/db.ts";
import {
  type DestinationPurpose,
  listDestinations,
  removeDestination,
  upsertDestination,
} from "../../store/destinations.ts";
import { writeOutgoing } from "../../store/outbox.ts";
import { staffById } from "../../store/staff.ts";
import {
  type AuthorityDeps,
  type AuthorityKind,
  auditRow,
  type ChangeScope,
  oldToNew,
} from "./kind.ts";

const destinationArgs = z.strictObject({
  kind: z.literal("destination"),
  op: z.enum(["add", "remove"]),
  messenger: z.enum(["telegram", "slack"]),
  channelId: z.string().min(1).max(100),
  chatId: z.string().min(1).max(64),
  purpose: z.enum(["operators", "review", "kyc"]),
});
export type DestinationArgs = z.infer<typeof destinationArgs>;

/** Which chats the staff have: where cards go, where conversations can be read. */
export const destination: AuthorityKind<DestinationArgs> = {
  args: destinationArgs,
  async plan(tx, _deps, { tenantId, language }, args) {
    const { op, messenger, chatId, purpose } = args;
    const texts = TEXTS[language];
    const all = await listDestinations(tx, tenantId);
    const standing = all.find((one) => isSame(one, args)) ?? null;
    const others = all.filter((one) => one.purpose === "operators" && one !== standing);
    if (op === "remove" && !standing) throw new UserError("not_found", texts.unknown(chatId));
    if (op === "remove" && standing?.source === "environment")
      throw new UserError("conflict", texts.named);
    if (op === "remove" && purpose === "operators" && others.length === 0)
      throw new UserError("conflict", texts.last);
    const serves = texts.purposes[purpose];
    return {
      subject: `${messenger}:${chatId}:${purpose}`,
      before: standing?.channelId ?? null,
      after: op === "add" ? args.channelId : null,
      material: [
        { label: texts.chat, value: `${messenger} ${chatId}` },
        {
          label: texts.serves,
          value: oldToNew(standing ? serves : texts.nothing, op === "add" ? serves : texts.nothing),
        },
      ],
    };
  },
  async apply(tx, deps, scope, args) {
    const { tenantId, now } = scope;
    const { op, messenger, channelId, chatId, purpose } = args;
    const place = { tenantId, messenger, chatId, purpose };
    if (op === "add") {
      await upsertDestination(tx, { ...place, channelId, now });
      await postTestCard(tx, deps, scope, args);
    } else await removeDestination(tx, place);
    const refs = { via: messenger, chat: chatId, purpose };
    const serves = op === "add" ? "serves" : "serves no longer";
    const eventType = op === "add" ? "destination.set" : "destination.removed";
    const summary = `${messenger} ${chatId} ${serves} ${purpose}`;
    await writeAudit(tx, [auditRow(scope, { eventType, summary, refs })]);
    return {};
  },
};

function isSame(
  one: Awaited<ReturnType<typeof listDestinations>>[number],
  { messenger, chatId, purpose }: DestinationArgs,
): boolean {
  return one.messenger === messenger && one.chatId === chatId && one.purpose === purpose;
}

/** Shows that the chat can be written to. */
async function postTestCard(
  tx: Tx,
  deps: AuthorityDeps,
  scope: ChangeScope,
  { channelId, chatId, purpose }: DestinationArgs,
): Promise<void> {
  const { tenantId, by, now } = scope;
  const texts = TEXTS[scope.language];
  const person = await staffById(tx, tenantId, by);
  const card = {
    title: texts.testTitle,
    facts: [
      { label: texts.serves, value: texts.purposes[purpose] },
      { label: texts.setBy, value: person?.name ?? by },
    ],
    footer: deps.sandbox ? ["SANDBOX"] : [],
    buttons: [],
  };
  await writeOutgoing(tx, { jobs: deps.jobs, tenantId, now }, [
    { channelId, chatId, purpose: "card", content: { kind: "card", card } },
  ]);
}

interface Texts {
  testTitle: string;
  chat: string;
  serves: string;
  setBy: string;
  nothing: string;
  last: string;
  named: string;
  unknown(chatId: string): string;
  purposes: Record<DestinationPurpose, string>;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    testTitle: "Test card",
    chat: "Chat",
    serves: "This chat serves",
    setBy: "Set by",
    nothing: "nothing",
    named: "The environment names this chat: take it out there and restart",
    last: "It is the last chat of the operators: claim another one first",
    unknown: (chatId) => `${chatId} does not serve this`,
    purposes: {
      operators: "operators: cards that ask for a decision come here",
      review: "review: conversations are shown here",
      kyc: "kyc: kept for identity documents; for now they go to the operators' chats",
    },
  },
  ru: {
    testTitle: "Пробная карточка",
    chat: "Чат",
    serves: "Этот чат",
    setBy: "Задал",
    nothing: "ни для чего",
    named: "Этот чат задан в окружении: уберите его там и перезапустите",
    last: "Это последний чат операторов: сначала задайте другой",
    unknown: (chatId) => `${chatId}: этот чат не для этого`,
    purposes: {
      operators: "operators: сюда приходят карточки, которые ждут решения",
      review: "review: здесь видны разговоры",
      kyc: "kyc: для документов клиентов; пока они приходят в чаты операторов",
    },
  },
};
