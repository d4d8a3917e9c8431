/** Stand in orders, in payout rules and in what the gateway is sent. */
export const PAYOUT_METHODS = [
  "office_cash",
  "courier_cash",
  "cardless_atm",
  "thai_bank_transfer",
  "atm",
] as const;
/** Own names; what people or a model call it goes through `normalizePayoutMethod`. */
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

/** What an order has to know before it may be paid out this way. */
export interface PayoutMethodRules {
  /** office: one of the tenant's offices; delivery: where the courier goes. */
  location: "office" | "delivery" | "none";
  /** Bank and account of the lead. */
  needsDestination: boolean;
  /** The lead takes the money with a code. */
  usesCode: boolean;
  /** What the order becomes once the gateway says completed: cash still changes hands after it. */
  afterGateway: "payout" | "completed";
}

const RULES: Readonly<Record<PayoutMethod, PayoutMethodRules>> = {
  office_cash: cash({ location: "office", usesCode: true }),
  courier_cash: cash({ location: "delivery", usesCode: false }),
  cardless_atm: cash({ location: "none", usesCode: true }),
  atm: cash({ location: "none", usesCode: true }),
  thai_bank_transfer: {
    location: "none",
    needsDestination: true,
    usesCode: false,
    afterGateway: "completed",
  },
};

const OTHER_NAMES: Readonly<Record<string, PayoutMethod>> = {
  office: "office_cash",
  cash_office: "office_cash",
  cash: "office_cash",
  courier: "courier_cash",
  cash_courier: "courier_cash",
  delivery: "courier_cash",
  cardless: "cardless_atm",
  atm_cardless: "cardless_atm",
  atm_code: "cardless_atm",
  bank: "thai_bank_transfer",
  bank_transfer: "thai_bank_transfer",
  thai_bank: "thai_bank_transfer",
};

/** There is one for every method: a new one does not compile without. */
export function payoutMethodRules(method: PayoutMethod): PayoutMethodRules {
  return RULES[method];
}

/** "Office cash", "office-cash" and "office" are office_cash; null for what the desk does not do. */
export function normalizePayoutMethod(text: string): PayoutMethod | null {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
  if (isPayoutMethod(name)) return name;
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? null) : null;
}

function isPayoutMethod(name: string): name is PayoutMethod {
  return (PAYOUT_METHODS as readonly string[]).includes(name);
}

function cash(rules: Pick<PayoutMethodRules, "location" | "usesCode">): PayoutMethodRules {
  return { ...rules, needsDestination: false, afterGateway: "payout" };
}
