import { sameAmount } from "../../domain/money.ts";
import { asksPerson, type Outcome, type ToolRun } from "./reading.ts";
import type { Terms } from "./terms.ts";

/** As the last quote's result told it, sums as decimal text. */
export interface Quote {
  /** Arguments that give the same quote again. */
  terms: Terms;
  amountFrom: string;
  amountTo: string;
  /** The currency of `amountTo`. */
  quoteAsset?: string;
}

/** In the order of a deal; it is read from results and never from what the lead claims. */
export type Phase = "none" | "quoted" | "ordered" | "requisites" | "proof" | "paid" | "payout";

/** Where the exchange of this conversation stands, as far as the tool results tell. */
export interface Deal {
  phase: Phase;
  quote?: Quote;
  order: Record<string, unknown>;
  /** What the last check or order said about the identity. */
  kyc: "unknown" | "needed" | "verified";
  payout?: { approval?: string; status: string };
  /** Of how and where the payout goes; "waiting" while people decide. */
  change?: { approval?: string; status: "waiting" | "done" | "refused" };
  /** A hash that the chain has not settled yet: it may be looked at again. */
  pendingProof?: string;
}

/** Refusals of a payment that a later look may turn. */
export const NOT_SETTLED = /unconfirmed|not_final|pending|unknown_hash|not_found|unknown_tx/;

/** No one decided about this payout: it may be asked for again. */
const PAYOUTS_STOPPED = "payouts_stopped";

const START: Deal = { phase: "none", order: {}, kyc: "unknown" };

/** Oldest first; each result takes the deal on, or back. */
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
    case "change_payout_destination":
      return afterChange(deal, run);
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

/** The call shows its latest state: once it is done the order says what the result says. */
function afterChange(deal: Deal, { result }: ToolRun): Deal {
  const { approval, ok, status, data } = result;
  if (!ok) {
    const waits = status === "waiting_approval" || status === "approved";
    return { ...deal, change: { approval, status: waits ? "waiting" : "refused" } };
  }
  const { payoutMethod, payoutLocation, payoutDestination } = data;
  const order = { ...deal.order, payoutMethod, payoutLocation, payoutDestination };
  return { ...deal, order, change: { approval, status: "done" } };
}

/** Decisions of operators that no call of the model shows. */
function afterNotice(deal: Deal, notice: Outcome): Deal {
  const done = notice.status === "completed";
  const waits = notice.status === "waiting_approval";
  if (notice.tool === "confirm_fiat_payment")
    return waits ? deal : { ...deal, phase: done ? "paid" : "requisites" };
  if (notice.tool === "set_kyc_status") return { ...deal, kyc: done ? "verified" : "needed" };
  if (notice.tool !== "issue_exchange_payout") return deal;
  if (waits) return { ...deal, payout: { approval: notice.approval, status: "waiting" } };
  const status = done ? "completed" : "refused";
  return {
    ...deal,
    phase: done ? "payout" : deal.phase,
    payout: { approval: notice.approval, status },
  };
}
