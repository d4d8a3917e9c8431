import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerUnknown } from "../../src/desk/answer-unknown.ts";
import { openDispatch } from "../../src/engine/dispatch.ts";
import { settleWork } from "../../src/engine/settle.ts";
import { dropLeasesOfOtherBoots } from "../../src/store/boot-leases.ts";
import { idempotencyKeys, toolResultLog } from "../../src/store/schema/tools.ts";
import { staffById } from "../../src/store/staff.ts";
import { forEachEngine } from "../support/database.ts";
import { type Office, officeRules, openOffice, TENANT } from "../support/office.ts";
import { addLead } from "../support/office-lead.ts";

const PAYOUT = "issue_exchange_payout";

forEachEngine((open) => {
  let office: Office;
  beforeAll(async () => {
    office = await openOffice(open);
    await office.person();
  });
  beforeEach(() => {
    office.cashier.paid.length = 0;
    office.cashier.next.length = 0;
    office.cashier.lookUps.length = 0;
    office.jobs.list.length = 0;
  });
  afterAll(() => office.close());

  const keysOf = (executionId: string) =>
    office.tenant((tx) =>
      tx
        .select({ key: idempotencyKeys.idempotencyKey, status: idempotencyKeys.status })
        .from(idempotencyKeys)
        .where(eq(idempotencyKeys.resultRef, executionId)),
    );
  describe("an approved payout", () => {
    it("is sent once, with the approval's id as its key, and the lead is told", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      expect(office.jobs.take("execution")).toHaveLength(1);
      const done = await lead.works();
      expect(done).toMatchObject({ status: "completed", attempts: 1, leaseUntil: null });
      expect(office.cashier.paid).toEqual([{ key: approval.id, action: done.payloadJson }]);
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        status: "executed",
        reply: { ok: true, status: "completed", approval: `A-${approval.number}` },
      });
      expect((await lead.events())[0]?.text).toContain(`A-${approval.number}`);
      expect(await lead.runs()).toMatchObject([{ kind: "continuation", approvalId: approval.id }]);
    });

    it("is not sent again by doubled jobs, before or after it is done", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      await Promise.all([lead.works(), lead.works(), lead.works()]);
      await lead.works();
      expect(office.cashier.paid).toHaveLength(1);
      const { id } = await lead.execution();
      const results = await office.tenant((tx) =>
        tx.select().from(toolResultLog).where(eq(toolResultLog.executionId, id)),
      );
      expect(results).toHaveLength(1);
    });

    it("has its keys reserved before anything leaves", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      const { id } = await lead.execution();
      const opened = await office.tenant((tx) =>
        openDispatch(tx, office.engine, { tenantId: TENANT, id }),
      );
      expect(opened.kind).toBe("run");
      expect(office.cashier.paid).toEqual([]);
      expect(await lead.execution()).toMatchObject({ status: "running", attempts: 1 });
      const keys = (await keysOf(id)).map((row) => `${row.key} ${row.status}`).sort();
      const wanted = [`${approval.id} reserved`, `payout:${lead.order} reserved`].sort();
      expect(keys).toEqual(wanted);
    });
  });

  describe("a certain failure", () => {
    it("frees the keys, so that people may be asked again", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout("40");
      office.cashier.next.push("fails");
      const failed = await lead.works();
      expect(failed.status).toBe("failed");
      const states = (await keysOf(failed.id)).map((row) => row.status);
      expect(new Set(states)).toEqual(new Set(["freed"]));
      const again = await lead.asksPayout("40");
      await office.decides(again.id, await office.person());
      const executions = await office.executionsOf(lead.conversationId);
      const queued = executions.find((row) => row.approvalId === again.id);
      await office.tenant((tx) =>
        openDispatch(tx, office.engine, { tenantId: TENANT, id: queued?.id ?? "" }),
      );
      expect((await keysOf(queued?.id ?? "")).map((row) => row.status)).toEqual([
        "reserved",
        "reserved",
      ]);
    });

    it("that may pass is tried again later with the same key", async () => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      office.cashier.next.push("retry");
      expect(await lead.works()).toMatchObject({ status: "retry_scheduled", attempts: 1 });
      expect((await lead.works()).attempts).toBe(1);
      office.time.now += 3000;
      expect(await lead.works()).toMatchObject({ status: "completed", attempts: 2 });
      expect(office.cashier.paid.map((one) => one.key)).toEqual([approval.id]);
    });

    it("frees the keys when the gate stops the next try", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      office.cashier.next.push("retry");
      await lead.works();
      await office.rules(officeRules({ allow_call: false }));
      office.time.now += 3000;
      const stopped = await lead.works();
      await office.rules(officeRules());
      expect(stopped.status).toBe("cancelled");
      expect((await keysOf(stopped.id)).map((row) => row.status)).toEqual(["freed", "freed"]);
    });
  });

  describe("an outcome that is not known", () => {
    const unknown = async (end: "unknown" | "throws" = "unknown") => {
      const lead = await addLead(office);
      const approval = await lead.approvedPayout();
      office.cashier.next.push(end);
      expect(await lead.works()).toMatchObject({ status: "unknown" });
      return { lead, approval };
    };

    it("is looked up by key; found is the result", async () => {
      const { lead, approval } = await unknown("throws");
      expect(await office.candidate(approval.candidateId)).toMatchObject({
        status: "queued",
        reply: { status: "unknown" },
      });
      office.cashier.lookUps.push("found");
      expect(await lead.works()).toMatchObject({ status: "completed" });
      expect(office.cashier.paid).toEqual([]);
      const states = (await keysOf((await lead.execution()).id)).map((row) => row.status);
      expect(states).toEqual(["completed", "completed"]);
    });

    it("absent twice at a provider that is idempotent by key: the same is sent again", async () => {
      const { lead, approval } = await unknown();
      office.cashier.lookUps.push("absent", "absent");
      expect(await lead.works()).toMatchObject({ status: "unknown", lookUps: 1 });
      expect(await lead.works()).toMatchObject({ status: "unknown", lookUps: 1 });
      office.time.now += 1000;
      expect(await lead.works()).toMatchObject({ status: "queued", resent: true });
      const done = await lead.works();
      expect(done).toMatchObject({ status: "completed", attempts: 2 });
      expect(office.cashier.paid).toEqual([{ key: approval.id, action: done.payloadJson }]);
    });

    it("absent, then found: nothing is sent again", async () => {
      const { lead } = await unknown();
      office.cashier.lookUps.push("absent", "found");
      await lead.works();
      office.time.now += 1000;
      expect(await lead.works()).toMatchObject({ status: "completed", resent: false });
      expect(office.cashier.paid).toEqual([]);
    });

    it("is sent again once at most", async () => {
      const { lead } = await unknown();
      office.cashier.next.push("unknown");
      office.cashier.lookUps.push("absent", "absent", "absent", "absent");
      await lead.works();
      office.time.now += 1000;
      await lead.works();
      expect(await lead.works()).toMatchObject({ status: "unknown", attempts: 2 });
      await lead.works();
      office.time.now += 1000;
      expect(await lead.works()).toMatchObject({ status: "unknown", attempts: 2, resent: true });
    });

    it("a provider that does not answer ends in a card, and people decide", async () => {
      const { lead, approval } = await unknown();
      office.cashier.lookUps.push("unreachable", "unreachable", "unreachable", "unreachable");
      await lead.works();
      for (const waitMs of [1000, 4000, 25_000]) {
        office.time.now += waitMs;
        await lead.works();
      }
      expect((await lead.execution()).status).toBe("waiting_approval");
      const cards = (await lead.sent()).filter((row) => row.purpose === "card");
      expect(JSON.stringify(cards.at(-1)?.content)).toContain("Did this happen?");
      const operator = await office.person();
      const happened = (answer: boolean) =>
        office.tenant(async (tx) =>
          answerUnknown(tx, office.desk, {
            ...{ tenantId: TENANT, approvalId: approval.id, happened: answer, via: "slack" },
            staff: await staffById(tx, TENANT, operator),
          }),
        );
      await happened(true);
      await happened(false);
      expect((await lead.execution()).status).toBe("completed");
      expect(await office.candidate(approval.candidateId)).toMatchObject({ status: "executed" });
      const settled = (await lead.events()).filter(({ text }) => text.includes("is now"));
      expect(settled).toHaveLength(1);
    });

    it("blocks an equal action of the conversation meanwhile", async () => {
      const { lead } = await unknown();
      const args = JSON.stringify({ amount: "40", order: lead.order });
      const [again] = await lead.proposes([{ name: PAYOUT, arguments: args }]);
      expect(await office.candidate(again?.candidateId ?? "")).toMatchObject({
        status: "blocked_by_policy",
        code: "outcome_unknown",
      });
    });
  });

  describe("a payout found running", () => {
    const leftRunning = async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const { id } = await lead.execution();
      await office.tenant((tx) => openDispatch(tx, office.engine, { tenantId: TENANT, id }));
      return lead;
    };

    it("under a live lease is left alone", async () => {
      const lead = await leftRunning();
      const before = await lead.execution();
      expect(await lead.works()).toEqual(before);
    });

    it("without one is looked up, and never dispatched again by itself", async () => {
      const lead = await leftRunning();
      office.time.real += 61_000;
      office.cashier.lookUps.push("unreachable");
      expect(await lead.works()).toMatchObject({ status: "unknown", attempts: 1, lookUps: 1 });
      expect(office.cashier.paid).toEqual([]);
      const audit = await office.auditOf(lead.conversationId);
      expect(audit.map((row) => row.eventType)).toContain("execution.unknown");
    });

    it("by a process that is gone is taken back at once by an embedded start", async () => {
      const lead = await leftRunning();
      await dropLeasesOfOtherBoots(office.db, {
        ...{ tenantIds: [TENANT], owner: "boot-2", realNow: office.time.real },
      });
      office.cashier.lookUps.push("found");
      expect(await lead.works()).toMatchObject({ status: "completed", attempts: 1 });
      expect(office.cashier.paid).toEqual([]);
    });

    it("whose worker comes back late writes nothing over the newer state", async () => {
      const lead = await addLead(office);
      await lead.approvedPayout();
      const { id } = await lead.execution();
      const ref = { tenantId: TENANT, id };
      const opened = await office.tenant((tx) => openDispatch(tx, office.engine, ref));
      office.time.real += 61_000;
      office.cashier.lookUps.push("found");
      await lead.works();
      if (opened.kind !== "run") throw new Error("it was not dispatched");
      await settleWork(office.engine, opened.dispatch, { kind: "unknown", message: "late" });
      expect((await lead.execution()).status).toBe("completed");
    });
  });
});
