import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerUnknown } from "../../src/desk/answer-unknown.ts";
import { suspendStaff } from "../../src/desk/suspend-staff.ts";
import { exchangeSettingsOf, putExchangeSettings } from "../../src/store/exchange-settings.ts";
import { type StaffMember, staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

forEachEngine((open) => {
  let office: Office;
  let admins: [string, string];
  let operator: string;
  beforeAll(async () => {
    office = await openOffice(open);
    admins = [await office.person("admin"), await office.person("admin")];
    operator = await office.person();
  });
  afterAll(() => office.close());
  beforeEach(() => office.rules(officeRules()));

  const personOf = (id: string) => office.tenant((tx) => staffById(tx, TENANT, id));
  /** A payout that these approved, and of which the provider says nothing. */
  const unknownPayout = async (...by: string[]) => {
    const lead = await addLead(office, { amountTo: "1300" });
    const { id } = await lead.asksPayout();
    for (const person of by) await office.decides(id, person);
    office.cashier.next = ["unknown"];
    office.cashier.lookUps = ["unreachable", "unreachable", "unreachable", "unreachable"];
    await lead.works();
    for (const waitMs of [0, 1000, 4000, 25_000]) {
      office.time.now += waitMs;
      await lead.works();
    }
    expect((await lead.execution()).status).toBe("waiting_approval");
    const answers = (staff: StaffMember | null, happened: boolean) =>
      office.tenant((tx) =>
        answerUnknown(tx, office.desk, {
          ...{ tenantId: TENANT, approvalId: id, staff, happened, via: "slack" },
        }),
      );
    const says = async (staffId: string, happened: boolean) =>
      answers(await personOf(staffId), happened);
    return { lead, answers, says, status: async () => (await lead.execution()).status };
  };

  describe("whether a payout happened is said", () => {
    it.each([true, false])(
      "by an admin, where an admin had to approve it: %s",
      async (happened) => {
        await office.rules(officeRules({ approver_role: "admin" }));
        const { says, status } = await unknownPayout(admins[0]);
        expect(await says(operator, happened)).toContain("Only an admin");
        expect(await status()).toBe("waiting_approval");
        await says(admins[1], happened);
        expect(await status()).toBe(happened ? "completed" : "failed");
      },
    );

    it("by an admin, where an admin would have to approve it by now", async () => {
      const { says, status } = await unknownPayout(operator);
      await office.rules(officeRules({ approver_role: "admin" }));
      expect(await says(operator, false)).toContain("Only an admin");
      expect(await status()).toBe("waiting_approval");
      await says(admins[0], false);
      expect(await status()).toBe("failed");
    });

    it("by nobody who was suspended while the click was under way", async () => {
      const gone = await office.person();
      const { answers, status } = await unknownPayout(operator);
      const before = await personOf(gone);
      await office.tenant((tx) =>
        suspendStaff(tx, office.desk, {
          ...{ tenantId: TENANT, staffId: gone, by: admins[0], reason: "", language: "en" },
        }),
      );
      expect(await answers(before, false)).toContain("no right to decide");
      expect(await status()).toBe("waiting_approval");
    });
  });

  describe("with a cap on the payouts of a day", () => {
    const cap = (operatorDailyCap: string | null) =>
      office.tenant(async (tx) => {
        const { isForged: _isForged, ...now } = await exchangeSettingsOf(tx, TENANT);
        const set = { ...now, operatorDailyCap, quoteAsset: "THB" };
        await putExchangeSettings(tx, set, { tenantId: TENANT, now: office.time.now });
      });
    afterAll(() => cap(null));

    it("a No above it is left to others, a Yes is not", async () => {
      const { says, status } = await unknownPayout(operator);
      await cap("10");
      expect(await says(operator, false)).toContain("capped at 10");
      expect(await status()).toBe("waiting_approval");
      await says(operator, true);
      expect(await status()).toBe("completed");
    });

    it("what one has approved oneself is not counted twice", async () => {
      const approver = await office.person();
      await cap("50"); // the payout is of 40
      const { says, status } = await unknownPayout(approver);
      await says(approver, false);
      expect(await status()).toBe("failed");
    });
  });
});
