import { readFileSync } from "node:fs";
import { z } from "zod";
import { canonicalDecimal } from "../domain/money.ts";
import { computeQuote } from "../tools/exchange/quote.ts";

const decimal = z.string().regex(/^-?\d{1,30}(\.\d{1,18})?$/, "expected a decimal string");

const rateSchema = z.strictObject({
  asset: z.string().optional(),
  network: z.string().optional(),
  quoteMode: z.enum(["multiply", "divide"]),
  baseRate: decimal,
  marginPct: decimal,
  feeFixed: decimal,
  minAmountFrom: decimal.nullable(),
  maxAmountFrom: decimal.nullable(),
  quoteAsset: z.string().min(1),
});

const tierSchema = z.strictObject({
  rangeBasis: z.enum(["target", "source_amount"]).default("target"),
  minAmount: decimal,
  maxAmount: decimal.nullable(),
  displayRate: decimal,
  deviationPct: decimal.nullable().optional(),
});

const quotedSchema = z.strictObject({
  ok: z.literal(true),
  amountFrom: decimal,
  rate: decimal,
  amountTo: decimal,
  marginPct: decimal,
  feeFixed: decimal,
  tierMin: decimal.nullable(),
});

const refusedSchema = z.strictObject({
  ok: z.literal(false),
  error: z.enum(["amount_not_positive", "rate_not_configured", "below_min", "above_max", "guard"]),
  limit: decimal.optional(),
  computedAmountFrom: decimal.optional(),
  guard: z
    .strictObject({
      reason: z.enum(["nonpositive", "implausible_deviation"]),
      deviationPct: decimal.optional(),
      thresholdPct: decimal.optional(),
    })
    .optional(),
  needsOperator: z.boolean().optional(),
});

/** What decides is strict; notes beside a case (why it stands there) are let through. */
const caseSchema = z.object({
  id: z.string().min(1),
  title: z.string().optional(),
  input: z.strictObject({
    asset: z.string().min(1),
    network: z.string().nullable().optional(),
    amount: decimal,
    amountMode: z.enum(["source_amount", "target_amount"]),
  }),
  rate: rateSchema.nullable(),
  tiers: z.array(tierSchema),
  guard: z.strictObject({ maxDeviationPct: decimal, epsPct: decimal }),
  expect: z.discriminatedUnion("ok", [quotedSchema, refusedSchema]),
});
type QuoteCase = z.infer<typeof caseSchema>;

const fileSchema = z.object({ version: z.literal(1), cases: z.array(caseSchema).min(1) });

/** Paths of fields as the case file names them. */
export interface CaseDifference {
  field: string;
  expected: unknown;
  actual: unknown;
}

/** A case passes when every field that it names is equal. */
export interface QuoteCasesResult {
  total: number;
  passed: number;
  failed: { id: string; title?: string; differences: CaseDifference[] }[];
}

/** Runs a file of quote cases through the desk's own formula. Throws an Error that names file and path when the file is no such file. */
export function runQuoteCases(file: string): QuoteCasesResult {
  const cases = readCases(file);
  const failed = cases.flatMap((entry) => {
    const differences = differencesOf(entry);
    return differences.length > 0 ? [{ id: entry.id, title: entry.title, differences }] : [];
  });
  return { total: cases.length, passed: cases.length - failed.length, failed };
}

function readCases(file: string): QuoteCase[] {
  const parsed = fileSchema.safeParse(readJson(file));
  if (parsed.success) return parsed.data.cases;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String).join(".") || "(root)";
  throw new Error(`${file}: ${path}: ${issue?.message ?? "not a file of quote cases"}`);
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Error(`${file}: cannot be read`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file}: (root): not JSON`, { cause });
  }
}

function differencesOf(entry: QuoteCase): CaseDifference[] {
  const { input, rate } = entry;
  const row = rate && { asset: input.asset, network: input.network ?? "", ...rate };
  const tiers = entry.tiers.map(({ minAmount, maxAmount, ...tier }) => ({
    ...tier,
    min: minAmount,
    max: maxAmount,
  }));
  const actual = flatten(computeQuote(input, row, tiers, entry.guard));
  return [...flatten(entry.expect)].flatMap(([field, expected]) => {
    const found = actual.get(field) ?? (field === "needsOperator" ? "false" : undefined);
    return found === expected ? [] : [{ field, expected, actual: found }];
  });
}

/** "guard.reason" -> text; numbers of one value become one text. */
function flatten(value: object, prefix = ""): Map<string, string | undefined> {
  const flat = new Map<string, string | undefined>();
  for (const [key, entry] of Object.entries(value)) {
    const name = prefix + key;
    if (entry === undefined) continue;
    if (typeof entry === "object" && entry !== null) {
      for (const [inner, text] of flatten(entry, `${name}.`)) flat.set(inner, text);
      continue;
    }
    const text = String(entry);
    flat.set(name, decimal.safeParse(text).success ? canonicalDecimal(text) : text);
  }
  return flat;
}
