import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerCommand } from "../../src/desk/commands/answer-command.ts";
import type { Language } from "../../src/domain/language.ts";
import { endPayoutStop, payoutStopOf } from "../../src/store/payout-stop.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  let admin: string;
  beforeAll(async () => {
    office = await openOffice(open);
    operator = await office.person();
    admin = await office.person("admin");
  });
  afterAll(() => office.close());
  beforeEach(() =>
    office.tenant((tx) =>
      endPayoutStop(tx, { tenantId: TENANT, by: admin, reason: "anew", now: office.time.now }),
    ),
  );

  const types = (staffId: string, name: string, args: string, language: Language = "en") =>
    office.tenant(async (tx) => {
      const staff = await staffById(tx, TENANT, staffId);
      const desk = { ...office.desk, dress: { ...office.desk.dress, staffLanguage: language } };
      const answer = await answerCommand(tx, desk, {
        ...{ tenantId: TENANT, staff, chat: null },
        command: {
          ...{ kind: "command", name, args, messenger: "slack", channelId: "sl", chatId: "C1" },
          ...{ chatKind: "group", threadId: null, eventKey: "e", sentAt: office.time.now },
          person: { id: "U1", teamId: "T1", name: "x", isBot: false },
        },
      });
      return answer.kind === "answer" ? answer.text : answer.kind;
    });
  const stands = () => office.tenant((tx) => payoutStopOf(tx, TENANT));

  describe("/stop payouts", () => {
    it("stops them at once, by any operator, and says how many were held", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const said = await types(operator, "stop", "payouts Alice's phone was stolen");
      expect(said).toMatch(/^Payouts are stopped since .*: Alice's phone was stolen\./);
      expect(said).toMatch(/held: 1$/);
      expect(await stands()).not.toBeNull();
    });

    it("wants a reason", async () => {
      expect(await types(operator, "stop", "payouts")).toBe("Use /stop payouts REASON.");
      expect(await types(operator, "stop", "everything now")).toMatch(/^Use /);
      expect(await stands()).toBeNull();
    });
  });

  describe("/resume payouts", () => {
    it("is for admins", async () => {
      await types(operator, "stop", "payouts a test");
      expect(await types(operator, "resume", "payouts confirm all is well")).toMatch(/admin/);
      expect(await stands()).not.toBeNull();
    });

    it("lists what to look through, and says what to send then", async () => {
      const lead = await addLead(office, { amountTo: "5" });
      await types(operator, "stop", "payouts a test");
      const said = await types(admin, "resume", "payouts the books agree");
      expect(said).toContain(`– ${lead.order} · paid by the client · Lead ${lead.order.slice(3)}`);
      expect(said).toMatch(/Then send: \/resume payouts confirm the books agree$/);
      expect(await stands()).not.toBeNull();
    });

    it("shows twenty at most, and how many more there are", async () => {
      for (let count = 0; count < 21; count += 1) await addLead(office, { amountTo: "7" });
      await types(operator, "stop", "payouts a test");
      const said = await types(admin, "resume", "payouts the books agree");
      expect(said.split("\n").filter((line) => line.startsWith("– "))).toHaveLength(20);
      expect(said).toMatch(/and \d+ more: GET \/api\/admin\/exchange\/orders/);
    });

    it("with the word confirm lets them go on", async () => {
      await types(operator, "stop", "payouts a test");
      await types(admin, "resume", "payouts the books agree");
      expect(await types(admin, "resume", "payouts confirm")).toMatch(/^Use \/resume payouts/);
      expect(await types(admin, "resume", "payouts Confirm the books agree")).toMatch(
        /^Payouts go on\./,
      );
      expect(await stands()).toBeNull();
      expect(await types(admin, "resume", "payouts again")).toBe("Payouts are not stopped.");
    });

    it.each<[string, () => Promise<unknown>]>([
      ["who was not shown the list", async () => {}],
      [
        "who was shown it more than ten minutes ago",
        async () => {
          await types(admin, "resume", "payouts the books agree");
          office.time.now += 10 * 60_000 + 1;
        },
      ],
      [
        "who was shown it before the last stop",
        async () => {
          await types(admin, "resume", "payouts the books agree");
          await types(operator, "stop", "payouts another phone is gone");
        },
      ],
      [
        "when somebody else was shown it",
        async () => {
          await types(await office.person("admin"), "resume", "payouts the books agree");
        },
      ],
    ])("shows the list instead to an admin %s", async (_who, before) => {
      await types(operator, "stop", "payouts a test");
      await before();
      const said = await types(admin, "resume", "payouts confirm the books agree");
      expect(said).toMatch(/^You were not shown this list .*\nPayouts are stopped since/);
      expect(said).toMatch(/Then send: \/resume payouts confirm the books agree$/);
      expect(await stands()).not.toBeNull();
      const again = await types(admin, "resume", "payouts confirm the books agree");
      expect(again).toMatch(/^Payouts go on/);
    });

    it("speaks the staff's language", async () => {
      await types(operator, "stop", "payouts проверка", "ru");
      const said = await types(admin, "resume", "payouts сверено", "ru");
      expect(said).toMatch(/^Выплаты остановлены с .*: проверка\./);
      expect(said).toMatch(/клиент оплатил/);
      expect(said).toMatch(/Затем отправьте: \/resume payouts confirm сверено$/);
    });
  });
});
