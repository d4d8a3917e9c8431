import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/domain/json.ts";
import { contactCard, setContactField } from "../../src/store/contact-card.ts";
import { contacts } from "../../src/store/schema/chat.ts";
import { setToolActive } from "../../src/store/tool-registry.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { addClient, type Client, type CrmOffice, openCrmOffice } from "../support/crm-office.ts";
import { forEachEngine } from "../support/database.ts";
import { rule, TENANT } from "../support/office.ts";

const WORDS = { subject: "Your terms", body: "Hello Anna,\n\nthese are the terms." };
let people = 0;
const TASK = { title: "Call Anna", description: "Call her back tomorrow", priority: "normal" };

forEachEngine((open) => {
  let office: CrmOffice;
  let client: Client;
  /** The client's own address; letters to it are this test's. */
  let own: string;
  let letter: { to: string; subject: string; body: string };
  beforeAll(async () => {
    office = await openCrmOffice(open);
    await office.person();
  });
  beforeEach(async () => {
    people += 1;
    own = `anna${people}@example.com`;
    letter = { to: own, ...WORDS };
    client = await addClient(office, { address: own, isVerified: true });
  });
  afterAll(() => office.close());

  const cardOf = (who: Client) =>
    office.tenant((tx) => contactCard(tx, { tenantId: TENANT, contactId: who.contactId }));
  const write = (name: string, value: string) =>
    office.tenant((tx) =>
      setContactField(tx, {
        ...{ tenantId: TENANT, contactId: client.contactId, name, value },
        ...{ by: "setup", now: office.time.now },
      }),
    );

  describe("read_customer_profile", () => {
    it("tells the client's own card, with mail and phone masked", async () => {
      await write("phone", "+7 999 123-45-67");
      await write("city", "Phuket");
      await client.ask("create_task_draft", TASK);
      const { data, status } = await client.ask("read_customer_profile", {});
      expect(status).toBe("executed");
      expect(data).toMatchObject({
        ...{ email: "a***@example.com", emailConfirmed: true, phone: "***4567", language: "en" },
        attributes: { city: "Phuket" },
        openTasks: [{ task: expect.stringMatching(/^T-\d+$/), title: "Call Anna" }],
      });
      expect(JSON.stringify(data)).not.toMatch(/anna@|123-45-67/);
    });

    it("knows nothing of anybody else, and says so of an empty card", async () => {
      const stranger = await addClient(office);
      const { data } = await stranger.ask("read_customer_profile", {});
      expect(data).toMatchObject({ emailConfirmed: false, attributes: {}, openOrders: [] });
      expect(data).not.toHaveProperty("email");
      const named = await stranger.ask("read_customer_profile", { contact_id: client.contactId });
      expect(named.status).toBe("schema_failed");
    });
  });

  describe("create_task_draft", () => {
    it("writes one draft however often the same is asked for, also after a restart", async () => {
      const first = await client.ask("create_task_draft", TASK);
      const again = await client.ask("create_task_draft", TASK);
      const restarted = { ...office.engine, bootId: "boot-2" };
      const [later] = await client.asks([{ name: "create_task_draft", args: TASK }], restarted);
      expect(await client.tasks()).toMatchObject([{ ...TASK, status: "draft", dueDate: null }]);
      for (const one of [again, later]) expect(one?.reply).toEqual(first.reply);
      expect(first.data?.task).toMatch(/^T-\d+$/);
    });

    it("belongs to the call that asked for it", async () => {
      const { id } = await client.ask("create_task_draft", TASK);
      expect(await client.tasks()).toMatchObject([
        { candidateId: id, contactId: client.contactId },
      ]);
    });

    it("is another one with other words, in another conversation, or after a day", async () => {
      await client.ask("create_task_draft", TASK);
      await client.ask("create_task_draft", { ...TASK, priority: "high" });
      expect(await client.tasks()).toHaveLength(2);
      const other = await addClient(office);
      await other.ask("create_task_draft", TASK);
      expect(await other.tasks()).toHaveLength(1);
      office.time.now += 24 * 3_600_000;
      await client.ask("create_task_draft", TASK);
      expect(await client.tasks()).toHaveLength(3);
    });

    it("keeps its day, and refuses one that is over", async () => {
      const today = new Date(office.time.now).toISOString().slice(0, 10);
      await client.ask("create_task_draft", { ...TASK, due_date: today });
      expect(await client.tasks()).toMatchObject([{ dueDate: today }]);
      const { status, reply } = await client.ask("create_task_draft", {
        ...TASK,
        due_date: "2020-01-01",
      });
      expect(status).toBe("failed");
      expect(reply?.error).toMatchObject({ code: "INVALID_ARGUMENTS" });
      expect(reply?.error?.message).toContain(today);
    });
  });

  describe("send_email", () => {
    it("waits for a person with all that will be sent, and is in no queue until then", async () => {
      const { status, reply } = await client.ask("send_email", letter);
      expect([status, reply?.status]).toEqual(["waiting_approval", "waiting_approval"]);
      const { materialJson, riskLevel } = await client.approval();
      expect(riskLevel).toBe("send_message");
      expect(materialJson.map(({ value }) => value)).toEqual([
        expect.stringMatching(/^Lead/),
        ...[office.from, own, letter.subject, letter.body],
      ]);
      expect(await office.executionsOf(client.conversationId)).toEqual([]);
      expect(office.mailsTo(own)).toEqual([]);
    });

    it("goes out once when it is approved, under an id made of the approval", async () => {
      await client.ask("send_email", letter);
      await client.approves();
      const { id } = await client.approval();
      expect(await client.works()).toMatchObject({ status: "completed", attempts: 1 });
      await client.works();
      expect(office.mailsTo(own)).toMatchObject([
        { to: own, subject: letter.subject, text: letter.body },
      ]);
      expect(office.mailsTo(own)[0]?.message_id).toBe(`<${id}@sandbox.example>`);
      const again = await client.ask("send_email", letter);
      expect(again).toMatchObject({ status: "blocked_by_policy", code: "DUPLICATE_KEY" });
      const execution = await client.newestExecution();
      const requests = await client.requestsOf(execution.id);
      expect(requests).toMatchObject([{ provider: "mail", method: "DATA", responseStatus: 250 }]);
      expect(JSON.stringify(requests)).not.toMatch(/anna|terms/i);
    });

    it("takes the address as the client's card masks it", async () => {
      await client.ask("send_email", { ...letter, to: "a***@example.com" });
      const { proposedActionJson } = await client.approval();
      expect(proposedActionJson).toMatchObject({ to: own });
      const wrong = await client.ask("send_email", { ...letter, to: "b***@example.com" });
      expect(wrong.reply?.error?.code).toBe("PERMISSION_DENIED");
    });

    it("is refused for an address that no person has confirmed, by the policy's own row", async () => {
      await client.setEmail(own, false);
      const refused = await client.ask("send_email", letter);
      expect(refused).toMatchObject({ status: "blocked_by_policy" });
      expect(refused.reply).toMatchObject({ status: "denied", error: { code: "POLICY_DENIED" } });
      const [gate] = await client.gatesOf(refused.id);
      expect(gate).toMatchObject({
        policyResult: "deny",
        matchedPolicyId: "default-send_email-to-unverified",
      });
    });

    it("is refused for an address that is not the client's, and tells no difference between a stranger's and nobody's", async () => {
      const bob = await addClient(office, { address: "bob@example.com", isVerified: true });
      const told = [
        await client.ask("send_email", { ...letter, to: "bob@example.com" }),
        await client.ask("send_email", { ...letter, to: "eve@evil.test" }),
      ];
      expect(told.map(({ status }) => status)).toEqual(["blocked_by_policy", "schema_failed"]);
      expect(told[0]?.reply?.error).toEqual(told[1]?.reply?.error);
      for (const { conversationId } of [client, bob])
        expect(await office.executionsOf(conversationId)).toEqual([]);
    });

    it("has no field that would send it at once", async () => {
      const { status, reply } = await client.ask("send_email", { ...letter, send_now: true });
      expect(status).toBe("schema_failed");
      expect(reply?.error?.message).toContain("send_now");
    });

    it("goes out with the words that the approver wrote, in one line for the subject, never to somebody else", async () => {
      await client.ask("send_email", letter);
      const { id } = await client.approval();
      const approver = await office.person();
      const edits: JsonObject[] = [{ to: "eve@evil.test" }, { subject: "Hi\nBcc: eve@evil.test" }];
      for (const edit of edits)
        expect(await office.decides(id, approver, { edit })).toMatchObject({
          code: "edit_refused",
        });
      await office.decides(id, approver, { edit: { subject: "Our terms", body: "Shorter." } });
      expect(await client.works()).toMatchObject({ status: "completed" });
      expect(office.mailsTo(own)).toMatchObject([{ subject: "Our terms", text: "Shorter." }]);
    });

    it("is stopped when the address is changed or doubted after the approval", async () => {
      await client.ask("send_email", letter);
      await client.approves();
      await client.setEmail("new@example.com", true);
      expect(await client.works()).toMatchObject({ status: "cancelled" });
      const other = await addClient(office, { address: "o@example.com", isVerified: true });
      await other.ask("send_email", { ...letter, to: "o@example.com" });
      await other.approves();
      await other.setEmail("o@example.com", false);
      expect(await other.works()).toMatchObject({ status: "cancelled" });
      expect(office.mailsTo(own)).toEqual([]);
    });
  });

  describe("a mail server in trouble", () => {
    beforeEach(async () => {
      await client.ask("send_email", letter);
      await client.approves();
    });
    const due = () => {
      office.time.now += 130_000;
    };

    it("that is down gets the letter later, once", async () => {
      office.smtp.fault({ service: "smtp", kind: "down", count: 1 });
      expect(await client.works()).toMatchObject({ status: "retry_scheduled" });
      due();
      expect(await client.works()).toMatchObject({ status: "completed", attempts: 2 });
      expect(office.mailsTo(own)).toHaveLength(1);
    });

    it("that puts the letter off gets it again after some minutes", async () => {
      const { runAfter } = await client.newestExecution();
      office.smtp.fault({ service: "smtp", kind: "status", status: 451, count: 1 });
      const waiting = await client.works();
      expect(waiting.status).toBe("retry_scheduled");
      expect(waiting.runAfter - runAfter).toBeGreaterThanOrEqual(120_000);
      due();
      expect(await client.works()).toMatchObject({ status: "completed" });
      expect(office.mailsTo(own)).toHaveLength(1);
    });

    it("that refuses the letter ends it: people are told why, nothing is sent again", async () => {
      office.smtp.fault({ service: "smtp", kind: "status", status: 550, count: 1 });
      expect(await client.works()).toMatchObject({ status: "failed", attempts: 1 });
      const cards = (await client.sent()).filter(({ purpose }) => purpose === "card");
      expect(JSON.stringify(cards.at(-1)?.content)).toContain("550 5.7.1 Message refused");
      expect(office.mailsTo(own)).toEqual([]);
    });

    it("that hangs up after the letter leaves an unknown outcome, which people settle", async () => {
      office.smtp.fault({ service: "smtp", kind: "drop_response_after_effect", count: 1 });
      expect(await client.works()).toMatchObject({ status: "unknown" });
      for (let asked = 0; asked < 4; asked += 1) {
        office.time.now += 30_000;
        await client.works();
      }
      expect(await client.newestExecution()).toMatchObject({
        status: "waiting_approval",
        attempts: 1,
      });
      const cards = (await client.sent()).filter(({ purpose }) => purpose === "card");
      expect(JSON.stringify(cards.at(-1)?.content)).toContain("Did this happen?");
      expect(office.mailsTo(own)).toHaveLength(1);
      const equal = await client.ask("send_email", letter);
      expect(equal).toMatchObject({ status: "blocked_by_policy", code: "outcome_unknown" });
    });
  });

  describe("update_crm_field", () => {
    it("shows old and new, and writes only what was approved", async () => {
      await write("city", "Pattaya");
      await client.ask("update_crm_field", { field: "city", value: "Phuket" });
      const { materialJson } = await client.approval();
      expect(materialJson.map(({ value }) => value)).toEqual([
        ...[expect.stringMatching(/^Lead/), "City", "Pattaya", "Phuket"],
      ]);
      expect((await cardOf(client))?.fields).toContainEqual(
        expect.objectContaining({ name: "city", value: "Pattaya" }),
      );
      const approver = await client.approves();
      expect(await client.works()).toMatchObject({ status: "completed" });
      expect((await cardOf(client))?.fields).toContainEqual(
        expect.objectContaining({ name: "city", value: "Phuket", updatedBy: approver }),
      );
    });

    it("makes an approved mail address one that letters may go to", async () => {
      const stranger = await addClient(office);
      const email = { field: "email", value: "lena@example.com" };
      await stranger.ask("update_crm_field", email);
      expect(await cardOf(stranger)).toMatchObject({ email: null });
      const approver = await stranger.approves();
      await stranger.works();
      expect(await cardOf(stranger)).toMatchObject({
        email: "lena@example.com",
        emailVerifiedAt: office.time.now,
        fields: [{ name: "email", updatedBy: approver }],
      });
      const asked = await stranger.ask("send_email", { ...letter, to: "lena@example.com" });
      expect(asked.status).toBe("waiting_approval");
    });

    it("is stopped when the value was changed meanwhile", async () => {
      await client.ask("update_crm_field", { field: "city", value: "Phuket" });
      await client.approves();
      await write("city", "Bangkok");
      expect(await client.works()).toMatchObject({ status: "cancelled" });
      expect((await cardOf(client))?.fields).toContainEqual(
        expect.objectContaining({ name: "city", value: "Bangkok" }),
      );
    });

    it("may be asked again after it was done, and a newer wish takes the place of a waiting one", async () => {
      await client.ask("update_crm_field", { field: "city", value: "Phuket" });
      const first = await client.approval();
      await client.ask("update_crm_field", { field: "city", value: "Krabi" });
      expect(await office.approval(first.id)).toMatchObject({ status: "superseded" });
      await client.approves();
      await client.works();
      for (const value of ["Samui", "Krabi"]) {
        office.time.now += 1_000;
        await client.ask("update_crm_field", { field: "city", value });
        await client.approves();
        expect(await client.works()).toMatchObject({ status: "completed" });
      }
      expect((await cardOf(client))?.fields).toContainEqual(
        expect.objectContaining({ name: "city", value: "Krabi" }),
      );
    });

    it.each([
      ["email", "not an address"],
      ["phone", "call me"],
      ["preferred_currency", "baht"],
      ["city", "Phuket\nVIP: yes"],
    ])("refuses %s = %j before anybody is asked", async (field, value) => {
      const { status, reply } = await client.ask("update_crm_field", { field, value });
      expect(status).toBe("schema_failed");
      expect(reply?.error?.message).toMatch(/value/);
    });
  });

  describe("delete_customer", () => {
    it("may be proposed and is always refused, whatever the policy says", async () => {
      const all = defaultPolicies().filter(({ tool_name }) => tool_name !== "delete_customer");
      const known = new Set(office.registry.all().map(({ tool }) => tool.name));
      await office.rules([
        ...all.filter(({ tool_name }) => known.has(tool_name)),
        rule("delete_customer", { requires_approval: true }),
      ]);
      const refused = await client.ask("delete_customer", { reason: "the client asked" });
      await office.rules(defaultPolicies().filter(({ tool_name }) => known.has(tool_name)));
      expect(refused).toMatchObject({ status: "blocked_by_policy", code: "risk_class" });
      expect(refused.reply?.error?.code).toBe("POLICY_DENIED");
      const trail = await office.auditOf(client.conversationId);
      const lines = trail.filter(({ candidateId }) => candidateId === refused.id);
      expect(lines.map(({ eventType }) => eventType)).toEqual([
        ...["candidate.proposed", "arguments.checked", "gate.decided", "result.returned"],
      ]);
      const where = eq(contacts.id, client.contactId);
      expect(await office.tenant((tx) => tx.select().from(contacts).where(where))).toHaveLength(1);
      expect(office.registry.find("delete_customer")?.tool.offered).toBe(false);
    });
  });

  describe("a tool that is switched off", () => {
    const turn = (isActive: boolean) =>
      office.tenant((tx) =>
        setToolActive(tx, {
          ...{ tenantId: TENANT, toolName: "send_email", isActive, now: office.time.now },
        }),
      );
    afterEach(() => turn(true));

    it("stops the letter that was approved and not sent yet", async () => {
      await client.ask("send_email", letter);
      await client.approves();
      await turn(false);
      expect(await client.works()).toMatchObject({ status: "cancelled" });
      expect(office.mailsTo(own)).toEqual([]);
    });
  });
});
