import { describe, expect, it } from "vitest";
import { STAGES } from "../../src/domain/deal.ts";
import { paymentInstructions } from "../../src/tools/exchange/payment-instructions.ts";
import { findRequisites } from "../../src/tools/exchange/requisites.ts";
import { assessOrderRisk, type OrderRiskFacts } from "../../src/tools/exchange/risk.ts";
import {
  isExchangeSecretName,
  isWriteOnlySecret,
  officeAddresses,
} from "../../src/tools/exchange/secret-names.ts";
import {
  type ExchangeTool,
  stageAllows,
  stageForTool,
  stageRefusal,
} from "../../src/tools/exchange/stage-tools.ts";
import { nextStage, readStage, type StageEvent } from "../../src/tools/exchange/stages.ts";

describe("the stage and tool map", () => {
  // q quote, v verification, c create, x cancel, f fetch, p payment check, d destination,
  // o payout, i info
  const LETTERS: Record<string, ExchangeTool> = {
    q: "compute_exchange_quote",
    v: "check_exchange_verification",
    c: "create_exchange_order",
    x: "cancel_exchange_order",
    f: "fetch_exchange_requisites",
    p: "verify_exchange_payment",
    d: "change_payout_destination",
    o: "issue_exchange_payout",
    i: "get_exchange_business_info",
  };
  it.each([
    ["exchange_request", "qxi"],
    ["quote_calculated", "qvcxi"],
    ["verification_check", "vcxi"],
    ["kyc_collection", "qvxi"],
    ["risk_review", "vcxi"],
    ["order_created", "qvcxfdi"],
    ["requisites_sent", "qxfpdi"],
    ["payment_proof_waiting", "xpdi"],
    ["payment_verified", "xdoi"],
    ["payout_or_completion", "xdi"],
    ["cancelled", "xi"],
    ["no_such_stage", ""],
  ])("%s allows %j", (stage, letters) => {
    const allowed = Object.entries(LETTERS).filter(([, tool]) => stageAllows(tool, stage));
    expect(allowed.map(([letter]) => letter).join("")).toBe(letters);
  });

  it("covers eleven stages", () => {
    expect(STAGES).toHaveLength(11);
  });

  it("refuses by name and says what is allowed instead", () => {
    expect(stageRefusal("fetch_exchange_requisites", "exchange_request")).toMatchObject({
      ok: false,
      needsOperator: true,
      reason: "action_not_allowed_for_stage",
      toolName: "fetch_exchange_requisites",
      stageSlug: "exchange_request",
      allowedTools: [
        "compute_exchange_quote",
        "cancel_exchange_order",
        "get_exchange_business_info",
      ],
    });
    expect(stageRefusal("get_exchange_business_info", "?")?.allowedTools).toEqual([]);
    expect(stageRefusal("compute_exchange_quote", "exchange_request")).toBeNull();
  });
});

