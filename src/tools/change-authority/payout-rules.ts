import { z } from "zod";
import type { Json } from "../../domain/json.ts";
import type { Language } from "../../domain/language.ts";
import { canonicalDecimal } from "../../domain/money.ts";
import { writeAudit } from "../../store/audit.ts";
import {
  type ExchangeSettings,
  exchangeSettingsOf,
  type PayoutProvider,
  putExchangeSettings,
} from "../../store/exchange-settings.ts";
import { PAYOUT_METHODS } from "../exchange/payout-methods.ts";
import { decimalText } from "../results.ts";
import { type AuthorityKind, auditRow, oldToNew } from "./kind.ts";

const payoutRulesArgs = z.strictObject({
  kind: z.literal("payout_rules"),
  providers: z.partialRecord(z.enum(PAYOUT_METHODS), z.enum(["http", "manual"])).default({}),
  operatorDailyCap: decimalText.nullable().optional(),
  bulkApprovalLimit: decimalText.nullable().optional(),
});
/**
 * What is left out stays as it is; null lifts a limit. Sums are decimal text, in the quote
 * currency.
 */
export type PayoutRulesArgs = z.infer<typeof payoutRulesArgs>;

/** Over whom the money goes out, and how much of it one person may let go. */
export const payoutRules: AuthorityKind<PayoutRulesArgs> = {
  args: payoutRulesArgs,
  async plan(tx, _deps, scope, args) {
    const texts = TEXTS[scope.language];
    const before = await exchangeSettingsOf(tx, scope.tenantId);
    const after = merged(before, args);
    const rules = [
      ...PAYOUT_METHODS.filter((method) => args.providers[method] !== undefined).map((method) => ({
        name: method as string,
        label: method as string,
        of: ({ payoutProviders }: ExchangeSettings) => payoutProviders[method] ?? "manual",
        shown: (value: string | null) => texts.providers[value as PayoutProvider], // as `of` gives it
      })),
      ...LIMITS.filter((limit) => args[limit] !== undefined).map((limit) => ({
        name: limit as string,
        label: texts[limit],
        of: (settings: ExchangeSettings) => canonical(settings[limit]),
        shown: (value: string | null) => value ?? texts.none,
      })),
    ];
    return {
      subject: "",
      before: Object.fromEntries(rules.map(({ name, of }): [string, Json] => [name, of(before)])),
      after: Object.fromEntries(rules.map(({ name, of }): [string, Json] => [name, of(after)])),
      material: rules
        .filter(({ of }) => of(before) !== of(after))
        .map(({ label, of, shown }) => ({
          label,
          value: oldToNew(shown(of(before)), shown(of(after))),
        })),
    };
  },
  async apply(tx, _deps, scope, args) {
    const { tenantId, now } = scope;
    const before = await exchangeSettingsOf(tx, tenantId);
    await putExchangeSettings(tx, merged(before, args), { tenantId, now });
    const names = [...Object.keys(args.providers), ...LIMITS.filter((one) => one in args)];
    const summary = `Changed: ${names.join(", ") || "nothing"}`;
    await writeAudit(tx, [auditRow(scope, { eventType: "exchange_settings.set", summary })]);
    return {};
  },
};

const LIMITS = ["operatorDailyCap", "bulkApprovalLimit"] as const;

function merged(before: ExchangeSettings, args: PayoutRulesArgs): ExchangeSettings {
  const kept = (limit: (typeof LIMITS)[number]) =>
    args[limit] === undefined ? before[limit] : args[limit];
  return {
    ...before,
    operatorDailyCap: kept("operatorDailyCap"),
    bulkApprovalLimit: kept("bulkApprovalLimit"),
    payoutProviders: { ...before.payoutProviders, ...args.providers },
  };
}

function canonical(limit: string | null): string | null {
  return limit === null ? null : canonicalDecimal(limit);
}

const TEXTS: Record<
  Language,
  Record<(typeof LIMITS)[number] | "none", string> & { providers: Record<PayoutProvider, string> }
> = {
  en: {
    providers: { http: "the gateway", manual: "by hand" },
    operatorDailyCap: "Payouts that one person may approve a day",
    bulkApprovalLimit: "Payouts below it may be approved many at once",
    none: "no limit",
  },
  ru: {
    providers: { http: "шлюз", manual: "вручную" },
    operatorDailyCap: "Сколько один человек может одобрить на выдачу за день",
    bulkApprovalLimit: "Выдачи меньше этой суммы можно одобрять сразу несколько",
    none: "без ограничения",
  },
};
