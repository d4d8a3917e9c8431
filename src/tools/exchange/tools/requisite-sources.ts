import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Tx } from "../../../store/db.ts";
import type { Order } from "../../../store/orders.ts";
import { secretVersions } from "../../../store/secrets.ts";
import { isoTime } from "../../results.ts";

/** Which value of a requisite it was: an order keeps it, whatever is set later. */
const sourceSchema = z.object({ name: z.string(), version: z.number(), setAt: z.string() });
/** Name and version of a secret, never its value; `setAt` in ISO 8601. */
export type RequisiteSource = z.infer<typeof sourceSchema>;

/** As they are now; a name that is not set is left out. */
export async function sourcesOf(
  tx: Tx,
  tenantId: string,
  names: readonly string[],
): Promise<RequisiteSource[]> {
  const versions = await secretVersions(tx, tenantId, names);
  return versions.map(({ name, version, updatedAt }) => ({
    ...{ name, version },
    setAt: isoTime(updatedAt),
  }));
}

/** What the client of the order was given; empty: nothing, or from before this was kept. */
export function givenSources({ requisitesJson }: Pick<Order, "requisitesJson">): RequisiteSource[] {
  return z.array(sourceSchema).catch([]).parse(requisitesJson?.sources);
}

/** Is something else given to clients by now? */
export async function haveChanged(
  tx: Tx,
  order: Pick<Order, "tenantId" | "requisitesJson">,
): Promise<boolean> {
  const given = givenSources(order);
  const names = given.map(({ name }) => name);
  return !isDeepStrictEqual(await sourcesOf(tx, order.tenantId, names), given);
}
