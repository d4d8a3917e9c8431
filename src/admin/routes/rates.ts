import { Hono } from "hono";
import { z } from "zod";
import { amount } from "../../domain/money.ts";
import { withTenant } from "../../store/db.ts";
import { exchangeSettingsOf } from "../../store/exchange-settings.ts";
import { deleteRate, listRates, type Rate, upsertRate } from "../../store/rates.ts";
import { normalizeAsset, normalizeNetwork } from "../../tools/exchange/assets.ts";
import { noBody, rowList, shownRow } from "../answers.ts";
import { change } from "../change.ts";
import type { AdminContext, AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { notFound } from "../error-response.ts";
import { present, presentAll, snakeCase } from "../present.ts";
import { decimalSchema } from "../request-input.ts";

const positive = decimalSchema.refine((text) => amount(text).gt(0), "it must be above zero");
const percent = z
  .string({ error: 'write it as a decimal string such as "2.5"' })
  .regex(/^-?\d{1,3}(\.\d{1,18})?$/, 'write it as a decimal string such as "2.5"')
  .refine((text) => amount(text).abs().lt(100), "it must lie between -100 and 100");
const assetSchema = z
  .string()
  .transform(normalizeAsset)
  .pipe(z.string().regex(/^[A-Z0-9]{2,12}$/, "2 to 12 letters or digits"));

const tierSchema = z.strictObject({
  min: decimalSchema,
  max: decimalSchema.nullable(),
  display_rate: positive,
});

const rateSchema = z
  .strictObject({
    asset: assetSchema,
    network: z
      .string()
      .transform(normalizeNetwork)
      .pipe(z.string().regex(/^[a-z0-9]{0,20}$/, "letters and digits, or empty for any network"))
      .default(""),
    quote_asset: assetSchema.optional(),
    quote_mode: z.enum(["multiply", "divide"]),
    base_rate: positive,
    margin_pct: percent,
    fee_fixed: decimalSchema.default("0"),
    min_amount_from: decimalSchema.nullable().default(null),
    max_amount_from: decimalSchema.nullable().default(null),
    is_active: z.boolean().default(true),
    auto_update: z.boolean().default(false),
    tiers: z.array(tierSchema).max(100).default([]),
  })
  .superRefine((rate, issues) => {
    const { min_amount_from: min, max_amount_from: max } = rate;
    if (min !== null && max !== null && amount(min).gt(max))
      issues.addIssue({ code: "custom", path: ["max_amount_from"], message: "below the minimum" });
    const broken = brokenTier(rate.tiers);
    if (broken !== null)
      issues.addIssue({
        code: "custom",
        path: ["tiers", broken],
        message: "its range is empty or overlaps another tier's; max is exclusive, null is open",
      });
  });

type RateBody = z.infer<typeof rateSchema>;
const LIST = {
  method: "get",
  path: "/",
  summary: "Rates with their tiers",
  answer: rowList,
} as const;
const WRITE = {
  path: "/",
  summary: "Writes the rate of one pair, whole; names in camelCase are taken, too",
  body: z.preprocess(inSnakeCase, rateSchema),
  answer: shownRow,
} as const;
const DELETE = {
  method: "delete",
  path: "/:id",
  summary: "Deletes a rate",
  answer: noBody,
  status: 204,
} as const;

/** POST and PUT write one pair, whole: rate, limits and all tiers. Sums are decimal strings. */
export function rateRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(routes, LIST, async (c) => {
    const tenantId = c.get("tenantId");
    const rates = await withTenant(deps.db, tenantId, (tx) => listRates(tx, tenantId));
    return c.json({ items: rates.map(presentRate) });
  });
  for (const method of ["post", "put"] as const)
    endpoint(routes, { ...WRITE, method }, async (c, { body }) =>
      c.json(presentRate(await writeRate(c, deps, body))),
    );
  endpoint(routes, DELETE, async (c) => {
    const rateId = c.req.param("id") ?? "";
    await change(c, deps, async (tx, { tenantId, audit }) => {
      if (!(await deleteRate(tx, tenantId, rateId))) throw notFound(`rate ${rateId}`);
      audit("rate.deleted", "A rate was deleted", { rateId });
    });
    deps.invalidateTools(c.get("tenantId"));
    return c.body(null, 204);
  });
  return routes;
}

async function writeRate(c: AdminContext, deps: AdminDeps, body: RateBody): Promise<Rate> {
  const written = await change(c, deps, async (tx, { tenantId, by, now, audit }) => {
    const quoteAsset = body.quote_asset ?? (await exchangeSettingsOf(tx, tenantId)).quoteAsset;
    const rate = {
      asset: body.asset,
      network: body.network,
      quoteAsset,
      quoteMode: body.quote_mode,
      baseRate: body.base_rate,
      marginPct: body.margin_pct,
      feeFixed: body.fee_fixed,
      minAmountFrom: body.min_amount_from,
      maxAmountFrom: body.max_amount_from,
      isActive: body.is_active,
      autoUpdate: body.auto_update,
      tiers: body.tiers.map(({ min, max, display_rate }) => ({
        min,
        max,
        displayRate: display_rate,
      })),
    };
    const rateId = await upsertRate(tx, rate, { tenantId, by, now });
    const pair = [rate.asset, rate.network, quoteAsset].filter(Boolean).join(" ");
    audit("rate.set", `${pair}: base ${rate.baseRate}, margin ${rate.marginPct} %`, { rateId });
    return (await listRates(tx, tenantId)).find((one) => one.id === rateId);
  });
  deps.invalidateTools(c.get("tenantId"));
  if (!written) throw new Error("a rate was written and is not there");
  return written;
}

/** Index of a tier that is empty or starts before the one below it ends; null when all are apart. */
function brokenTier(tiers: readonly z.infer<typeof tierSchema>[]): number | null {
  const ascending = tiers
    .map((tier, index) => ({ ...tier, index }))
    .sort((left, right) => amount(left.min).comparedTo(right.min));
  for (const [place, tier] of ascending.entries()) {
    if (tier.max !== null && amount(tier.max).lte(tier.min)) return tier.index;
    const next = ascending[place + 1];
    if (next && (tier.max === null || amount(tier.max).gt(next.min))) return next.index;
  }
  return null;
}

/** Rate cards are written by people who copy them: `baseRate` is `base_rate`. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [snakeCase(name), inSnakeCase(field)]),
  );
}

function presentRate(rate: Rate): Record<string, unknown> {
  return { ...present(rate), tiers: presentAll(rate.tiers) };
}