describe("moves between stages", () => {
  it.each<[string, StageEvent, string]>([
    ["exchange_request", "quoted", "quote_calculated"],
    ["kyc_collection", "quoted", "kyc_collection"],
    ["order_created", "quoted", "order_created"],
    ["quote_calculated", "kyc_needed", "kyc_collection"],
    ["kyc_collection", "kyc_approved", "risk_review"],
    ["quote_calculated", "kyc_approved", "quote_calculated"],
    ["risk_review", "order_created", "order_created"],
    ["order_created", "requisites_sent", "requisites_sent"],
    ["payment_proof_waiting", "requisites_sent", "payment_proof_waiting"],
    ["requisites_sent", "proof_waiting", "payment_proof_waiting"],
    ["payment_proof_waiting", "payment_verified", "payment_verified"],
    ["payment_verified", "payout_approved", "payout_or_completion"],
    ["payout_or_completion", "payout_refused", "payment_verified"],
    ["requisites_sent", "payout_refused", "requisites_sent"],
    ["requisites_sent", "requoted", "quote_calculated"],
    ["payment_verified", "requoted", "payment_verified"],
    ["payment_verified", "cancelled", "cancelled"],
    ["payout_or_completion", "cancelled", "payout_or_completion"],
    ["cancelled", "payment_verified", "cancelled"],
  ])("%s on %s goes to %s", (current, event, expected) => {
    const stage = STAGES.find((name) => name === current);
    expect(stage && nextStage(stage, event)).toBe(expected);
  });

  it.each([
    ["payout_or_completion", "completed", "exchange_request"],
    ["requisites_sent", "expired", "exchange_request"],
    ["cancelled", "cancelled", "exchange_request"],
    ["cancelled", null, "exchange_request"],
    ["requisites_sent", "awaiting_payment", "requisites_sent"],
    ["quote_calculated", "cancelled", "quote_calculated"],
    ["no_such_stage", "completed", "no_such_stage"],
  ] as const)("%s with a last order %s is read as %s", (stage, lastOrder, expected) => {
    expect(readStage(stage, lastOrder)).toBe(expected);
  });

  it("lets a proof and a revival reach an expired order (T16), and nothing else", () => {
    const of = (tool: ExchangeTool) => stageForTool(tool, "requisites_sent", "expired");
    expect(of("verify_exchange_payment")).toBe("requisites_sent");
    expect(of("fetch_exchange_requisites")).toBe("requisites_sent");
    expect(of("compute_exchange_quote")).toBe("exchange_request");
  });
});

describe("requisites", () => {
  const secrets = new Map([
    ["exchange_wallet_usdt_trc20", "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA"],
    ["exchange_wallet_ton_ton", "UQ-wallet"],
    ["exchange_wallet_ton_ton_memo", "4711"],
    ["exchange_wallet_btc", "bc1-wallet"],
    ["exchange_binance_id", "700000001"],
    ["exchange_fiat_payment_url", "https://pay.example.test/sbp/demo"],
    ["exchange_rub_card_requisites", " DEMO CARD 0000\nDemo Bank "],
    ["exchange_bybit_uid", "  "],
  ]);

  it.each([
    [
      "the wallet of asset and network",
      { asset: "USDT", network: "TRC-20" },
      { kind: "crypto", address: "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA", network: "trc20" },
    ],
    [
      "a wallet with its memo",
      { asset: "TON" },
      { kind: "crypto", address: "UQ-wallet", memo: "4711", network: "ton" },
    ],
    [
      "a wallet of a coin without networks",
      { asset: "BTC" },
      { kind: "crypto", address: "bc1-wallet", network: "" },
    ],
    [
      "no wallet of another network",
      { asset: "USDT", network: "erc20" },
      { kind: "missing", secretName: "exchange_wallet_usdt_erc20" },
    ],
    [
      "the id on an exchange",
      { asset: "USDT", paymentRail: "Binance" },
      { kind: "crypto_uid", exchangeId: "700000001", rail: "binance" },
    ],
    [
      "no wallet instead of a blank id",
      { asset: "USDT", paymentRail: "bybit" },
      { kind: "missing", secretName: "exchange_bybit_uid" },
    ],
    [
      "the card as it was typed",
      { asset: "RUB", paymentMethod: "card_transfer" },
      { kind: "fiat", detailsText: " DEMO CARD 0000\nDemo Bank " },
    ],
    [
      "no ruble card for euros",
      { asset: "EUR", paymentMethod: "card_transfer" },
      { kind: "missing", secretName: "exchange_rub_card_requisites" },
    ],
    [
      "the payment link",
      { asset: "RUB", paymentMethod: "sbp_qr" },
      { kind: "fiat", paymentUrl: "https://pay.example.test/sbp/demo" },
    ],
  ])("give %s", (_, query, expected) => {
    expect(findRequisites(secrets, query)).toEqual(expected);
  });

  it("join the parts of a card when there is no whole text", () => {
    const parts = new Map([
      ["exchange_rub_card_bank", "Demo Bank"],
      ["exchange_rub_card_number", "2200 0000"],
    ]);
    expect(findRequisites(parts, { asset: "RUB", paymentMethod: "card_transfer" })).toEqual({
      kind: "fiat",
      detailsText: "2200 0000\nDemo Bank",
    });
  });

  it.each([
    ["exchange_wallet_usdt_trc20", true],
    ["exchange_wallet_xrp_xrp_tag", true],
    ["exchange_westwallet_secret_key", true],
    ["exchange_kyc_policy", true],
    ["exchange_wallet_", false],
    ["exchange_wallet_usdt_trc20; drop", false],
    ["EXCHANGE_KYC_POLICY", false],
    ["telegram_token", false],
  ])("secret name %j is ours: %s", (name, expected) => {
    expect(isExchangeSecretName(name)).toBe(expected);
  });

  it("keep provider keys from being shown back", () => {
    expect(isWriteOnlySecret("exchange_westwallet_api_key")).toBe(true);
    expect(isWriteOnlySecret("exchange_kyc_policy")).toBe(false);
  });

  it.each([
    ["One\nTwo", ["One", "Two"]],
    ["One\nfloor 2\n\nTwo\r\n \r\n", ["One\nfloor 2", "Two"]],
    ["  ", []],
  ])("read offices out of %j", (text, expected) => {
    expect(officeAddresses(text)).toEqual(expected);
  });

  it("come with network, exact sum, time limit and the AML rule in both languages", () => {
    const facts = {
      asset: "USDT",
      network: "trc20",
      amountFrom: "320.512821",
      ttlMin: 15,
      memo: "4711",
      amlPolicy: "House rule",
    };
    for (const language of ["ru", "en"] as const) {
      const text = paymentInstructions(facts, language);
      for (const part of ["TRC20", "320.512821 USDT", "15", "AML", "4711", "House rule"]) {
        expect(text).toContain(part);
      }
    }
    const fiat = paymentInstructions(
      { asset: "RUB", network: "", amountFrom: "24800", ttlMin: 20 },
      "ru",
    );
    expect(fiat).not.toContain("Сеть");
    expect(fiat).toContain("20 мин");
  });
});

