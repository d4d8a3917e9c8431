import { guardReply } from "../../src/engine/guard/guard.ts";
import { type GuardFacts, guardFactsSchema } from "../../src/engine/guard/guard-facts.ts";

export const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";

type Result = GuardFacts["tool_results"][number];

export function result(tool: string, data: Record<string, unknown>, status = "completed"): Result {
  return { tool, status, data };
}

export const quote = result("compute_exchange_quote", {
  ok: true,
  asset: "USDT",
  network: "trc20",
  amountMode: "source_amount",
  amountFrom: "2000",
  amountTo: "62600",
  quoteAsset: "THB",
  rate: "31.3",
  feeFixed: "0",
  internal: { base_rate: "32.00", margin: "2.1875" },
});

export const created = result("create_exchange_order", {
  ok: true,
  orderId: "EX-20418",
  status: "awaiting_payment",
  asset: "USDT",
  network: "trc20",
  amountFrom: "2000",
  amountTo: "62600",
  quoteAsset: "THB",
  ttlMin: 15,
});

export const wallet = result("fetch_exchange_requisites", {
  ok: true,
  orderId: "EX-20418",
  kind: "crypto",
  asset: "USDT",
  network: "trc20",
  address: WALLET,
  ttlMin: 15,
});

export const card = result("fetch_exchange_requisites", {
  ok: true,
  kind: "fiat",
  method: "card_transfer",
  cardNumber: "4000123456789010",
  bank: "Test Bank",
  recipient: "Anna K.",
  ttlMin: 20,
});

export const payLink = result("fetch_exchange_requisites", {
  ok: true,
  kind: "fiat",
  method: "sbp_qr",
  paymentUrl: "https://pay.example.test/sbp/demo",
  ttlMin: 20,
});

export const business = result("get_exchange_business_info", {
  ok: true,
  workingHours: "10:00-22:00 ICT",
  officeAddress: "Demo Office, Beach Road 1",
  operatorContact: "@demo_operator",
  payoutMethods: "office cash, courier, cardless ATM, Thai bank transfer",
});

export function order(status: string, more: Record<string, unknown> = {}) {
  return {
    id: "EX-20418",
    status,
    asset: "USDT",
    network: "trc20",
    amountFrom: "2000",
    amountTo: "62600",
    quoteAsset: "THB",
    rate: "31.3",
    ...more,
  };
}

export function passage(text: string, id = "E1") {
  return { id, text };
}

export type FactsOf = Partial<GuardFacts>;

export function check(reply: string, facts: FactsOf = {}) {
  const lang = /[а-я]/iu.test(reply) ? "ru" : "en";
  return guardReply({ reply, lang, facts: guardFactsSchema.parse(facts) });
}
