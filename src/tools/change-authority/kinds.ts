import { z } from "zod";
import type { JsonObject } from "../../domain/json.ts";
import type { Tx } from "../../store/db.ts";
import { type DestinationArgs, destination } from "./destination.ts";
import type { AuthorityDeps, AuthorityKind, ChangePlan, ChangeScope } from "./kind.ts";
import { type PayoutRulesArgs, payoutRules } from "./payout-rules.ts";
import { type PolicyArgs, policy } from "./policy.ts";
import { type RequisitesArgs, requisites } from "./requisites.ts";
import { type StaffArgs, staff } from "./staff.ts";
import { type TokenArgs, token } from "./token.ts";

/** A change as it is asked for; it holds no secret in the clear. */
export type AuthorityChange =
  | PolicyArgs
  | RequisitesArgs
  | PayoutRulesArgs
  | StaffArgs
  | TokenArgs
  | DestinationArgs;

/** Everything that is a change of authority; what is not here is an admin's to change at once. */
const KINDS: { [Kind in AuthorityChange["kind"]]: AuthorityKind<ArgsOf<Kind>> } = {
  policy,
  requisites,
  payout_rules: payoutRules,
  staff,
  token,
  destination,
};

type ArgsOf<Kind> = Extract<AuthorityChange, { kind: Kind }>;

/**
 * Strict in every kind: a field that is not known is refused instead of dropped, as a request for
 * more rights that loses a limit on the way would grant too much.
 */
export const authorityChange: z.ZodType<AuthorityChange> = z.union([
  policy.args,
  requisites.args,
  payoutRules.args,
  staff.args,
  token.args,
  destination.args,
]);

/**
 * Reads only, so that it may be asked as often as somebody looks. Throws UserError for what cannot
 * be done, in the scope's language.
 */
export function planChange(
  tx: Tx,
  deps: AuthorityDeps,
  scope: ChangeScope,
  change: AuthorityChange,
): Promise<ChangePlan> {
  return kindOf(change).plan(tx, deps, scope, change);
}

/**
 * Makes the change in the caller's transaction, with its audit row. Only after approval, or while
 * the tenant is being set up. Throws UserError when it cannot be done any more.
 */
export function applyChange(
  tx: Tx,
  deps: AuthorityDeps,
  scope: ChangeScope,
  change: AuthorityChange,
): Promise<JsonObject> {
  return kindOf(change).apply(tx, deps, scope, change);
}

function kindOf(change: AuthorityChange): AuthorityKind<AuthorityChange> {
  return KINDS[change.kind] as AuthorityKind<AuthorityChange>; // the table pairs each kind with its own arguments
}
