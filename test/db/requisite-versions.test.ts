import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forEachEngine } from "../support/database.ts";
import { type Desk, orderOf, prepared, startDesk, startLead, writtenBy } from "./tools-support.ts";

const LINK = "exchange_fiat_payment_url";

forEachEngine((open) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk(open);
  });
  afterAll(() => desk.close());

  /** What the card says of the payment of somebody who was told to pay by the link. */
  async function cardFacts(between: () => Promise<unknown> = async () => {}) {
    const lead = await startLead(desk);
    const terms = { asset: "RUB", amount: "10000", amountMode: "target_amount" };
    await orderOf(lead, { ...terms, paymentMethod: "sbp_qr", payoutMethod: "courier_cash" });
    await between();
    await lead.says("paid", [{ kind: "photo" }]);
    const { proposes } = await writtenBy(desk, await lead.works({}, "verify_exchange_payment"));
    const [follow] = proposes ?? [];
    if (!follow) throw new Error("nothing was proposed");
    const { material } = prepared(await lead.prepares(follow.tool, follow.args));
    const valuesOf = (label: string) =>
      material.filter((fact) => fact.label === label).map(({ value }) => value);
    return { details: valuesOf("Details of"), notes: valuesOf("Note") };
  }

  describe("the card of a payment", () => {
    it("says which version of the requisites the client was given", async () => {
      const { details, notes } = await cardFacts();
      expect(details).toEqual([
        expect.stringMatching(/^exchange_fiat_payment_url, version 1 of 20/),
      ]);
      expect(notes.join()).not.toContain("changed since");
    });

    it("keeps that version, and warns, when others are given by then", async () => {
      const { details, notes } = await cardFacts(() =>
        desk.setSecret(LINK, "https://pay.example.test/sbp/other"),
      );
      expect(details).toEqual([expect.stringMatching(/, version 1 of 20/)]);
      expect(notes).toContainEqual(expect.stringMatching(/payment details were changed since/));
    });

    it("of a later client names the new version", async () => {
      const { details, notes } = await cardFacts();
      expect(details).toEqual([expect.stringMatching(/, version 2 of 20/)]);
      expect(notes.join()).not.toContain("changed since");
    });
  });
});
