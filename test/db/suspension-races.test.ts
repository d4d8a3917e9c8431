import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { suspendStaff } from "../../src/desk/suspend-staff.ts";
import { openOn } from "../support/database.ts";
import { onServer } from "../support/engines.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { asksPayment, paymentRules, paymentTool } from "../support/office-payment.ts";

const ROUNDS = 15;

onServer((engine) => {
  let office: Office;
  let boss: string;
  beforeAll(async () => {
    const open = () => openOn(engine, { poolSize: 20 });
    office = await openOffice(open, undefined, () => [paymentTool() as never]); // as lists do
    await office.rules(paymentRules({ approvals_required: 3 }));
    boss = await office.person("admin");
    await office.person("admin");
  });
  afterAll(() => office.close());

  const suspend = (staffId: string) =>
    office.tenant((tx) =>
      suspendStaff(tx, office.desk, {
        ...{ tenantId: TENANT, staffId, by: boss, reason: "", language: "en" },
      }),
    );

  describe("a suspension goes through while others decide on the same requests", () => {
    const deeds: [string, (id: string, by: { other: string; gone: string }) => Promise<unknown>][] =
      [
        [
          "edits by another",
          async (id, { other }) =>
            (await office.decides(id, other, { edit: { amount: "900" } })).code,
        ],
        [
          "rejects by another",
          async (id, { other }) => (await office.decides(id, other, { decision: "reject" })).code,
        ],
        [
          "rejects by the same person",
          async (id, { gone }) => (await office.decides(id, gone, { decision: "reject" })).code,
        ],
      ];
    it.each(deeds)("%s", async (_name, deed) => {
      const ends = new Set<unknown>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const [gone, other] = [await office.person(), await office.person()];
        const ids: string[] = [];
        for (let request = 0; request < 3; request += 1) {
          const { id } = await asksPayment(await addLead(office));
          await office.decides(id, gone);
          ids.push(id);
        }
        // in the other order, as clicks may come
        const done = ids.toReversed().map((id) => deed(id, { other, gone }));
        const [isNew, ...codes] = await Promise.all([suspend(gone), ...done]);
        expect(isNew).toBe(true);
        for (const code of codes) ends.add(code);
      }
      expect([...ends].filter((code) => !ALLOWED.includes(String(code)))).toEqual([]);
    });

    it("and two who suspend each other are both done with", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [one, two] = [await office.person(), await office.person()];
        const { id } = await asksPayment(await addLead(office));
        await office.decides(id, one);
        await office.decides(id, two);
        expect(await Promise.all([suspend(one), suspend(two)])).toEqual([true, true]);
      }
    });
  });
});

/** What the person in question may still be told. */
const ALLOWED = ["counted", "rejected", "forbidden"];
