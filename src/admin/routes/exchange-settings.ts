import { Hono } from "hono";
import { z } from "zod";
import { withTenant } from "../../store/db.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../store/exchange-settings.ts";
import type { PayoutRulesArgs } from "../../tools/change-authority/payout-rules.ts";
import { normalizeAsset } from "../../tools/exchange/assets.ts";
import { PAYOUT_METHODS } from "../../tools/exchange/payout-methods.ts";
import { askedAnswer, shownFields } from "../answers.ts";
import { askedBody, change, changeAuthority } from "../change.ts";
import type { AdminDeps, AdminEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { present } from "../present.ts";
import { decimalSchema } from "../request-input.ts";

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
  operator_daily_cap: decimalSchema.nullable().optional(),
  bulk_approval_limit: decimalSchema.nullable().optional(),
  payout_providers: z.partialRecord(z.enum(PAYOUT_METHODS), z.enum(["http", "manual"])).optional(),
});

/**
 * Fields that a PUT leaves out keep their value. Providers, cap and bulk limit are decided on once
 * the tenant is open: 202 with the number of the approval, and the other fields as they are now.
 */
export function exchangeSettingsRoutes(deps: AdminDeps) {
  const routes = new Hono<AdminEnv>();
  endpoint(
    routes,
    { method: "get", path: "/", summary: "Settings of the exchange desk", answer: shownFields },
    async (c) => {
      const tenantId = c.get("tenantId");
      const settings = await withTenant(deps.db, tenantId, (tx) =>
        exchangeSettingsOf(tx, tenantId),
      );
      return c.json(present(settings));
    },
  );
  endpoint(
    routes,
    {
      method: "put",
      path: "/",
      summary: "Changes the fields that are given",
      body: settingsSchema,
      answer: shownFields,
      otherwise: { 202: askedAnswer },
    },
    async (c, { body }) => {
      const tenantId = c.get("tenantId");
      const { payout_providers, operator_daily_cap, bulk_approval_limit, ...plain } = body;
      const rules = { payout_providers, operator_daily_cap, bulk_approval_limit };
      const names = Object.keys(plain).join(", ");
      if (names !== "" || !hasAny(rules))
        await change(c, deps, async (tx, { now, audit }) => {
          const next = merged(await exchangeSettingsOf(tx, tenantId), plain);
          await putExchangeSettings(tx, next, { tenantId, now });
          audit("exchange_settings.set", `Changed: ${names || "nothing"}`);
        });
      const requested = hasAny(rules)
        ? await changeAuthority(c, deps, () => changeOf(rules))
        : null;
      const settings = await withTenant(deps.db, tenantId, (tx) =>
        exchangeSettingsOf(tx, tenantId),
      );
      if (requested?.kind !== "asked") return c.json(present(settings));
      return c.json({ ...askedBody(requested), settings: present(settings) }, 202);
    },
  );
  return routes;
}

type Body = z.infer<typeof settingsSchema>;
type Rules = {
  [Name in "payout_providers" | "operator_daily_cap" | "bulk_approval_limit"]: Body[Name];
};

function hasAny(rules: Rules): boolean {
  return Object.values(rules).some((value) => value !== undefined);
}

function changeOf(rules: Rules): PayoutRulesArgs {
  const { payout_providers: providers = {}, operator_daily_cap: cap } = rules;
  const limit = rules.bulk_approval_limit;
  return {
    ...{ kind: "payout_rules", providers },
    ...(cap === undefined ? {} : { operatorDailyCap: cap }),
    ...(limit === undefined ? {} : { bulkApprovalLimit: limit }),
  };
}

function merged(
  before: Awaited<ReturnType<typeof exchangeSettingsOf>>,
  given: Omit<Body, keyof Rules>,
) {
  const kept = <T>(value: T | undefined, old: T): T => (value === undefined ? old : value);
  return {
    ...before,
    quoteAsset: kept(given.quote_asset, before.quoteAsset),
    rateRefreshSec: kept(given.rate_refresh_sec, before.rateRefreshSec),
    feedStaleSec: kept(given.feed_stale_sec, before.feedStaleSec),
    riskAmountThreshold: kept(given.risk_amount_threshold, before.riskAmountThreshold),
    riskFirstDealReview: kept(given.risk_first_deal_review, before.riskFirstDealReview),
    riskDailyLimit: kept(given.risk_daily_limit, before.riskDailyLimit),
  };
}