describe("the risk of an order", () => {
  const facts = (over: Partial<OrderRiskFacts> = {}): OrderRiskFacts => ({
    hasOtherOpenOrder: false,
    payout: "62600",
    completedOrders: 0,
    daySum: "0",
    sender: "none",
    ...over,
  });
  const off = { amountThreshold: null, firstDealReview: false, dailyLimit: null };

  it("is allowed by default, with the sender told as not screened", () => {
    expect(assessOrderRisk(facts(), off)).toEqual({
      decision: "allow",
      flags: [],
      senderScreened: false,
    });
  });

  it.each(["0", "-1", "NaN", "Infinity", ""])("blocks a payout of %j", (payout) => {
    expect(assessOrderRisk(facts({ payout }), off)).toEqual({
      decision: "block",
      reason: "payout_not_positive",
    });
  });

  it("blocks a second open order", () => {
    expect(assessOrderRisk(facts({ hasOtherOpenOrder: true }), off)).toEqual({
      decision: "block",
      reason: "open_order",
    });
  });

  it.each([
    [
      "a sum over the threshold",
      {},
      { ...off, amountThreshold: "62599.99" },
      ["amount_over_threshold"],
    ],
    ["no sum at the threshold", {}, { ...off, amountThreshold: "62600" }, []],
    ["a first deal", {}, { ...off, firstDealReview: true }, ["first_deal"]],
    ["no second deal", { completedOrders: 1 }, { ...off, firstDealReview: true }, []],
    [
      "a day over its limit",
      { daySum: "37400.01" },
      { ...off, dailyLimit: "100000" },
      ["daily_limit"],
    ],
    ["no day at its limit", { daySum: "37400" }, { ...off, dailyLimit: "100000" }, []],
    ["a flagged sender", { sender: "flagged" as const }, off, ["sender_flagged"]],
  ])("flags %s", (_, over, settings, flags) => {
    const risk = assessOrderRisk(facts(over), settings);
    expect(risk).toMatchObject({ decision: flags.length > 0 ? "manual" : "allow", flags });
  });
});
