import { z } from "zod";
import { STAGES } from "../../domain/deal.ts";
import type { JsonObject } from "../../domain/json.ts";
import { playedFault, playedTransfer } from "../../domain/played-world.ts";
import { RISK_CLASSES } from "../../domain/tool.ts";
import { ruleFaults } from "./case-rules.ts";
import { isPattern } from "./pattern.ts";

const text = (max: number) => z.string().trim().min(1).max(max);
const toolName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "a tool's name, like send_email");
const decimal = z.string().regex(/^\d{1,12}(\.\d{1,8})?$/, 'a decimal in quotes, like "500"');
const pattern = text(500).refine(isPattern, "a regular expression").meta({ format: "regex" });
const json = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>; // plain JSON only

/** An order as it stands when the case begins. */
const orderSchema = z.strictObject({
  /** Spoken as EX-20418; left out: the next free one. */
  number: z.int().min(1).max(999_999_999).optional(),
  status: z.enum(["awaiting_payment", "paid", "payout", "completed", "cancelled", "expired"]),
  asset: text(12).default("USDT"),
  network: z.string().max(20).default("trc20"),
  quote_asset: text(12).default("THB"),
  amount_from: decimal,
  amount_to: decimal,
  rate: decimal,
  payment_method: text(40).default("crypto"),
  payout_method: text(40).nullable().default(null),
  payout_location: text(200).nullable().default(null),
  payout_destination: json.nullable().default(null),
  /** Payment details were given: where the client pays. */
  requisites: json.nullable().default(null),
  proof_received: z.boolean().default(false),
  expires_in_min: z.int().min(-10_000).max(10_000).default(15),
});
export type CaseOrder = z.infer<typeof orderSchema>;

const personFields = {
  name: text(80).default("Client"),
  kyc: z.enum(["missing", "pending", "verified", "rejected"]).default("missing"),
  email: z.email().nullable().default(null),
  email_verified: z.boolean().default(false),
  /** Fields of the card: phone, city, … */
  attributes: z.record(z.string(), z.string()).default({}),
  order: orderSchema.nullable().default(null),
};

const clientSchema = z.strictObject({
  ...personFields,
  stage: z.enum(STAGES).default("exchange_request"),
});
/** Who writes. */
export type CaseClient = z.infer<typeof clientSchema>;

const otherSchema = z.strictObject(personFields);
/** Another client, whose things are not the writer's. */
export type CaseOther = z.infer<typeof otherSchema>;

const lineSchema = z.union([
  z.strictObject({ client: text(12_000) }),
  z.strictObject({ bot: text(12_000) }),
  z.strictObject({ operator: text(12_000) }),
  z.strictObject({ event: text(2000) }),
  z.strictObject({
    call: z.strictObject({ tool: toolName, args: json.default({}) }),
    result: json,
  }),
]);
/** What stands in the conversation already; a call stands with the result it had then. */
export type CaseLine = z.infer<typeof lineSchema>;

/** `count` 0 would take faults back that are not there. */
const faultSchema = playedFault.extend({ count: z.int().min(1).max(100_000) });

const effectNames = ["approvals", "executions", "handoffs", "letters", "orders", "tasks"] as const;
const effectsSchema = z.strictObject(
  Object.fromEntries(
    [...effectNames, "payouts", "retries"].map((name) => [name, z.int().min(0).optional()]),
  ) as Record<EffectName, z.ZodOptional<z.ZodInt>>,
);
/** What may have come of a case, counted. */
export type EffectName = (typeof effectNames)[number] | "payouts" | "retries";
/** `executions`: effects that were dispatched or wait for it; `retries`: further attempts of calls. */
export type Effects = Record<EffectName, number>;

