import { z } from "zod";
import { StartError } from "../../domain/errors.ts";
import type { Tx } from "../../store/db.ts";
import { activeStyle, documentTexts, toolSwitches } from "../../store/eval-snapshot.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { policyRow } from "../../tools/change-authority/policy.ts";
import type { KnownTools } from "../known-tools.ts";
import type { EvalCase } from "./case-format.ts";
import { caseFaultLine, caseTitle, checkCase, schemaFaults } from "./check-case.ts";

const text = (max: number) => z.string().max(max);

const snapshotSchema = z.strictObject({
  policies: z.array(policyRow).max(1000).optional(),
  /** Tools that are switched off here are off; those that are not named stay as they are. */
  tools: z.record(z.string(), z.boolean()).optional(),
  /** All there is to know. */
  knowledge: z
    .array(z.strictObject({ source: z.string().min(1).max(300), body: text(1_000_000).min(1) }))
    .optional(),
  style: z
    .strictObject({
      guidance: text(20_000),
      examples: z.array(z.strictObject({ client: text(4000), answer: text(4000) })).default([]),
      skills: z
        .array(z.strictObject({ id: z.string().min(1).max(100), text: text(20_000) }))
        .default([]),
    })
    .optional(),
  /** Written as in a file of cases; `source` says where each comes from. */
  cases: z.array(z.looseObject({ source: z.string().optional() })).optional(),
});

/** What a tenant has, without secrets, people or deals; what is left out is the example desk's. */
export type Snapshot = z.infer<typeof snapshotSchema>;

/** Throws StartError, one line for each thing that is wrong, with its path. */
export function parseSnapshot(written: unknown): Snapshot {
  const parsed = snapshotSchema.safeParse(written);
  if (parsed.success) return parsed.data;
  const faults = schemaFaults(parsed.error, written);
  throw new StartError(faults.map((one) => caseFaultLine("the snapshot", one)).join("\n"));
}

/** Cases of a snapshot. Throws StartError, one line for each thing that is wrong with one. */
export function casesOf({ cases = [] }: Snapshot, tools: KnownTools): EvalCase[] {
  const read = cases.map(({ source = "", ...written }, index) => {
    const { evalCase, faults } = checkCase(written, tools);
    const place = `the snapshot: ${caseTitle(written, index)}`;
    return {
      cases: evalCase ? [{ ...evalCase, source }] : [],
      faults: faults.map((fault) => caseFaultLine(place, fault)),
    };
  });
  const faults = read.flatMap((one) => one.faults);
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return read.flatMap((one) => one.cases);
}

/** Rules, switches, documents and style of a tenant as they stand. */
export async function takeSnapshot(tx: Tx, tenantId: string): Promise<Snapshot> {
  const style = await activeStyle(tx, tenantId);
  return {
    policies: await listPolicyRows(tx, tenantId),
    tools: await toolSwitches(tx, tenantId),
    knowledge: await documentTexts(tx, tenantId),
    ...(style ? { style } : {}),
  };
}
