import { isDeepStrictEqual } from "node:util";
import { UserError } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { tenantById } from "../store/tenants.ts";
import type { AuthorityArgs } from "../tools/change-authority/change-authority.ts";
import type { AuthorityDeps } from "../tools/change-authority/kind.ts";
import { type AuthorityChange, applyChange, planChange } from "../tools/change-authority/kinds.ts";
import { CHANGE_AUTHORITY } from "../tools/change-authority/tool-name.ts";
import { propose } from "../tools/propose.ts";
import { delayOf } from "./delayed-effect.ts";
import type { DeskDeps } from "./deps.ts";
import { shownSpan } from "./waiting-lines.ts";

/** So that the admin API can ask for changes without the rest of the desk. */
export type ChangeDeps = Pick<DeskDeps, "dress" | "registry" | "secrets" | "toolsChanged">;

/** A change of authority that a person asks for, from chat or API. */
export interface ChangeRequest {
  tenantId: string;
  /** Staff id, or `setup`. */
  by: string;
  change: AuthorityChange;
  now: number;
  /** Of what the person is told when it cannot be done. */
  language: Language;
  /** The private chat in which it was asked for. */
  replyTo?: AuthorityArgs["replyTo"];
}

/** How a request is decided that was just written; no card of it stands anywhere yet. */
export type Deciding =
  | { kind: "another_admin" }
  /** By itself, so long (product time) after a card of it stands in a chat of the operators. */
  | { kind: "delay"; delayMs: number }
  /** It would take effect by itself, and there is no chat in which anybody could end it. */
  | { kind: "no_chat" };

/** `asked`: the request's number as people say it. */
export type Requested =
  /** While the tenant is set up nothing waits. */
  | { kind: "done"; made: JsonObject }
  | { kind: "unchanged" }
  | {
      kind: "asked";
      approval: string;
      deciding: Deciding;
      /** Of one that takes effect by itself, once its card stands in a chat. */
      approvesItselfAt?: number | null;
    };

/** More than people compare on a card. */
const MOST_FACTS = 20;
const MOST_CHARS = 6_000;

/**
 * The one way to change who may do what. A second admin decides where there is one; else it takes
 * effect by itself after a while, unless anybody of the staff rejects it. Throws UserError.
 */
export async function requestChange(
  tx: Tx,
  deps: ChangeDeps,
  request: ChangeRequest,
): Promise<Requested> {
  const { tenantId, by, change, now, language } = request;
  const scope = { tenantId, by, now, language };
  const plan = await planChange(tx, authorityDeps(deps), scope, change);
  const tenant = await tenantById(tx, tenantId);
  if (tenant?.state === "setup") {
    const made = await applyChange(tx, authorityDeps(deps), scope, change);
    return { kind: "done", made };
  }
  if (isDeepStrictEqual(plan.before, plan.after)) return { kind: "unchanged" };
  refuseTooMuch(plan.material, language);
  const deciding = await decidingOf(tx, request);
  const approval = await ask(tx, deps, request, deciding.kind !== "another_admin");
  return { kind: "asked", approval, deciding };
}

/** The part of them that kinds of changes are given. */
export function authorityDeps({ secrets, dress, toolsChanged }: ChangeDeps): AuthorityDeps {
  return { secrets, jobs: dress.jobs, toolsChanged, sandbox: dress.sandbox };
}

/** What a card cannot show nobody would have compared. */
function refuseTooMuch(
  material: readonly { label: string; value: string }[],
  language: Language,
): void {
  const length = material.reduce((sum, { label, value }) => sum + label.length + value.length, 0);
  if (material.length > MOST_FACTS || length > MOST_CHARS)
    throw new UserError("unprocessable", TEXTS[language].tooMuch);
}

async function decidingOf(tx: Tx, { tenantId, by, now }: ChangeRequest): Promise<Deciding> {
  const delayMs = await delayOf(tx, { tenantId, by, now });
  if (delayMs === null) return { kind: "another_admin" };
  const chats = await destinationsOf(tx, tenantId, "operators");
  return chats.length === 0 ? { kind: "no_chat" } : { kind: "delay", delayMs };
}

async function ask(
  tx: Tx,
  deps: ChangeDeps,
  request: ChangeRequest,
  takesEffectAlone: boolean,
): Promise<string> {
  const { tenantId, by, change, now, replyTo } = request;
  const { staffLanguage: language } = deps.dress;
  const args: AuthorityArgs = { change, by, ...(replyTo ? { replyTo } : {}) };
  const proposing = {
    ...{ tenantId, conversationId: "", contactId: "", runId: null, language, now },
    ...{ source: "desk" as const, maker: by, readOnlyRun: false, messageId: null, cycle: 0 },
    ...{ modelCallId: null, clientSays: null, takesEffectAlone, realNow: now },
    lease: { owner: "desk", token: newId(), untilMs: now }, // nothing runs under it: people decide first
  };
  const call = { name: CHANGE_AUTHORITY, arguments: JSON.stringify(args) };
  const [proposed] = await propose(tx, deps, proposing, [call]);
  const state = proposed?.state;
  if (state?.kind === "settled" && state.reply.approval) return state.reply.approval;
  const why = state?.kind === "settled" ? state.reply.error?.message : undefined;
  throw new UserError("conflict", TEXTS[request.language].refused(why ?? "?"));
}

/** What the person is told who asked. */
export function requestedText(
  { approval, deciding }: Extract<Requested, { kind: "asked" }>,
  language: Language,
): string {
  const texts = TEXTS[language];
  switch (deciding.kind) {
    case "another_admin":
      return texts.asked(approval);
    case "delay":
      return texts.delayed(approval, shownSpan(deciding.delayMs, language));
    case "no_chat":
      return texts.noChat(approval);
    default:
      return deciding satisfies never;
  }
}

const TEXTS = {
  en: {
    asked: (name: string) =>
      `${name}: another admin has to approve it; its card goes to every chat of the operators. Nothing is changed yet.`,
    delayed: (name: string, span: string) =>
      `${name}: it takes effect by itself unless anybody of the staff presses Reject within ${span}; that time starts when the card stands in a chat of the operators, and the card names the hour then. Nothing is changed yet.`,
    noChat: (name: string) =>
      `${name}: there is no chat of operators in which anybody could reject it, so it does not take effect by itself. Name one in TELEGRAM_OPERATOR_CHAT_ID or SLACK_OPERATOR_CHANNEL and start again, or let another admin approve it. Nothing is changed yet.`,
    tooMuch: "This changes more than one card can show: send it in parts.",
    refused: (why: string) => `This cannot be asked for: ${why}`,
  },
  ru: {
    asked: (name: string) =>
      `${name}: одобрить должен другой администратор; карточка уходит во все чаты операторов. Пока ничего не изменено.`,
    delayed: (name: string, span: string) =>
      `${name}: вступит в силу само, если никто из сотрудников не нажмёт «Отклонить» за ${span}; отсчёт начинается, когда карточка появится в чате операторов, тогда на ней будет и время. Пока ничего не изменено.`,
    noChat: (name: string) =>
      `${name}: чата операторов нет, отклонить это было бы негде, поэтому само в силу не вступит. Укажите чат в TELEGRAM_OPERATOR_CHAT_ID или SLACK_OPERATOR_CHANNEL и запустите заново, либо пусть одобрит другой администратор. Пока ничего не изменено.`,
    tooMuch: "Столько изменений не помещается на одну карточку: пришлите частями.",
    refused: (why: string) => `Запросить это нельзя: ${why}`,
  },
} as const satisfies Record<Language, unknown>;
