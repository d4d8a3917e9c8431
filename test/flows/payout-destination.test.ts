import { afterAll, beforeAll, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

/** What the lead writes, in both languages. */
const WORDS = {
  en: {
    order: ["I have 2000 USDT TRC20, I want to pick the baht up at your office", "Yes, go on"],
    pays: "Sent: ",
    courier: "Please bring it by courier to hotel Hilton instead of the office",
    place: "hotel Hilton",
    when: "When can I pick it up?",
  },
  ru: {
    order: [
      "Есть 2000 USDT в сети TRC20, хочу забрать баты в вашем офисе",
      "Устраивает, оформляем",
    ],
    pays: "Отправил: ",
    courier: "Привезите курьером в отель Hilton вместо офиса",
    place: "отель Hilton",
    when: "Когда подойти?",
  },
} as const;
type Words = (typeof WORDS)["en" | "ru"];

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  async function paid(lead: Lead, words: Words): Promise<void> {
    await lead.passesKyc();
    for (const text of words.order) await lead.says(text);
    await lead.says(words.pays + (await lead.transfers("2000")));
    expect(await order(lead)).toMatchObject({ status: "paid", payout_method: "office_cash" });
  }

  const order = async (lead: Lead): Promise<Played> => (await lead.trace()).orders.at(-1);
  const asked = async (lead: Lead): Promise<string[]> =>
    (await lead.trace()).approvals.map(({ tool_name, status }: Played) => `${tool_name} ${status}`);
  const presses = async (label: string, lead: Lead) =>
    desk.operator("U0BOB").presses(label, await lead.card());

  it.each(["en", "ru"] as const)(
    "pays out by courier once people have said yes to it (%s)",
    async (language) => {
      const lead = desk.lead();
      const words = WORDS[language];
      await paid(lead, words);
      const told = await lead.says(words.courier);
      expect(told).toMatch(language === "en" ? /person has to approve/ : /одобрить человек/);
      const card = await lead.card();
      expect(card.text).toContain("Payout destination: change it?");
      expect(card.text).toMatch(/Destination now: .*cash at the office, Demo Office, Beach Road 1/);
      expect(card.text).toMatch(new RegExp(`New destination: .*${words.place}`));
      expect(card.text).toMatch(/EX-\d+/);
      expect(card.text).toMatch(/Pay out: .*THB/);
      expect(card.text).toContain(words.courier);
      expect(await lead.says(words.when)).toMatch(/A-\d+/);
      expect(await asked(lead)).not.toContain("issue_exchange_payout pending");

      await presses("Approve", lead);
      const now = await lead.hears();
      expect(now).toMatch(
        language === "en" ? /by courier, hotel Hilton/ : /с курьером, отель Hilton/,
      );
      expect(await order(lead)).toMatchObject({
        ...{ status: "paid", payout_method: "courier_cash", payout_location: words.place },
      });
      const payout = await lead.card();
      expect(payout.text).toContain("Payout: approve?");
      expect(payout.text).toContain("cash by courier");
      expect(payout.text).toMatch(/Where: .*Hilton/);
      expect(await desk.payoutsOf(lead)).toEqual([]);

      await presses("Approve", lead);
      expect(await lead.hears()).toMatch(language === "en" ? /approved your payout/ : /одобрил/);
      const payouts = await desk.payoutsOf(lead);
      expect(payouts).toHaveLength(1);
      expect(payouts[0]).toMatchObject({ method: "courier_cash", location: words.place });
    },
  );

  it.each(["en", "ru"] as const)(
    "pays out at the old place after a no, when the lead asks again (%s)",
    async (language) => {
      const lead = desk.lead();
      const words = WORDS[language];
      await paid(lead, words);
      await lead.says(words.courier);
      await desk.operator("U0BOB").rejects(await lead.card(), "all couriers are busy");
      const told = await lead.hears();
      expect(told).toMatch(
        language === "en" ? /declined.*all couriers are busy/ : /отказ.*couriers are busy/,
      );
      expect(told).toMatch(language === "en" ? /stays as it was/ : /Остаётся как было/);
      expect(await order(lead)).toMatchObject({ status: "paid", payout_method: "office_cash" });

      await lead.says(words.when);
      const payout = await lead.card();
      expect(payout.text).toContain("cash at the office");
      await presses("Approve", lead);
      await lead.hears();
      expect(await desk.payoutsOf(lead)).toEqual([
        expect.objectContaining({ method: "office_cash", location: "Demo Office, Beach Road 1" }),
      ]);
    },
  );

  it("puts the payout that waits to people anew, and the old card decides nothing", async () => {
    const lead = desk.lead();
    await paid(lead, WORDS.ru);
    await lead.says(WORDS.ru.when);
    const old = await lead.card();
    await lead.says(WORDS.ru.courier);
    await presses("Approve", lead);
    expect(await asked(lead)).toEqual([
      "set_kyc_status approved",
      "issue_exchange_payout superseded",
      "change_payout_destination approved",
      "issue_exchange_payout pending",
    ]);
    expect((await lead.card()).text).toMatch(/Hilton/);
    expect(old.text).not.toMatch(/Hilton/);
    await presses("Approve", lead);
    expect(await desk.payoutsOf(lead)).toEqual([
      expect.objectContaining({ method: "courier_cash", location: "отель Hilton" }),
    ]);
  });

  it("leaves a payout alone that was approved meanwhile, and calls a person", async () => {
    const lead = desk.lead();
    await paid(lead, WORDS.en);
    await lead.says(WORDS.en.when);
    const payout = await lead.card();
    await lead.says(WORDS.en.courier);
    await desk.operator("U0ALICE").presses("Approve", payout);
    const paidOut = await lead.hears();
    expect(paidOut).toMatch(/approved.*Demo Office, Beach Road 1/s);
    expect(paidOut).not.toContain("Could you tell me");
    await presses("Approve", lead);
    expect(await lead.hears()).not.toMatch(/courier/);
    expect(await order(lead)).toMatchObject({ status: "payout", payout_method: "office_cash" });
    expect(await desk.payoutsOf(lead)).toHaveLength(1);

    const told = await lead.says("Then bring it to hotel Marriott by courier");
    expect(told).toMatch(/can no longer change.*contact you directly/);
    const reasons = (await lead.trace()).handoffs.map(({ reason }: Played) => reason);
    expect(reasons).toContain("payout_review");
  });
});