const inputFields = {
  language: z.enum(["ru", "en"]),
  /** Why it is so, for people. */
  note: z.string().max(1000).optional(),
  client: clientSchema.prefault({}),
  others: z.array(otherSchema).max(5).default([]),
  before: z.array(lineSchema).max(60).default([]),
  /** Each is answered before the next comes; what is expected is expected of the last. */
  messages: z.array(text(12_000)).min(1).max(10),
  faults: z.array(faultSchema).max(10).default([]),
  transfers: z.array(playedTransfer).max(5).default([]),
  /** Of the business, beside those that it has; for this case only. */
  documents: z
    .array(z.strictObject({ source: text(300), body: text(20_000) }))
    .max(5)
    .default([]),
  /** Who decides on what waits for people after each message; left out: nobody. */
  operators: z.enum(["approve", "reject"]).optional(),
  /** Calls of the expected tool; without one, of all tools. */
  expected_calls: z.int().min(0).max(64).optional(),
  /** Of the call's result as the model is shown it; compared like arguments. */
  expected_result: json.optional(),
  expected_effects: effectsSchema.optional(),
  reply_must_match: z.array(pattern).max(10).default([]),
  reply_must_not_match: z.array(pattern).max(10).default([]),
};

/** All of a case that is no column of its row. */
export const caseInputSchema = z.strictObject({
  ...inputFields,
  /** Any tool may be called, or none: only what is forbidden is judged. */
  any_tool: z.boolean().default(false),
});

/** A single pattern need not be a list. */
const patterns = z.union([pattern.transform((one) => [one]), z.array(pattern).max(10)]).default([]);

const caseSchema = z.strictObject({
  case_name: text(160),
  ...inputFields,
  messages: inputFields.messages.optional(),
  message: text(12_000).optional(),
  reply_must_match: patterns,
  reply_must_not_match: patterns,
  /** null: no tool may be called at all; left out: any may. */
  expected_tool: toolName.nullable().optional(),
  /** Only named fields are compared; a text may be {matches: "pattern"}. */
  expected_arguments: json.optional(),
  expected_policy_result: z.enum(["allow", "approval", "deny", "schema_failed"]).optional(),
  forbidden_tools: z.array(toolName).max(50).default([]),
  risk_level: z.enum(RISK_CLASSES).optional(),
  is_active: z.boolean().default(true),
});

/** One scenario, whole: what stands, what the client writes, and what has to come of it. */
export interface EvalCase extends z.infer<typeof caseInputSchema> {
  case_name: string;
  expected_tool: string | null;
  expected_arguments: JsonObject | null;
  expected_policy_result: ExpectedPolicyResult | null;
  forbidden_tools: string[];
  risk_level: (typeof RISK_CLASSES)[number] | null;
  is_active: boolean;
  /** The file it is from, `api`, or REG-7. */
  source: string;
}
export type ExpectedPolicyResult = "allow" | "approval" | "deny" | "schema_failed";

/** As it is written in a file; what comes out has no `source` yet. */
export const evalCaseSchema = caseSchema.superRefine(refuse).transform(caseOf);

/** As it is sent to the API: as a file holds it, or as the API shows it, whose own fields count for nothing. */
export const sentCaseSchema = caseSchema
  .extend({
    id: z.string().optional().describe("as GET shows it; not read"),
    source: z.string().optional().describe("as GET shows it; not read"),
  })
  .superRefine(refuse)
  .transform(({ id: _id, source: _source, ...written }) => caseOf(written));

type Written = z.infer<typeof caseSchema>;

function refuse(written: Written, context: z.RefinementCtx): void {
  for (const { path, expected } of ruleFaults(written, null))
    context.addIssue({ code: "custom", path: [...path], message: expected });
}

function caseOf({
  message,
  messages,
  expected_tool: tool,
  ...written
}: Written): Omit<EvalCase, "source"> {
  return {
    ...written,
    messages: messages ?? [message ?? ""],
    any_tool: tool === undefined,
    expected_tool: tool ?? null,
    expected_arguments: written.expected_arguments ?? null,
    expected_policy_result: written.expected_policy_result ?? null,
    risk_level: written.risk_level ?? null,
  };
}
