import type { Language } from "../domain/language.ts";
import type { Tx } from "../store/db.ts";
import { endOrderStop, type OrderStop, orderStopOf, stopOrders } from "../store/order-stop.ts";
import { type PayoutStop, payoutStopOf, stopPayouts } from "../store/payout-stop.ts";
import type { PayoutsToCheck } from "../store/payouts-to-check.ts";
import type { StaffMember } from "../store/staff.ts";
import { waitingPayouts } from "../store/waiting-payouts.ts";
import type { ApprovalDress } from "../tools/ask-approval.ts";
import { announce } from "./announce.ts";
import { resumePayouts } from "./resume-payouts.ts";
import { shownTime } from "./texts.ts";

/** `payouts`: whatever sends money out; `orders`: new ones, open ones go on. */
export type Stoppable = "payouts" | "orders";
/** In this order they are shown and ended. */
export const STOPPABLE: readonly Stoppable[] = ["payouts", "orders"];

/** Characters. The desk cuts longer ones, the API refuses them. */
export const LONGEST_REASON = 300;

/** What an announcement to the operators needs. */
export type StopDress = Pick<ApprovalDress, "jobs" | "staffLanguage">;

interface Asked {
  tenantId: string;
  staff: StaffMember;
  what: readonly Stoppable[];
  reason: string;
  now: number;
}

/** What `/stop` and `/resume` name: one of the two, or `all`. null: neither. */
export function stoppable(word: string): readonly Stoppable[] | null {
  if (word === "all") return STOPPABLE;
  const named = STOPPABLE.find((one) => one === word);
  return named ? [named] : null;
}

/** At once, by anybody of the staff; every chat of the operators is told who did it and why. */
export async function stopDesk(
  tx: Tx,
  dress: StopDress,
  asked: Asked,
): Promise<{ stands: Standing; held: number }> {
  const { tenantId, staff, what, now } = asked;
  const texts = TEXTS[dress.staffLanguage];
  const reason = asked.reason.slice(0, LONGEST_REASON) || texts.noReason(staff.name);
  const stopping = { tenantId, by: staff.id, reason, now };
  if (what.includes("payouts")) await stopPayouts(tx, stopping);
  if (what.includes("orders")) await stopOrders(tx, stopping);
  const write = { jobs: dress.jobs, tenantId, now };
  await announce(tx, write, texts.stopped(namesOf(what, dress), staff.name, reason));
  const held = what.includes("payouts") ? await waitingPayouts(tx, tenantId) : [];
  return { stands: await standingStops(tx, tenantId), held: held.length };
}

/** `what`: those that really stood; `sent`: held payouts that go on now. */
export type ResumedDesk =
  | { kind: "not_stopped" }
  /** Nothing was changed: payouts want a look through what is open first. */
  | { kind: "look_through"; stop: PayoutStop; list: PayoutsToCheck }
  | { kind: "resumed"; what: Stoppable[]; sent: number };

/** Orders go on at once. With payouts nothing does before an admin has confirmed their list. */
export async function resumeDesk(
  tx: Tx,
  dress: StopDress,
  asked: Asked & { confirmed: boolean },
): Promise<ResumedDesk> {
  const { tenantId, staff, what, confirmed, now } = asked;
  const ending = { tenantId, by: staff.id, reason: asked.reason.slice(0, LONGEST_REASON), now };
  const resumed: Stoppable[] = [];
  let sent = 0;
  if (what.includes("payouts")) {
    const payouts = await resumePayouts(tx, dress.jobs, { ...ending, confirmed });
    if (payouts.kind === "look_through") return payouts;
    if (payouts.kind === "resumed") {
      resumed.push("payouts");
      sent = payouts.sent;
    }
  }
  if (what.includes("orders") && (await endOrderStop(tx, ending))) resumed.push("orders");
  if (resumed.length === 0) return { kind: "not_stopped" };
  const texts = TEXTS[dress.staffLanguage];
  const write = { jobs: dress.jobs, tenantId, now };
  await announce(tx, write, texts.resumed(namesOf(resumed, dress), staff.name, ending.reason));
  return { kind: "resumed", what: resumed, sent };
}

/** null: it is not stopped. */
export interface Standing {
  payouts: PayoutStop | null;
  orders: OrderStop | null;
}

/** Reads only; what the gate goes by is read again with its facts. */
export async function standingStops(tx: Tx, tenantId: string): Promise<Standing> {
  return {
    payouts: await payoutStopOf(tx, tenantId),
    orders: await orderStopOf(tx, tenantId),
  };
}

/** A line for each stop that stands: since when, and why. */
export function standingLines({ payouts, orders }: Standing, language: Language): string[] {
  const texts = TEXTS[language];
  return [
    ...(payouts ? [texts.payoutsSince(shownTime(payouts.stoppedAt), payouts.reason)] : []),
    ...(orders ? [texts.ordersSince(shownTime(orders.stoppedAt), orders.reason)] : []),
  ];
}

function namesOf(what: readonly Stoppable[], { staffLanguage }: StopDress): string {
  const { names, and } = TEXTS[staffLanguage];
  return what.map((one) => names[one]).join(` ${and} `);
}

const TEXTS = {
  en: {
    names: { payouts: "payouts", orders: "new orders" },
    and: "and",
    noReason: (name: string) => `${name} gave no reason`,
    stopped: (what: string, who: string, why: string) => `⛔ ${who} stopped ${what}: ${why}`,
    resumed: (what: string, who: string, why: string) => `▶ ${who} resumed ${what}: ${why}`,
    payoutsSince: (time: string, reason: string) => `Payouts are stopped since ${time}: ${reason}.`,
    ordersSince: (time: string, reason: string) =>
      `New orders are stopped since ${time}: ${reason}.`,
  },
  ru: {
    names: { payouts: "выплаты", orders: "новые заявки" },
    and: "и",
    noReason: (name: string) => `${name}, без причины`,
    stopped: (what: string, who: string, why: string) => `⛔ Остановлено: ${what}. ${who}: ${why}`,
    resumed: (what: string, who: string, why: string) => `▶ Возобновлено: ${what}. ${who}: ${why}`,
    payoutsSince: (time: string, reason: string) => `Выплаты остановлены с ${time}: ${reason}.`,
    ordersSince: (time: string, reason: string) => `Новые заявки остановлены с ${time}: ${reason}.`,
  },
} as const satisfies Record<Language, unknown>;
