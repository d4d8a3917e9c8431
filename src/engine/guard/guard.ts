import { checkAddresses } from "./check-addresses.ts";
import { checkClaims } from "./check-claims.ts";
import { checkContacts } from "./check-contacts.ts";
import { checkFigures } from "./check-figures.ts";
import { checkFree } from "./check-free.ts";
import { checkMoments } from "./check-moments.ts";
import { checkPayoutSum } from "./check-payout-sum.ts";
import { checkRequisites } from "./check-requisites.ts";
import { checkSecrets } from "./check-secrets.ts";
import { type Check, guardContext } from "./guard-context.ts";
import type { Finding, GuardFacts } from "./guard-facts.ts";

export interface GuardRequest {
  reply: string;
  /** The lead's language, "ru" or "en"; every rule knows both, replies mix them. */
  lang: string;
  facts: GuardFacts;
}

/** `block`: the draft is not sent as it is. */
export interface GuardVerdict {
  verdict: "pass" | "block";
  findings: Finding[];
}

const CHECKS: Check[] = [
  checkRequisites,
  checkContacts,
  checkAddresses,
  checkMoments,
  checkFigures,
  checkPayoutSum,
  checkFree,
  checkSecrets,
  checkClaims,
];

/**
 * Compares a reply with what the backend knows. Every wallet, sum, rate, hour, link and claim needs
 * a source of its own kind; one finding blocks. Pure: the same request gives the same verdict.
 */
export function guardReply(request: GuardRequest): GuardVerdict {
  const context = guardContext(request.reply, request.facts);
  const findings = CHECKS.flatMap((check) => check(context));
  return { verdict: findings.length === 0 ? "pass" : "block", findings };
}
