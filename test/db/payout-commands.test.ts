import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerCommand } from "../../src/desk/commands/answer-command.ts";
import type { Language } from "../../src/domain/language.ts";
import { endOrderStop, orderStopOf } from "../../src/store/order-stop.ts";
import { endPayoutStop, payoutStopOf } from "../../src/store/payout-stop.ts";
import { outbox } from "../../src/store/schema/chat.ts";
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
    office.tenant(async (tx) => {
      const ending = { tenantId: TENANT, by: admin, reason: "anew", now: office.time.now };
      await endPayoutStop(tx, ending);
      await endOrderStop(tx, ending);
    }),
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
  const ordersStand = () => office.tenant((tx) => orderStopOf(tx, TENANT));
  /** What the operators' chat is told meanwhile. */
  const announced = async (meanwhile: () => Promise<unknown>): Promise<string[]> => {
    const notices = () =>
      office.tenant((tx) =>
        tx
          .select({ content: outbox.content })
          .from(outbox)
          .where(and(eq(outbox.chatId, "-100"), eq(outbox.purpose, "notice")))
          .orderBy(outbox.seq),
      );
    const before = (await notices()).length;
    await meanwhile();
    return (await notices())
      .slice(before)
      .map(({ content }) => (content.kind === "text" ? content.text : content.kind));
  };

  describe("/stop payouts", () => {
    it("stops them at once, by any operator, and says how many were held", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const said = await types(operator, "stop", "payouts Alice's phone was stolen");
      expect(said).toMatch(/^Payouts are stopped since .*: Alice's phone was stolen\./);
      expect(said).toMatch(/held: 1$/);
      expect(await stands()).not.toBeNull();
    });

    it("wants no reason in a hurry, and says then who gave none", async () => {
      const said = await types(operator, "stop", "payouts");
      expect(said).toMatch(/^Payouts are stopped since .*: operator \S+ gave no reason\./);
      expect(await stands()).not.toBeNull();
    });

    it("stops nothing by a word that it does not know", async () => {
      expect(await types(operator, "stop", "everything now")).toMatch(/^Use /);
      expect(await types(operator, "stop", "")).toMatch(/^Use /);
      expect(await stands()).toBeNull();
    });

    it("is told in every chat of the operators, with who and why", async () => {
      const told = await announced(() => types(operator, "stop", "payouts a phone was stolen"));
      expect(told).toEqual([
        expect.stringMatching(/^⛔ operator \S+ stopped payouts: a phone was/),
      ]);
      const ru = await announced(() => types(operator, "stop", "all проверка", "ru"));
      expect(ru).toEqual([expect.stringMatching(/^⛔ Остановлено: выплаты и новые заявки\./)]);
    });
  });

  describe("/stop orders", () => {
    it("stops new orders alone, until an admin resumes them with a reason", async () => {
      expect(await types(operator, "stop", "orders no cash left")).toMatch(
        /^New orders are stopped since .*: no cash left\.\nNo new order is made now/,
      );
      expect([await stands(), await ordersStand()]).toEqual([null, expect.anything()]);
      expect(await types(operator, "resume", "orders cash came")).toMatch(/admin/);
      expect(await types(admin, "resume", "orders")).toMatch(/^Use \/resume/);
      const told = await announced(async () =>
        expect(await types(admin, "resume", "orders cash came")).toBe(
          "New orders are taken again.",
        ),
      );
      expect(told).toEqual([expect.stringMatching(/^▶ admin \S+ resumed new orders: cash came$/)]);
      expect(await ordersStand()).toBeNull();
      expect(await types(admin, "resume", "orders again")).toBe("New orders are not stopped.");
    });
  });

  describe("/stop all", () => {
    it("is ended for both after the list of payouts alone", async () => {
      await types(operator, "stop", "all the office is closed");
      expect([await stands(), await ordersStand()]).not.toContain(null);
      const list = await types(admin, "resume", "all it is open");
      expect(list).toMatch(/Then send: \/resume all confirm it is open$/);
      expect([await stands(), await ordersStand()]).not.toContain(null);
      const done = await types(admin, "resume", "all confirm it is open");
      expect(done).toMatch(/^Payouts go on.*\nNew orders are taken again\.$/);
      expect([await stands(), await ordersStand()]).toEqual([null, null]);
      expect(await types(admin, "resume", "all again")).toBe("Nothing is stopped.");
    });

    it("stands on top of what is pending", async () => {
      await types(operator, "stop", "all a test");
      const lines = (await types(operator, "pending", "")).split("\n");
      expect(lines[0]).toMatch(/^Payouts are stopped since .*: a test\.$/);
      expect(lines[1]).toMatch(/^New orders are stopped since .*: a test\.$/);
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
