import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, StartError } from "../../domain/errors.ts";
import type { Tx } from "../../store/db.ts";
import { activeStyle, documentTexts, toolSwitches } from "../../store/eval-snapshot.ts";
import { listPolicyRows } from "../../store/policies.ts";
import { policyRow } from "../../tools/change-authority/policy.ts";
import { evalCaseSchema } from "./case-format.ts";
import { problemOf } from "./read-cases.ts";

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

/** Throws StartError with the path of what is wrong. */
export function readSnapshot(file: string): Snapshot {
  let written: unknown;
  try {
    written = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`--snapshot: ${file} cannot be read (${messageOf(error)})`);
  }
  const parsed = snapshotSchema.safeParse(written);
  if (parsed.success) return parsed.data;
  throw new StartError(`--snapshot: ${file}: ${problemOf(parsed.error)}`);
}

/** Cases of a snapshot. Throws StartError with case and path of what is wrong. */
export function casesOf({ cases = [] }: Snapshot, file: string) {
  return cases.map(({ source = file, ...written }, index) => {
    const parsed = evalCaseSchema.safeParse(written);
    if (parsed.success) return { ...parsed.data, source };
    throw new StartError(`${file}: case ${index + 1}: ${problemOf(parsed.error)}`);
  });
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
