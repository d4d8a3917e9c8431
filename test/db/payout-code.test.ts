import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDesk } from "../../src/desk/desk.ts";
import { sealSecretForm } from "../../src/desk/secret-forms.ts";
import type { DeskAnswer } from "../../src/domain/desk.ts";
import { newId } from "../../src/domain/ids.ts";
import type { ClickEvent, SubmissionEvent } from "../../src/domain/inbound.ts";
import { openHandoff } from "../../src/store/handoffs.ts";
import { changeOrder, lockOrder, type Order, openOrders } from "../../src/store/orders.ts";
import { openPayoutDraft } from "../../src/store/payout-codes.ts";
import { receive } from "../../src/store/receive.ts";
import { inbox } from "../../src/store/schema/chat.ts";
import { auditLog } from "../../src/store/schema/tenancy.ts";
import { updateStaff } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, one, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";
import { payoutCodeOf } from "../support/payout-code-of.ts";

const CODE = "PX-55219-ZK";
const MINUTE = 60_000;

forEachEngine((open) => {
  let office: Office;
  let deleted: string[];
  beforeAll(async () => {
    office = await openOffice(open);
    office.desk.deleteMessage = async ({ messageId }) => deleted.push(messageId) > 0;
    deleted = [];
  });
  afterAll(() => office.close());

  let people = 0;
  async function person(role: "operator" | "admin" = "operator") {
    people += 1;
    const userId = `U-${people}`;
    const accounts = (["slack", "telegram"] as const).map((messenger) => ({
      ...{ messenger, teamId: "", userId },
    }));
    return { userId, id: await office.person(role, accounts) };
  }

  /** A payout that an operator makes by hand: the order, and the request about it. */
  async function payout(over: Parameters<typeof addLead>[1] = {}) {
    const lead = await addLead(office, { amountTo: "1200", ...over });
    const { tenant, time } = office;
    const id = await tenant(async (tx) => {
      const which = { tenantId: TENANT, now: time.now };
      const [order] = await openOrders(tx, { tenantId: TENANT, ...lead });
      if (!order) throw new Error("the lead has no order");
      await changeOrder(
        tx,
        { ...which, id: order.id },
        { status: "payout", payoutMethod: "office_cash" },
      );
      return order.id;
    });
    const handoff = await tenant((tx) =>
      openHandoff(tx, {
        ...{ tenantId: TENANT, conversationId: lead.conversationId, reason: "office_payout" },
        ...{ orderId: id, summary: "pay out", now: time.now },
      }),
    );
    const order = () =>
      one(
        tenant(
          async (tx): Promise<Order[]> => [await lockOrder(tx, TENANT, id)].flatMap((o) => o ?? []),
        ),
      );
    return { lead, handoffId: handoff.id, orderId: id, order };
  }
  type Payout = Awaited<ReturnType<typeof payout>>;

  const origin = (userId: string, messenger: "slack" | "telegram") => ({
    ...{ messenger, channelId: messenger === "slack" ? "sl" : "tg", eventKey: newId() },
    ...{ chatId: "-100", chatKind: "group" as const, threadId: null, sentAt: office.time.now },
    person: { id: userId, teamId: "", name: userId, isBot: false },
  });
  /** As an edge does: sealed, stored, handled; the answer and the row that is left. */
  async function happens(event: SubmissionEvent | ClickEvent) {
    const { db, jobs, clock, desk, tenant } = office;
    const sealed = sealSecretForm(desk.secrets, TENANT, event);
    const { inboxId } = await receive({ db, jobs, clock, coalesceMs: 0 }, TENANT, sealed);
    const stored = await tenant((tx) => tx.select().from(inbox).where(eq(inbox.id, inboxId)));
    expect(JSON.stringify(stored)).not.toContain(CODE);
    const answer = await createDesk(desk).handle({ tenantId: TENANT, inboxId });
    const row = await one(tenant((tx) => tx.select().from(inbox).where(eq(inbox.id, inboxId))));
    return { answer: answer as DeskAnswer, row, inboxId };
  }
  const types = (
    of: Payout,
    userId: string,
    values: Record<string, string>,
    messenger: "slack" | "telegram" = "slack",
  ) =>
    happens({
      ...{ ...origin(userId, messenger), kind: "submission", form: "payout_code" },
      ...{ subject: of.handoffId, values },
      ...(messenger === "telegram" ? { messageId: newId() } : {}),
    });
  const presses = (
    of: Payout,
    userId: string,
    action: string,
    messenger: "slack" | "telegram" = "slack",
  ) =>
    happens({
      ...{ ...origin(userId, messenger), kind: "click", messageId: "1" },
      ...{ action, value: of.handoffId },
    });
  const isUntouched = async (of: Payout) => {
    const { payoutCode, payoutCodeDraft } = await of.order();
    return payoutCode === null && payoutCodeDraft === null;
  };
  const codeOf = ({ orderId }: Payout) =>
    office.tenant((tx) => payoutCodeOf(tx, office.desk.secrets, { tenantId: TENANT, orderId }));

  describe("a typed code", () => {
    it.each([
      ["empty", { code: "  " }, /code is empty/],
      ["of 200 characters", { code: "9".repeat(200) }, /longer than 64/],
      ["with an end that has passed", { code: CODE, until: "2020-01-01 10:00" }, /has passed/],
      ["with an end that is no time", { code: CODE, until: "31.02.2099 10:00" }, /no time/],
    ])("%s changes nothing and is answered in clear words", async (_, values, words) => {
      const of = await payout();
      const bob = await person();
      const { answer } = await types(of, bob.userId, values);
      expect(answer.text).toMatch(words);
      expect(answer.buttons).toBeUndefined();
      expect(await isUntouched(of)).toBe(true);
    });

    it("is kept sealed; the row of the form forgets it, and so does its answer", async () => {
      const of = await payout();
      const bob = await person();
      const { answer, row } = await types(of, bob.userId, { code: CODE });
      expect(answer.privately).toContain(CODE);
      expect(answer.text).toContain("••ZK");
      expect(row).toMatchObject({ status: "done", payload: { values: {} } });
      expect(JSON.stringify(row)).not.toContain(CODE);
      const { payoutCodeDraft, payoutCodeDraftBy } = await of.order();
      expect(payoutCodeDraftBy).toBe(bob.id);
      const place = { tenantId: TENANT, orderId: of.orderId };
      const draft = openPayoutDraft(office.desk.secrets, place, payoutCodeDraft as Buffer);
      expect(draft).toMatchObject({ code: CODE, until: null });
    });

    it("reads its end on the second line of a forced reply, in two ways of writing", async () => {
      for (const end of ["2099-11-03 18:00", "03.11.2099 18:00"]) {
        const of = await payout();
        const bob = await person();
        const { answer } = await types(of, bob.userId, { code: `${CODE}\n${end}` }, "telegram");
        expect(answer.text).toContain("2099-11-03 18:00 UTC");
        expect(answer.privately).toBeUndefined();
      }
    });

    it("in a group is deleted before anything is written", async () => {
      const of = await payout();
      const bob = await person();
      deleted = [];
      await types(of, bob.userId, { code: CODE }, "telegram");
      expect(deleted).toHaveLength(1);
    });

    it("of nobody that we know, or of a suspended person, changes nothing", async () => {
      const of = await payout();
      const bob = await person();
      await office.tenant((tx) =>
        updateStaff(tx, { tenantId: TENANT, staffId: bob.id }, { status: "suspended" }),
      );
      for (const userId of ["U-stranger", bob.userId]) {
        expect((await types(of, userId, { code: CODE })).answer.text).toMatch(/no right/);
        expect((await presses(of, userId, "payout_code")).answer.text).toMatch(/no right/);
      }
      expect(await isUntouched(of)).toBe(true);
      const audit = await office.auditOf(of.lead.conversationId);
      expect(audit.map(({ eventType }) => eventType)).toContain("payout_code.refused");
    });

    it("is not typed by the client's own account", async () => {
      const own = await person();
      const of = await payout({ userId: own.userId });
      expect((await types(of, own.userId, { code: CODE })).answer.text).toMatch(/own account/);
      expect(await isUntouched(of)).toBe(true);
    });

    it("of two operators at once is the first one's", async () => {
      const of = await payout();
      const bob = await person();
      const alice = await person();
      const answers = await Promise.all([
        types(of, bob.userId, { code: CODE }),
        types(of, alice.userId, { code: "OTHER-1" }),
      ]);
      const told = answers.map(({ answer }) => answer.text).sort();
      expect(told.filter((text) => /can send it until/.test(text))).toHaveLength(1);
      expect(told.filter((text) => /Send shows/.test(text))).toHaveLength(1);
    });

    it("that waits for ten minutes gives way to another person's", async () => {
      const of = await payout();
      const bob = await person();
      const alice = await person();
      await types(of, bob.userId, { code: CODE });
      expect((await types(of, alice.userId, { code: "OTHER-1" })).answer.text).toMatch(/until/);
      office.time.now += 11 * MINUTE;
      expect((await types(of, alice.userId, { code: "OTHER-1" })).answer.buttons).toHaveLength(2);
      expect((await presses(of, bob.userId, "payout_code_send")).answer.text).toMatch(/only/);
    });
  });

  describe("sending", () => {
    it("from Slack goes out at the first press, once, and only by its typist", async () => {
      const of = await payout();
      const bob = await person();
      const alice = await person();
      expect((await presses(of, bob.userId, "payout_code_send")).answer.text).toMatch(/Type it/);
      await types(of, bob.userId, { code: CODE });
      expect((await presses(of, alice.userId, "payout_code_send")).answer.text).toMatch(/only/);
      expect(await codeOf(of)).toBeNull();
      const { answer } = await presses(of, bob.userId, "payout_code_send");
      expect(answer).toMatchObject({ replaces: true });
      expect(await codeOf(of)).toBe(CODE);
      expect((await of.order()).payoutCodeDraft).toBeNull();
      expect((await presses(of, bob.userId, "payout_code_send")).answer.text).toMatch(/already/);
      const sent = (await of.lead.sent()).filter(({ content }) => content.kind === "secret_text");
      expect(sent).toHaveLength(1);
      expect(JSON.stringify(sent)).not.toContain(CODE);
    });

    it("from a group shows the code at the first press, and its stored answer hides it", async () => {
      const of = await payout();
      const bob = await person();
      await types(of, bob.userId, { code: CODE }, "telegram");
      const first = await presses(of, bob.userId, "payout_code_send", "telegram");
      expect(first.answer.privately).toContain(CODE);
      expect(first.answer.privately?.length).toBeLessThanOrEqual(200);
      expect(JSON.stringify(first.row)).not.toContain(CODE);
      expect(await codeOf(of)).toBeNull();
      office.time.now += 2_000;
      const ref = { tenantId: TENANT, inboxId: first.inboxId };
      expect(JSON.stringify(await createDesk(office.desk).handle(ref))).not.toContain(CODE);
      await presses(of, bob.userId, "payout_code_send", "telegram");
      expect(await codeOf(of)).toBe(CODE);
    });

    it("from a group takes a double click for one press, and shows the code again", async () => {
      const of = await payout();
      const bob = await person();
      await types(of, bob.userId, { code: CODE }, "telegram");
      for (const after of [0, 100, 1_800]) {
        office.time.now += after;
        const { answer } = await presses(of, bob.userId, "payout_code_send", "telegram");
        expect(answer.privately).toMatch(/PX-55219-ZK.*Press Send once more/);
        expect(await codeOf(of)).toBeNull();
      }
      office.time.now += 100;
      await presses(of, bob.userId, "payout_code_send", "telegram");
      expect(await codeOf(of)).toBe(CODE);
    });

    it("sends no code whose time has passed between typing and sending", async () => {
      const of = await payout();
      const bob = await person();
      const until = new Date(office.time.now + 5 * MINUTE).toISOString().slice(0, 16);
      await types(of, bob.userId, { code: CODE, until });
      office.time.now += 6 * MINUTE;
      expect((await presses(of, bob.userId, "payout_code_send")).answer.text).toMatch(/passed/);
      expect(await isUntouched(of)).toBe(true);
    });

    it("leaves a trail without any part of the code", async () => {
      const of = await payout();
      const bob = await person();
      await types(of, bob.userId, { code: CODE });
      await presses(of, bob.userId, "payout_code_send");
      const audit = await office.tenant((tx) =>
        tx.select().from(auditLog).where(eq(auditLog.conversationId, of.lead.conversationId)),
      );
      expect(audit.map(({ eventType }) => eventType)).toEqual([
        "payout_code.typed",
        "payout_code.sent",
      ]);
      expect(JSON.stringify(audit)).not.toContain("ZK");
    });
  });

  describe("handing over", () => {
    it("completes the order and takes the code away, typed or sent", async () => {
      for (const isSent of [true, false]) {
        const of = await payout();
        const bob = await person();
        await types(of, bob.userId, { code: CODE });
        if (isSent) await presses(of, bob.userId, "payout_code_send");
        const { answer } = await presses(of, bob.userId, "handed_over");
        expect(answer.text).toMatch(/^Handed over/);
        expect(await of.order()).toMatchObject({ status: "completed" });
        expect(await isUntouched(of)).toBe(true);
        expect((await presses(of, bob.userId, "handed_over")).answer.text).toMatch(/Already done/);
        expect((await presses(of, bob.userId, "payout_code")).answer.text).toMatch(/completed/);
      }
    });

    it("is no matter of a plain Done, which completes no order", async () => {
      const of = await payout();
      const bob = await person();
      await presses(of, bob.userId, "close_handoff");
      expect(await of.order()).toMatchObject({ status: "payout" });
    });
  });
});
