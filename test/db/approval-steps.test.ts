import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { handleApproval } from "../../src/desk/approval-steps.ts";
import { heedObjection } from "../../src/desk/freeze.ts";
import { withOwner } from "../../src/store/db.ts";
import { findDueWork, findOpenWork } from "../../src/store/due-work.ts";
import { outbox } from "../../src/store/schema/chat.ts";
import { upsertChannel } from "../../src/store/tenants.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, openOffice, TENANT } from "../support/office.ts";
import { addLead, call } from "../support/office-lead.ts";
import { asksLetter, letterRules, letterTool } from "../support/office-letter.ts";

const MINUTE = 60_000;

forEachEngine((open) => {
  let office: Office;
  let operator: string;
  beforeAll(async () => {
    office = await openOffice(open, undefined, () => [letterTool()]);
    await office.rules(letterRules());
    operator = await office.person();
    await withOwner(office.db, (tx) =>
      upsertChannel(tx, {
        ...{ id: "tg", tenantId: TENANT, messenger: "telegram", botUserId: null },
        now: office.time.now,
      }),
    );
    await office.person("admin", [{ messenger: "telegram", teamId: "", userId: "3001" }]);
  });
  afterAll(() => office.close());
  // what an earlier test left waiting is past all its steps
  beforeEach(async () => {
    for (const { id } of await dueApprovals()) await takes(id);
    await office.tenant((tx) => tx.delete(outbox).where(eq(outbox.purpose, "notice")));
  });

  const takes = (id: string) => handleApproval(office.desk, { tenantId: TENANT, id });
  const dueApprovals = async () => {
    const at = { now: office.time.now, realNow: office.time.real };
    return (await findDueWork(office.db, at)).filter(({ kind }) => kind === "approval");
  };
  /** As the sweep does: every approval that is due has a job. */
  const sweeps = async () => {
    for (const { id } of await dueApprovals()) await takes(id);
  };
  const passes = async (ms: number) => {
    office.time.now += ms;
    await sweeps();
  };
  const lines = async (chatId = "-100") => {
    const rows = await office.tenant((tx) =>
      tx.select().from(outbox).where(eq(outbox.purpose, "notice")).orderBy(outbox.seq),
    );
    return rows.flatMap(({ content, chatId: to }) =>
      to === chatId && content.kind === "text" ? [content.text] : [],
    );
  };
  const name = ({ number }: { number: number }) => `A-${number}`;

  describe("a request that expires", () => {
    it("is reminded of at 50 and 80 %, escalated at 90 % and ends at its time", async () => {
      const { approval } = await asksLetter(office);
      await passes(30 * MINUTE - 1);
      expect(await lines()).toEqual([]);
      await passes(1);
      expect(await lines()).toEqual([
        expect.stringMatching(new RegExp(`^⏰.*${name(approval)} .*waits 30 min, 30 min left`)),
      ]);
      await passes(18 * MINUTE);
      expect((await lines()).at(-1)).toMatch(/^⏰.*waits 48 min, 12 min left/);
      expect(await office.approval(approval.id)).toMatchObject({
        remindersSent: 2,
        escalatedAt: null,
      });
      await passes(6 * MINUTE);
      expect((await lines()).at(-1)).toMatch(/^🔺.*waits 54 min, 6 min left.*Admins.*: admin /);
      expect(await lines("3001")).toHaveLength(1);
      expect((await office.approval(approval.id)).status).toBe("pending");
      await passes(6 * MINUTE);
      expect((await office.approval(approval.id)).status).toBe("expired");
      expect(await lines()).toHaveLength(3);
    });

    it("was then not executed: lead and model are told so, and a late click changes nothing", async () => {
      const { lead, approval } = await asksLetter(office);
      await passes(60 * MINUTE);
      expect(await office.approval(approval.id)).toMatchObject({ status: "expired" });
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        status: "failed",
        code: "EXPIRED",
        reply: { ok: false, status: "expired" },
      });
      expect((await lead.events()).at(-1)?.text).toMatch(/is now expired, not done; tell the lead/);
      expect(await lead.runs()).toMatchObject([{ kind: "continuation", status: "queued" }]);
      const late = await office.decides(approval.id, operator);
      expect(late).toMatchObject({ accepted: false, code: "already_decided" });
      expect(late.message).toMatch(/expired/);
      expect(await office.executionsOf(lead.conversationId)).toEqual([]);
    });

    it("was approved once and frozen before it began: it is not done, and can be asked for again", async () => {
      const { lead, approval } = await asksLetter(office);
      await office.decides(approval.id, operator);
      const chatId = lead.conversationId.replace("conversation", "chat");
      const said = { tenantId: TENANT, channelId: "tg", chatId, text: "stop, don't send" };
      await office.tenant((tx) => heedObjection(tx, office.desk, said));
      expect(await office.approval(approval.id)).toMatchObject({ status: "frozen" });
      await passes(60 * MINUTE);
      expect(await office.approval(approval.id)).toMatchObject({ status: "expired" });
      expect(await lead.execution()).toMatchObject({ status: "cancelled" });
      const [again] = await lead.proposes([call("send_letter", { subject: "your order" })]);
      expect(again?.state).toMatchObject({ kind: "settled", status: "waiting_approval" });
      expect((await lead.approval()).id).not.toBe(approval.id);
    });

    it("is over, whatever was missed before", async () => {
      const { approval } = await asksLetter(office);
      await passes(5 * 60 * MINUTE);
      expect((await office.approval(approval.id)).status).toBe("expired");
      expect(await lines()).toEqual([]);
    });

    it("is told nothing of once it is decided", async () => {
      const { approval } = await asksLetter(office);
      await office.decides(approval.id, operator, { decision: "reject" });
      office.time.now += 30 * MINUTE;
      expect(await dueApprovals()).toEqual([]);
      await takes(approval.id);
      expect(await lines()).toEqual([]);
    });
  });

  describe("many requests that are due at once", () => {
    it("are named in one line, and every further job finds nothing to do", async () => {
      const asked = [];
      for (let count = 0; count < 25; count += 1) asked.push((await asksLetter(office)).approval);
      office.time.now += 30 * MINUTE;
      const jobs = await dueApprovals();
      expect(jobs).toHaveLength(25);
      await Promise.all(jobs.map(({ id }) => takes(id)));
      const [line, ...more] = await lines();
      expect(more).toEqual([]);
      for (const approval of asked.slice(0, 20)) expect(line).toContain(`${name(approval)} `);
      expect(line).toContain("and 5 more: /pending");
      for (const { id } of asked) expect((await office.approval(id)).remindersSent).toBe(1);
    });
  });

  describe("a request that discharges received money", () => {
    it("never ends, is spoken of ever more seldom, and is told to the admins", async () => {
      const lead = await addLead(office);
      const approval = await lead.asksPayout();
      expect(approval.expiresAt).toBeNull();
      for (const minutes of [30, 60, 120, 240]) await passes(minutes * MINUTE);
      const told = await lines();
      expect(told.map((line) => [...line][0])).toEqual(["⏰", "⏰", "🔺", "🔺"]);
      expect(told.at(-1)).toMatch(/waits 7 h 30 min, a client's money is here, it does not expire/);
      expect(await lines("3001")).toHaveLength(2);
      await passes(30 * 24 * 60 * MINUTE);
      expect((await office.approval(approval.id)).status).toBe("pending");
      expect((await office.decides(approval.id, operator)).code).toBe("approved");
    });
  });

  describe("a parked request", () => {
    it("is no work before its next step is near", async () => {
      const { approval } = await asksLetter(office);
      const { nextStepAt } = await office.approval(approval.id);
      const open = await findOpenWork(office.db, office.time.now + 5000);
      expect(open.waiting.filter((one) => one.startsWith("approval"))).toEqual([]);
      const near = await findOpenWork(office.db, (nextStepAt ?? 0) - 1);
      expect(near.waiting).not.toContain(`approval ${approval.id}`);
      const due = await findOpenWork(office.db, nextStepAt ?? 0);
      expect(due.waiting).toContain(`approval ${approval.id}`);
    });
  });
});
