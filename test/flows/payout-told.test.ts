import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";

/** What the lead says of the payout, and how it is told before the money is sent. */
const PLACES = {
  en: {
    wish: "500 USDT trc20 to baht, bring it by courier to hotel Sunrise, 12 Palm Road, room 5",
    yes: "yes, create the order",
    where: "where do I pay?",
    line: "Payout: cash by courier, hotel Sunrise, 12 Palm Road, room 5. If this is not right, say so before you pay.",
  },
  ru: {
    wish: "500 USDT trc20 на баты, привезите курьером в отель Sunrise, комната 12",
    yes: "Устраивает, оформляем",
    where: "Куда платить?",
    line: "Выдача: наличные с курьером, отель Sunrise, комната 12. Если что-то не так, скажите до оплаты.",
  },
} as const;

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterEach(() => desk.script([]));
  afterAll(() => desk.close());

  it.each(["en", "ru"] as const)(
    "the order and the payment details say where the payout comes, whole (%s)",
    async (language) => {
      const words = PLACES[language];
      const lead = desk.lead();
      await lead.passesKyc();
      await lead.says(words.wish);
      for (const text of [words.yes, words.where]) {
        const told = await lead.says(text);
        expect(told.split(words.line)).toHaveLength(2); // once
      }
    },
  );

  it("a bank account is told with its bank and its holder", async () => {
    const lead = desk.lead();
    await lead.passesKyc();
    await lead.says("500 USDT trc20 to baht, to my Thai bank account");
    await lead.says("yes, create the order");
    await lead.says("Kasikorn 123-4-56789-0, Anna Petrova");
    await lead.says("yes");
    expect(await lead.says("where do I pay?")).toContain(
      "Payout: transfer to a Thai bank account, Kasikornbank, 123-4-56789-0, Anna Petrova.",
    );
  });

  it("is added where the model leaves it out, and again when the wallet is told again", async () => {
    const words = PLACES.en;
    const lead = desk.lead();
    await lead.passesKyc();
    await lead.says(words.wish);
    await lead.says(words.yes);
    await desk.script([
      { tool_calls: [{ name: "fetch_exchange_requisites", arguments: {} }] },
      { content: "I have your payment details here." },
    ]);
    expect(await lead.says("zz pay")).toBe(`I have your payment details here.\n\n${words.line}`);
    const { orders } = await lead.trace();
    const wallet = orders.at(-1).requisites_json.address;
    await desk.script([{ content: `The wallet is ${wallet}` }]);
    expect(await lead.says("zz again")).toBe(`The wallet is ${wallet}\n\n${words.line}`);
    await desk.script([{ content: "You are welcome." }]);
    expect(await lead.says("thanks")).toBe("You are welcome.");
  });
});
