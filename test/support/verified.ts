import type { Policies, PolicyRow } from "../../src/domain/policy-row.ts";
import type { Verified } from "../../src/domain/verified.ts";
import type { Approval } from "../../src/policy/permit.ts";
import { TEST_ROW_KEY } from "./row-key.ts";

/** As if the store had written and read it. */
export function vouchedFor<Row extends object>(row: Row): Verified<Row> {
  const signed = { content: "test", mac: TEST_ROW_KEY.mac("test") };
  const genuine = TEST_ROW_KEY.verify({ ...row }, signed);
  if (!genuine) throw new Error("the key does not know its own hash");
  return genuine;
}

/** All the rules that a tenant has; of equal ids the later ones get others. */
export function policiesOf(rows: readonly PolicyRow[]): Policies {
  const own = rows.map((row, index) => {
    const isFirst = rows.findIndex(({ id }) => id === row.id) === index;
    return vouchedFor(isFirst ? row : { ...row, id: `${row.id}-${index}` });
  });
  const tools = Object.fromEntries(own.map((row) => [row.id, row.tool_name]));
  return { rows: own, list: vouchedFor({ rows: tools }), forgedTools: [] };
}

/** One person's yes to an action. */
export function voteOf(
  row: { id: string; digest: string },
  over: Partial<Approval["votes"][number]> = {},
): Approval["votes"][number] {
  return vouchedFor({
    ...{ approvalId: row.id, staffId: "alice", decision: "approve" as const },
    ...{ actionDigest: row.digest, voidedAt: null },
    ...over,
  });
}
