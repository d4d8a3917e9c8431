import { amount, isDecimal } from "../../domain/money.ts";

/** Amounts are decimal strings in the quote currency, so that all assets count alike. */
export interface OrderRiskFacts {
  /** Another order of this conversation that is open. */
  hasOtherOpenOrder: boolean;
  payout: string;
  /** Completed orders of the contact. */
  completedOrders: number;
  /** Payouts of the contact's orders of the last 24 h, without this one. */
  daySum: string;
  sender: SenderScreening;
}

/** What the AML provider said of the sender; none when no provider is configured. */
export type SenderScreening = "none" | "clean" | "flagged";

/** Each check is off while its setting is null or false. */
export interface RiskSettings {
  amountThreshold: string | null;
  firstDealReview: boolean;
  dailyLimit: string | null;
}

/** Why a person looks first; all that apply are raised. */
export type RiskFlag = "amount_over_threshold" | "first_deal" | "daily_limit" | "sender_flagged";

/** `block`: no order is made. With a flag it is made, and people decide before it is paid out. */
export type OrderRisk =
  | { decision: "block"; reason: "open_order" | "payout_not_positive" }
  | {
      /** manual: the order is made and a person looks before money goes out. */
      decision: "manual" | "allow";
      flags: RiskFlag[];
      senderScreened: boolean;
    };

/** Pure. Thresholds are exclusive: a sum equal to one raises nothing. */
export function assessOrderRisk(facts: OrderRiskFacts, settings: RiskSettings): OrderRisk {
  if (facts.hasOtherOpenOrder) return { decision: "block", reason: "open_order" };
  // isDecimal lets no sign, infinity or text through
  if (!isDecimal(facts.payout) || amount(facts.payout).isZero()) {
    return { decision: "block", reason: "payout_not_positive" };
  }
  const flags = raisedFlags(facts, settings);
  return {
    decision: flags.length > 0 ? "manual" : "allow",
    flags,
    senderScreened: facts.sender !== "none",
  };
}

function raisedFlags(facts: OrderRiskFacts, settings: RiskSettings): RiskFlag[] {
  const payout = amount(facts.payout);
  const { amountThreshold, dailyLimit, firstDealReview } = settings;
  const raised: Record<RiskFlag, boolean> = {
    amount_over_threshold: amountThreshold !== null && payout.gt(amountThreshold),
    first_deal: firstDealReview && facts.completedOrders === 0,
    daily_limit: dailyLimit !== null && payout.plus(facts.daySum).gt(dailyLimit),
    sender_flagged: facts.sender === "flagged",
  };
  return (Object.keys(raised) as RiskFlag[]).filter((flag) => raised[flag]); // its own keys
}
