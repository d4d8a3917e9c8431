import { isDeepStrictEqual } from "node:util";
import { UserError } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Language } from "../domain/language.ts";
import { adminsBeside } from "../store/authority.ts";
import type { Tx } from "../store/db.ts";
import { tenantById } from "../store/tenants.ts";
import type { AuthorityArgs } from "../tools/change-authority/change-authority.ts";
import type { AuthorityDeps } from "../tools/change-authority/kind.ts";
import { type AuthorityChange, applyChange, planChange } from "../tools/change-authority/kinds.ts";
import { CHANGE_AUTHORITY } from "../tools/change-authority/tool-name.ts";
import { propose } from "../tools/propose.ts";
import type { DeskDeps } from "./deps.ts";

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

/**
 * `asked`: the request's number as people say it; `approvesItselfAt`: product time at which it
 * takes effect when nobody stops it, null when somebody else has to approve.
 */
export type Requested =
  /** While the tenant is set up nothing waits. */
  | { kind: "done"; made: JsonObject }
  | { kind: "unchanged" }
  | { kind: "asked"; approval: string; approvesItselfAt: number | null };

/** One admin alone: so long everybody can end it. Product time. */
const DELAY_MS = 10 * 60_000;
/** Whoever made himself the only admin waits longer. */
const LONG_DELAY_MS = 86_400_000;
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
  const approvesItselfAt = await delayedUntil(tx, request);
  const approval = await ask(tx, deps, request, approvesItselfAt);
  return { kind: "asked", approval, approvesItselfAt };
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

/** null: another admin is there to decide. */
async function delayedUntil(tx: Tx, { tenantId, by, now }: ChangeRequest): Promise<number | null> {
  const others = await adminsBeside(tx, { tenantId, staffId: by });
  if (others.active > 0) return null;
  const isOwnDoing =
    others.lastSuspendedAt !== null && now - others.lastSuspendedAt < LONG_DELAY_MS;
  return now + (isOwnDoing ? LONG_DELAY_MS : DELAY_MS);
}

async function ask(
  tx: Tx,
  deps: ChangeDeps,
  request: ChangeRequest,
  approvesItselfAt: number | null,
): Promise<string> {
  const { tenantId, by, change, now, replyTo } = request;
  const { staffLanguage: language } = deps.dress;
  const args: AuthorityArgs = { change, by, ...(replyTo ? { replyTo } : {}) };
  const proposing = {
    ...{ tenantId, conversationId: "", contactId: "", runId: null, language, now },
    ...{ source: "desk" as const, maker: by, readOnlyRun: false, messageId: null, cycle: 0 },
    ...{ modelCallId: null, clientSays: null, approvesItselfAt, realNow: now },
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
  { approval, approvesItselfAt }: Extract<Requested, { kind: "asked" }>,
  language: Language,
): string {
  const texts = TEXTS[language];
  if (approvesItselfAt === null) return texts.asked(approval);
  return texts.delayed(approval, `${new Date(approvesItselfAt).toISOString().slice(0, 16)}Z`);
}

const TEXTS = {
  en: {
    asked: (name: string) =>
      `${name}: another admin has to approve it; the card stands in every chat of the operators. Nothing is changed yet.`,
    delayed: (name: string, time: string) =>
      `${name}: it takes effect by itself at ${time}, unless anybody of the staff presses Reject; the card stands in every chat of the operators. Nothing is changed yet.`,
    tooMuch: "This changes more than one card can show: send it in parts.",
    refused: (why: string) => `This cannot be asked for: ${why}`,
  },
  ru: {
    asked: (name: string) =>
      `${name}: одобрить должен другой администратор; карточка стоит во всех чатах операторов. Пока ничего не изменено.`,
    delayed: (name: string, time: string) =>
      `${name}: вступит в силу само в ${time}, если никто из сотрудников не нажмёт «Отклонить»; карточка стоит во всех чатах операторов. Пока ничего не изменено.`,
    tooMuch: "Столько изменений не помещается на одну карточку: пришлите частями.",
    refused: (why: string) => `Запросить это нельзя: ${why}`,
  },
} as const satisfies Record<Language, unknown>;
