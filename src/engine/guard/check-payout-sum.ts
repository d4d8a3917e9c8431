import { canonicalDecimal, isDecimal } from "../../domain/money.ts";
import { isClaimed } from "./claim-mood.ts";
import { DEAL_CLAIMS } from "./deal-claims.ts";
import type { Check, GuardContext } from "./guard-context.ts";
import type { Finding } from "./guard-facts.ts";
import { findNumbers } from "./numbers.ts";
import { foldCase, type Sentence } from "./reply-text.ts";

const SENT = DEAL_CLAIMS.filter(({ rule }) => rule === "unbacked_payout").flatMap(
  ({ patterns }) => patterns,
);

/** A payout that an operator lowered: that the whole of the order was sent is not so. */
export const checkPayoutSum: Check = (context) => {
  const paid = loweredPayout(context);
  const whole = decimalOf(context.facts.order?.amountTo);
  if (paid === null || whole === null) return [];
  return context.sentences.filter(saysSent).flatMap((sentence): Finding[] => {
    const sums = findNumbers(sentence.text).filter(({ unit }) => unit.kind === "money");
    const told = sums.find(({ readings }) => readings.includes(whole));
    if (!told || sums.some(({ readings }) => readings.includes(paid))) return [];
    const hint = `Only ${paid} were paid out, an operator lowered it; say what is still owed.`;
    return [{ kind: "money", text: told.text, rule: "payout_was_lowered", hint }];
  });
};

/** The sum, where the payout's own result says that something is owed on. */
function loweredPayout({ facts }: GuardContext): string | null {
  const payout = facts.tool_results.findLast(
    ({ tool, status }) => tool === "issue_exchange_payout" && status === "completed",
  );
  const { data } = payout ?? {};
  if (typeof data !== "object" || data === null) return null;
  const { amount, stillOwed } = data as { amount?: unknown; stillOwed?: unknown }; // looked at below
  return decimalOf(stillOwed) === null ? null : decimalOf(amount);
}

function saysSent({ text, question }: Sentence): boolean {
  const folded = foldCase(text).replace(/[’`]/g, "'");
  return SENT.some((pattern) =>
    [...folded.matchAll(pattern)].some((match) =>
      isClaimed(
        folded,
        { start: match.index, end: match.index + match[0].length },
        false,
        question,
      ),
    ),
  );
}

function decimalOf(value: unknown): string | null {
  return typeof value === "string" && isDecimal(value) ? canonicalDecimal(value) : null;
}
