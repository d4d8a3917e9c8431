import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../store/exchange-settings.ts";
import { normalizeAsset } from "../../tools/exchange/assets.ts";
import { PAYOUT_METHODS } from "../../tools/exchange/payout-methods.ts";
import { change } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { present } from "../present.ts";
import { decimalSchema, readBody } from "../request-input.ts";

const MIN_S = 60;
const MAX_S = 86_400;
const seconds = z.int().min(MIN_S).max(MAX_S);

const settingsSchema = z.strictObject({
  quote_asset: z
    .string()
    .transform(normalizeAsset)
    .pipe(z.string().regex(/^[A-Z0-9]{2,12}$/, "2 to 12 letters or digits"))
    .optional(),
  rate_refresh_sec: seconds.optional(),
  feed_stale_sec: seconds.optional(),
  risk_amount_threshold: decimalSchema.nullable().optional(),
  risk_first_deal_review: z.boolean().optional(),
  risk_daily_limit: decimalSchema.nullable().optional(),
  payout_providers: z.partialRecord(z.enum(PAYOUT_METHODS), z.enum(["http", "manual"])).optional(),
});

/** Fields that a PUT leaves out keep their value. */
export function exchangeSettingsRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  routes.get("/", async (c) => {
    const tenantId = c.get("tenantId");
    const settings = await withTenant(deps.db, tenantId, (tx) => exchangeSettingsOf(tx, tenantId));
    return c.json(present(settings));
  });
  routes.put("/", async (c) => {
    const body = await readBody(c, settingsSchema);
    const settings = await change(c, deps, async (tx, { tenantId, now, audit }) => {
      const next = merged(await exchangeSettingsOf(tx, tenantId), body);
      await putExchangeSettings(tx, next, { tenantId, now });
      audit("exchange_settings.set", `Changed: ${Object.keys(body).join(", ") || "nothing"}`);
      return next;
    });
    return c.json(present(settings));
  });
  return routes;
}

function merged(
  before: Awaited<ReturnType<typeof exchangeSettingsOf>>,
  given: z.infer<typeof settingsSchema>,
) {
  const kept = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  return {
    quoteAsset: kept(given.quote_asset, before.quoteAsset),
    rateRefreshSec: kept(given.rate_refresh_sec, before.rateRefreshSec),
    feedStaleSec: kept(given.feed_stale_sec, before.feedStaleSec),
    riskAmountThreshold: kept(given.risk_amount_threshold, before.riskAmountThreshold),
    riskFirstDealReview: kept(given.risk_first_deal_review, before.riskFirstDealReview),
    riskDailyLimit: kept(given.risk_daily_limit, before.riskDailyLimit),
    payoutProviders: { ...before.payoutProviders, ...given.payout_providers },
  };
}
