import { BOOKING_SECRET } from "../domain/booking-url.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { listKbDocuments } from "../store/kb-documents.ts";
import { listRates, type Rate } from "../store/rates.ts";
import { eligibleApprovers } from "../store/staff.ts";
import { tenantById } from "../store/tenants.ts";
import { tenantToolFacts } from "../store/tool-registry.ts";
import { findRequisites } from "../tools/exchange/requisites.ts";
import type { DeskDeps } from "./deps.ts";

/** What a desk needs; the optional ones keep it from nothing. */
export type SetupNeed =
  | "admin"
  | "operators"
  | "rates"
  | "requisites"
  | "documents"
  | "model"
  | "opened"
  | "review"
  | "booking";

/** One line of the list, in the order in which an owner works it off. */
export interface SetupItem {
  need: SetupNeed;
  isDone: boolean;
  isOptional: boolean;
  /** What exactly is missing, by name; empty when the need itself says it. */
  missing: string[];
}

/** Everything that keeps the desk closed, in the order in which an owner sets it up. */
export async function setupChecklist(
  tx: Tx,
  deps: Pick<DeskDeps, "hasModelKey">,
  tenantId: string,
): Promise<SetupItem[]> {
  const admins = await eligibleApprovers(tx, tenantId, "admin");
  const operators = await destinationsOf(tx, tenantId, "operators");
  const review = await destinationsOf(tx, tenantId, "review");
  const rates = (await listRates(tx, tenantId)).filter((rate) => rate.isActive);
  const documents = await listKbDocuments(tx, { tenantId, limit: 1, after: null });
  const tenant = await tenantById(tx, tenantId);
  const { secretNames } = await tenantToolFacts(tx, tenantId);
  const requisites = missingRequisites(rates, secretNames);
  return [
    item("admin", admins.length > 0),
    item("operators", operators.length > 0),
    item("rates", rates.length > 0),
    item("requisites", rates.length > 0 && requisites.length === 0, { missing: requisites }),
    item("documents", documents.length > 0),
    item("model", deps.hasModelKey(secretNames)),
    item("opened", tenant?.state === "open"),
    item("review", review.length > 0, { isOptional: true }),
    item("booking", secretNames.has(BOOKING_SECRET), { isOptional: true }),
  ];
}

/** The secrets that orders at these rates cannot be paid without; only names are read. */
function missingRequisites(rates: readonly Rate[], names: ReadonlySet<string>): string[] {
  const set = new Map([...names].map((name) => [name, "set"]));
  const missing = rates.flatMap((rate) => {
    const ways = [findRequisites(set, rate), ...otherWays(set, rate)];
    if (ways.some((way) => way.kind !== "missing")) return [];
    return ways[0]?.kind === "missing" ? [ways[0].secretName] : [];
  });
  return [...new Set(missing)];
}

/** One way of paying is enough: a card stands in for a link, an exchange's id for a wallet. */
function otherWays(set: ReadonlyMap<string, string>, { asset, network }: Rate) {
  return [
    findRequisites(set, { asset, network, paymentMethod: "card_transfer" }),
    findRequisites(set, { asset, network, paymentRail: "binance" }),
  ];
}

function item(
  need: SetupNeed,
  isDone: boolean,
  { isOptional = false, missing = [] }: { isOptional?: boolean; missing?: string[] } = {},
): SetupItem {
  return { need, isDone, isOptional, missing };
}
