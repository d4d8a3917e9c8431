import { approvalName, takesEffectAlone } from "../domain/approval.ts";
import type { Language } from "../domain/language.ts";
import { paysOut } from "../domain/pays-out.ts";
import type { ApprovalRow } from "../store/approvals.ts";
import { requestTitle } from "../tools/approval-card.ts";

type Shown = Pick<ApprovalRow, "number" | "requestedAction"> & Waits;
type Waits = Pick<
  ApprovalRow,
  | "status"
  | "createdAt"
  | "expiresAt"
  | "decidedVia"
  | "approvesItselfAt"
  | "toolName"
  | "riskLevel"
>;

/** Longest list in one line; the rest is counted. */
const MOST_NAMED = 20;

/** What waits, in one line: number, what is asked, since when, how long still. */
export function namedWaiting(approvals: readonly Shown[], now: number, language: Language): string {
  const named = approvals.slice(0, MOST_NAMED).map((one) => nameWaiting(one, now, language));
  const rest = approvals.length - named.length;
  return [...named, ...(rest > 0 ? [TEXTS[language].more(rest)] : [])].join("; ");
}

function nameWaiting(approval: Shown, now: number, language: Language): string {
  const { number, requestedAction } = approval;
  const facts = waitingFacts(approval, now, language);
  return `${approvalName(number)} ${requestTitle(requestedAction, language)} (${facts})`;
}

/** Since when it waits, and how long still, or why it does not expire. */
export function waitingFacts(waiting: Waits, now: number, language: Language): string {
  const texts = TEXTS[language];
  const { status, createdAt, expiresAt, toolName: name, riskLevel: risk } = waiting;
  const endless = paysOut({ name, risk }) ? texts.owed : texts.claimed;
  return [
    texts.waits(shownSpan(now - createdAt, language)),
    expiresAt === null ? endless : texts.left(shownSpan(expiresAt - now, language)),
    ...(status === "frozen" ? [texts.frozen] : []),
    ...aloneFacts(waiting, now, language),
  ].join(", ");
}

function aloneFacts(waiting: Waits, now: number, language: Language): string[] {
  if (!takesEffectAlone(waiting)) return [];
  const { approvesItselfAt: at } = waiting;
  const texts = TEXTS[language];
  return [at === null ? texts.unseen : texts.alone(shownSpan(at - now, language))];
}

/** Whole minutes up to two days, then days. */
export function shownSpan(ms: number, language: Language): string {
  const { minutes, hours, days } = TEXTS[language].units;
  const all = Math.max(0, Math.floor(ms / 60_000));
  if (all < 60) return `${all} ${minutes}`;
  if (all < 2 * 24 * 60) {
    const rest = all % 60;
    return `${Math.floor(all / 60)} ${hours}${rest > 0 ? ` ${rest} ${minutes}` : ""}`;
  }
  return `${Math.floor(all / (24 * 60))} ${days}`;
}

const TEXTS = {
  en: {
    waits: (span: string) => `waits ${span}`,
    left: (span: string) => `${span} left`,
    owed: "a client's money is here, it does not expire",
    claimed: "the client says they paid; not confirmed; it does not expire",
    frozen: "frozen",
    unseen:
      "its card stands in no chat of the operators yet, so that it does not take effect by itself",
    alone: (span: string) => `takes effect by itself in ${span} unless rejected`,
    more: (count: number) => `and ${count} more: /pending`,
    units: { minutes: "min", hours: "h", days: "d" },
  },
  ru: {
    waits: (span: string) => `ждёт ${span}`,
    left: (span: string) => `осталось ${span}`,
    owed: "деньги клиента уже у нас, срок не истекает",
    claimed: "клиент говорит, что заплатил; не подтверждено; срок не истекает",
    frozen: "заморожено",
    unseen: "карточки ещё нет ни в одном чате операторов, поэтому само в силу не вступит",
    alone: (span: string) => `вступит в силу само через ${span}, если не отклонить`,
    more: (count: number) => `и ещё ${count}: /pending`,
    units: { minutes: "мин", hours: "ч", days: "д" },
  },
} as const satisfies Record<Language, unknown>;
