import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOOKING_SECRET } from "../../src/domain/booking-url.ts";
import { buildPrompt } from "../../src/engine/prompt.ts";
import { createToolResolver } from "../../src/engine/tool-resolver.ts";
import { addPolicyRows } from "../../src/store/policies.ts";
import { loadTranscript } from "../../src/store/transcript.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { isExchangeSecretName } from "../../src/tools/exchange/secret-names.ts";
import { createRegistry, type Registry } from "../../src/tools/registry.ts";
import { resultReply } from "../../src/tools/replies.ts";
import { VARIABLES } from "../../src/variables.ts";
import { forEachEngine } from "../support/database.ts";
import { type Desk, type Lead, orderOf, startDesk, startLead } from "./tools-support.ts";

const NAMES = [
  ...["exchange_wallet_usdt_trc20", "exchange_wallet_btc", "exchange_wallet_ton_memo"],
  ...["exchange_fiat_payment_url", "exchange_binance_id", "exchange_rub_card_requisites"],
  ...["exchange_rub_card_number", "exchange_rub_card_phone", "exchange_operator_contact"],
  ...["exchange_kyc_policy", "exchange_aml_policy", "exchange_office_address"],
  ...["exchange_westwallet_api_key", "exchange_westwallet_secret_key"],
];
/** Of the right form where the product looks at it, and nowhere else in the world. */
const WALLET = "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj";
const canaryOf = (name: string, index: number) =>
  name === "exchange_wallet_usdt_trc20" ? WALLET : `canary${index}value${index}secret`;
const CANARIES: readonly (readonly [string, string])[] = NAMES.map((name, index) => [
  name,
  canaryOf(name, index),
]);

/** What belongs to the house: where it is, how it is asked, what it is run with. */
const HOUSE: [string, RegExp][] = [
  ["an address", /https?:\/\/|wss?:\/\/|postgres:|smtp:/i],
  ["a path", /\/(?:api|sandbox|admin|v1|app|srv|home|tmp|var)\b/i],
  ["a token", /\bsk-|xox[bap]-|xapp-|bearer |\d{8,}:[\w-]{30,}|[0-9a-f]{32,}/i],
];

forEachEngine((open) => {
  let desk: Desk;
  let lead: Lead;
  let registry: Registry;
  beforeAll(async () => {
    desk = await startDesk(open);
    for (const [name, value] of CANARIES) await desk.setSecret(name, value);
    await desk.setSecret(BOOKING_SECRET, "https://cal.example/canary-booking");
    registry = createRegistry(desk.tools);
    await desk.tenant(async (tx) => {
      await registry.sync(tx, "desk", desk.clock.now);
      await addPolicyRows(tx, "desk", defaultPolicies());
    });
    lead = await startLead(desk);
    await lead.says("How much is 500 USDT?");
  });
  afterAll(() => desk.close());

  /** All that a model is sent: rules, words, results, tools. */
  async function wholeRequests(evidence: Parameters<typeof buildPrompt>[0]["evidence"] = []) {
    const { conversationId } = lead;
    const tools = await createToolResolver({ db: desk.db, registry }).resolveTools({
      ...{ tenantId: "desk", conversationId },
    });
    expect(tools.length).toBeGreaterThan(10);
    const transcript = await desk.tenant((tx) =>
      loadTranscript(tx, { tenantId: "desk", conversationId, limit: 60 }),
    );
    return (["en", "ru"] as const).flatMap((language) =>
      [true, false].map((continuation) => {
        const input = { transcript, evidence, language, businessName: "The Desk", continuation };
        return JSON.stringify({ messages: buildPrompt(input), tools });
      }),
    );
  }
  const leaks = (text: string) => CANARIES.filter(([, value]) => text.includes(value));

  describe("B68 what a model is sent", () => {
    it("holds schemas, and no secret of the tenant nor a secret's name", async () => {
      for (const name of NAMES) expect([name, isExchangeSecretName(name)]).toEqual([name, true]);
      for (const request of await wholeRequests()) {
        expect(request).toContain('"additionalProperties":false');
        expect(leaks(request)).toEqual([]);
        for (const name of [...NAMES, BOOKING_SECRET]) expect(request).not.toContain(name);
        expect(request).not.toContain("canary");
      }
    });

    it("names no variable, address, path or key of the house", async () => {
      const variables = Object.keys(VARIABLES).filter((name) => name.includes("_"));
      expect(variables.length).toBeGreaterThan(30);
      for (const request of await wholeRequests()) {
        for (const name of variables) expect(request).not.toContain(name);
        for (const [what, shape] of HOUSE)
          expect([what, shape.exec(request)?.[0]]).toEqual([what, undefined]);
      }
    });

    it("names no row of ours", async () => {
      const { conversationId, contactId } = lead;
      for (const request of await wholeRequests())
        for (const id of [conversationId, contactId, `m-${desk.clock.now}`, '"desk"'])
          expect(request).not.toContain(id);
    });
  });

  it("B59 a wallet is shown by the call that gives it out, and only that one", async () => {
    const order = await orderOf(lead, { asset: "USDT", amount: "500", network: "TRC20" });
    const given = await lead.does("fetch_exchange_requisites");
    expect(order.status).toBe("awaiting_payment");
    expect(leaks(JSON.stringify(resultReply(given))).map(([name]) => name)).toEqual([
      ...["exchange_wallet_usdt_trc20", "exchange_aml_policy"], // the rule stands in the instructions
    ]);
    const info = await lead.does("get_exchange_business_info");
    expect(leaks(JSON.stringify(resultReply(info))).map(([name]) => name)).toEqual([
      ...["exchange_operator_contact", "exchange_kyc_policy", "exchange_aml_policy"],
      ...["exchange_office_address"],
    ]);
    const check = await lead.does("check_exchange_verification");
    expect(leaks(JSON.stringify(resultReply(check)))).toEqual([]);
  });
});
