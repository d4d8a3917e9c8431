import { sameAmount } from "../../domain/money.ts";
import { asksPerson, type Outcome, type ToolRun } from "./reading.ts";
import type { Terms } from "./terms.ts";

export interface Quote {
  /** Arguments that give the same quote again. */
  terms: Terms;
  amountFrom: string;
  amountTo: string;
  /** The currency of `amountTo`. */
  quoteAsset?: string;
}

export type Phase = "none" | "quoted" | "ordered" | "requisites" | "proof" | "paid" | "payout";

/** Where the exchange of this conversation stands, as far as the tool results tell. */
export interface Deal {
  phase: Phase;
  quote?: Quote;
  order: Record<string, unknown>;
  /** What the last check or order said about the identity. */
  kyc: "unknown" | "needed" | "verified";
  payout?: { approval?: string; status: string };
  /** A hash that the chain has not settled yet: it may be looked at again. */
  pendingProof?: string;
}

/** Refusals of a payment that a later look may turn. */
export const NOT_SETTLED = /unconfirmed|not_final|pending|unknown_hash|not_found|unknown_tx/;

/** No one decided about this payout: it may be asked for again. */
const PAYOUTS_STOPPED = "payouts_stopped";

const START: Deal = { phase: "none", order: {}, kyc: "unknown" };

export function followDeal(timeline: (ToolRun | Outcome)[]): Deal {
  return timeline.reduce<Deal>(
    (deal, entry) => ("name" in entry ? afterRun(deal, entry) : afterNotice(deal, entry)),
    START,
  );
}

/** Does the quote already cover these terms? A sum may name either side of it. */
export function isQuoted(quote: Quote | undefined, terms: Terms): boolean {
  if (!quote || !terms.amount || terms.asset !== quote.terms.asset) return false;
  if (terms.network && quote.terms.network && terms.network !== quote.terms.network) return false;
  const side = terms.amountMode === "target_amount" ? quote.amountTo : quote.amountFrom;
  return side !== "" && sameAmount(side, terms.amount);
}

function afterRun(deal: Deal, run: ToolRun): Deal {
  switch (run.name) {
    case "compute_exchange_quote":
      return run.result.ok ? afterQuote(deal, run) : deal;
    case "check_exchange_verification":
      return { ...deal, kyc: kycOf(run) ?? deal.kyc };
    case "create_exchange_order":
      return afterOrder(deal, run);
    case "fetch_exchange_requisites":
      if (!run.result.ok) return deal;
      return { ...deal, phase: "requisites", order: { ...deal.order, ...run.result.data } };
    case "verify_exchange_payment":
      return afterPayment(deal, run);
    case "issue_exchange_payout":
      return afterPayout(deal, run);
    case "cancel_exchange_order":
      return run.result.ok ? { ...START, kyc: deal.kyc } : deal;
    default:
      return deal;
  }
}

function afterQuote(deal: Deal, run: ToolRun): Deal {
  const { data } = run.result;
  const text = (name: string) => (data[name] === undefined ? undefined : String(data[name]));
  const given = run.args as Terms; // the planner's own arguments, strings all
  const amountFrom = text("amountFrom") ?? "";
  const amountTo = text("amountTo") ?? "";
  const amountMode = given.amountMode ?? (text("amountMode") as Terms["amountMode"]);
  const terms: Terms = {
    asset: given.asset ?? text("asset"),
    amount: given.amount ?? (amountMode === "target_amount" ? amountTo : amountFrom),
    amountMode: amountMode ?? "source_amount",
    network: given.network ?? (text("network") || undefined),
  };
  const quote = { terms, amountFrom, amountTo, quoteAsset: text("quoteAsset") };
  return { phase: "quoted", order: {}, kyc: deal.kyc, quote };
}

function afterOrder(deal: Deal, run: ToolRun): Deal {
  if (!run.result.ok) return { ...deal, kyc: kycOf(run) ?? deal.kyc };
  return { ...deal, phase: "ordered", order: run.result.data, kyc: "verified" };
}

function kycOf(run: ToolRun): Deal["kyc"] | undefined {
  const { verified, needsVerification } = run.result.data;
  if (verified === true) return "verified";
  return verified === false || needsVerification === true ? "needed" : undefined;
}

function afterPayment(deal: Deal, run: ToolRun): Deal {
  const { ok, code } = run.result;
  if (ok) return { ...deal, phase: "paid", pendingProof: undefined };
  const isPending = NOT_SETTLED.test(code) && typeof run.args.proof === "string";
  const pendingProof = isPending ? String(run.args.proof) : undefined;
  const isProof = asksPerson(run.result);
  return { ...deal, pendingProof, phase: isProof ? "proof" : deal.phase };
}

function afterPayout(deal: Deal, run: ToolRun): Deal {
  const { result } = run;
  if (result.status === "pending")
    return { ...deal, phase: "payout", payout: { approval: result.approval, status: "making" } };
  const status =
    result.approval || result.status === "waiting_approval" ? "waiting" : result.status;
  if (result.ok || status === "waiting")
    return {
      ...deal,
      phase: result.ok ? "payout" : "paid",
      payout: { approval: result.approval, status: result.ok ? "completed" : "waiting" },
    };
  const refused = result.code === PAYOUTS_STOPPED ? "stopped" : "refused";
  return { ...deal, payout: { approval: result.approval, status: refused } };
}

/** Decisions of operators that no call of the model shows. */
function afterNotice(deal: Deal, notice: Outcome): Deal {
  const done = notice.status === "completed";
  const waits = notice.status === "waiting_approval";
  if (notice.tool === "confirm_fiat_payment")
    return waits ? deal : { ...deal, phase: done ? "paid" : "requisites" };
  if (notice.tool === "set_kyc_status") return { ...deal, kyc: done ? "verified" : "needed" };
  if (notice.tool !== "issue_exchange_payout" || waits) return deal;
  const status = done ? "completed" : "refused";
  return {
    ...deal,
    phase: done ? "payout" : deal.phase,
    payout: { approval: notice.approval, status },
  };
}
