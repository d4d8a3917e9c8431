import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AnyTool, NamedResource } from "../../src/tools/contract.ts";
import { failure } from "../../src/tools/runner.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, rule, TENANT } from "../support/office.ts";
import { addLead, type OfficeLead } from "../support/office-lead.ts";
import {
  asks,
  createScriptedModel,
  dueRun,
  inStock,
  playRun,
  type Shop,
  stockTool,
} from "../support/office-run.ts";
import { openHandoffs } from "../support/open-handoffs.ts";

const parameters = z.strictObject({ order: z.string() });

/** A read that names an order of the client. */
const lookAt = (shop: Shop): AnyTool =>
  ({
    ...stockTool(shop),
    ...{ name: "look_at", title: "Look at", parameters },
    resources: ({ order }: z.infer<typeof parameters>): NamedResource[] => [
      { path: "order", kind: "order", id: order },
    ],
  }) as unknown as AnyTool; // lists hold tools of every argument type

forEachEngine((open) => {
  const { model, steps } = createScriptedModel();
  const shop: Shop = [];
  let office: Office;
  let lead: OfficeLead;
  beforeAll(async () => {
    office = await openOffice(open, model, () => [stockTool(shop), lookAt(shop)]);
    await office.rules([...officeRules(), rule("ask_stock"), rule("look_at")]);
    await office.person();
  });
  beforeEach(async () => {
    steps.length = 0;
    shop.length = 0;
    lead = await addLead(office, { amountTo: "500" });
  });
  afterAll(() => office.close());

  const looks = (order: string) => ({ calls: [{ name: "look_at", args: { order } }] });
  const plays = async () => playRun(office, await dueRun(office, lead));
  const handoffs = () => {
    const of = { tenantId: TENANT, conversationId: lead.conversationId };
    return office.tenant((tx) => openHandoffs(tx, of));
  };
  const refuses = () => ({
    kind: "result" as const,
    result: failure("PERMISSION_DENIED", "the shop lets nobody in"),
  });

  describe("a person is called", () => {
    it("once, when a result denies access, and the model hears of it", async () => {
      shop.push(refuses, refuses);
      steps.push(asks("tea"), asks("jam"));
      await plays();
      expect(await handoffs()).toMatchObject([
        { reason: "operator_request", summary: expect.stringContaining("has no access") },
      ]);
      expect(await lead.events()).toMatchObject([
        { text: expect.stringContaining("An operator was asked to step in") },
      ]);
      expect((await lead.sent()).filter(({ purpose }) => purpose === "card")).toHaveLength(1);
    });

    it("when the model names what another client has, and the model learns nothing", async () => {
      const other = await addLead(office, { amountTo: "500" });
      steps.push(looks(other.order));
      await plays();
      expect(await handoffs()).toMatchObject([
        { summary: expect.stringContaining("belongs to another client") },
      ]);
      expect(await lead.events()).toEqual([]);
    });

    it("not when it names nobody's, nor for any other failure, nor where one was called", async () => {
      steps.push(looks("EX-99999"));
      await plays();
      shop.push(() => ({ kind: "result", result: failure("PROVIDER_ERROR", "down") }), inStock);
      steps.push(asks("tea"), asks("jam"));
      await plays();
      expect(await handoffs()).toEqual([]);
      for (let turn = 0; turn < 2; turn += 1) {
        shop.push(refuses);
        steps.push(asks("tea"));
        await plays();
      }
      expect(await handoffs()).toHaveLength(1);
    });
  });
});
