import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { JobKind, JobRef } from "../../src/domain/jobs.ts";
import type { Queue } from "../../src/queue/queue.ts";
import { createSweep, type Sweep } from "../../src/queue/sweep.ts";
import type { Database } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { findOpenWork } from "../../src/store/due-work.ts";
import { approvalQueue } from "../../src/store/schema/approvals.ts";
import { inbox } from "../../src/store/schema/chat.ts";
import { runs } from "../../src/store/schema/runs.ts";
import { toolExecutionQueue } from "../../src/store/schema/tools.ts";
import { forEachEngine } from "../support/database.ts";
import { openWokenQueue } from "../support/queue.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const NOW = Date.UTC(2026, 10, 1);

forEachEngine((open) => {
  let database: Database;
  let queue: Queue;
  let sweep: Sweep;
  let seen: string[];
  let approvals = 0;
  const time = { now: NOW, real: NOW };
  beforeAll(async () => {
    database = await open();
    queue = await openWokenQueue(database);
    sweep = createSweep({
      ...{ db: database.db, queue, clock: { now: () => time.now }, log: quiet },
      realNow: () => time.real,
    });
    const handler = (kind: JobKind) => async (ref: JobRef) => {
      seen.push(`${kind} ${ref.tenantId}/${ref.id}`);
    };
    await queue.start({
      run: handler("run"),
      execution: handler("execution"),
      desk: handler("desk"),
      approval: handler("approval"),
    });
  });
  beforeEach(async () => {
    seen = [];
    time.now = NOW;
    time.real = NOW;
    for (const tenantId of ["a", "b"])
      await withTenant(database.db, tenantId, async (tx) => {
        await tx.delete(runs);
        await tx.delete(toolExecutionQueue);
        await tx.delete(inbox);
        await tx.delete(approvalQueue);
      });
  });
  afterAll(async () => {
    await sweep.stop();
    await queue.stop(5000);
    await database.close();
  });

  const addRun = (tenantId: string, id: string, over: Partial<typeof runs.$inferInsert> = {}) =>
    withTenant(database.db, tenantId, (tx) =>
      tx.insert(runs).values({
        ...{ id, tenantId, conversationId: `of ${id}`, kind: "message", status: "queued" },
        ...{ dueAt: NOW, firstMessageAt: NOW, createdAt: NOW },
        ...over,
      }),
    );
  const addExecution = (id: string, over: Partial<typeof toolExecutionQueue.$inferInsert>) =>
    withTenant(database.db, "a", (tx) =>
      tx.insert(toolExecutionQueue).values({
        ...{ id, tenantId: "a", conversationId: "c", candidateId: `of ${id}`, toolName: "pay" },
        ...{ payloadJson: {}, actionDigest: "d", hasSideEffect: true, status: "queued" },
        ...{ attempts: 0, runAfter: NOW, createdAt: NOW },
        ...over,
      }),
    );
  const addApproval = (id: string, over: Partial<typeof approvalQueue.$inferInsert>) => {
    approvals += 1;
    const row = {
      ...{ id, tenantId: "a", candidateId: `of ${id}`, toolName: "pay", requestedAction: "other" },
      ...{ riskLevel: "payment" as const, payloadSummary: "", requestedBy: "c" },
      status: "pending" as const,
      ...{ proposedActionJson: {}, materialJson: [], actionDigest: "d", schemaVersion: 1 },
      ...{ number: approvals, approvalsRequired: 1, approverRole: "operator" as const },
      createdAt: NOW,
      ...over,
    };
    return withTenant(database.db, "a", (tx) => tx.insert(approvalQueue).values(row));
  };
  const reached = (...jobs: string[]) =>
    vi.waitFor(() => expect(seen.sort()).toEqual(jobs.sort()), { timeout: 20_000, interval: 10 });

  it("finds work whose job was lost, in every tenant", async () => {
    await addRun("a", "lost");
    await addRun("b", "lost-too");
    expect(await sweep.runOnce()).toBe(2);
    await reached("run a/lost", "run b/lost-too");
  });

  it("leaves alone what is not due yet in product time, and finds it when the clock moved", async () => {
    await addRun("a", "tomorrow", { dueAt: NOW + 86_400_000 });
    expect(await sweep.runOnce()).toBe(0);
    const later = await findOpenWork(database.db, NOW + 5000);
    expect(later).toEqual({ waiting: [], nextDueAt: NOW + 86_400_000 });
    time.now += 86_400_000;
    expect(await sweep.runOnce()).toBe(1);
    await reached("run a/tomorrow");
  });

  it("leaves alone what a living worker holds, in real time, whatever the product's clock says", async () => {
    await addRun("a", "held", { status: "running", leaseUntil: NOW + 15_000 });
    time.now += 86_400_000;
    expect(await sweep.runOnce()).toBe(0);
    time.real += 15_001;
    expect(await sweep.runOnce()).toBe(1);
    await reached("run a/held");
  });

  it("leaves alone what is over", async () => {
    for (const status of ["completed", "failed", "exhausted", "superseded", "cancelled"] as const)
      await addRun("a", status, { status });
    await addExecution("done", { status: "completed" });
    await addExecution("asked", { status: "waiting_approval" });
    expect(await sweep.runOnce()).toBe(0);
  });

  it("finds executions that are queued, due again, unknown, or running without a worker", async () => {
    await addExecution("queued", {});
    await addExecution("again", { status: "retry_scheduled" });
    await addExecution("later", { status: "retry_scheduled", runAfter: NOW + 1 });
    await addExecution("unknown", { status: "unknown" });
    await addExecution("held", { status: "running", leaseUntil: NOW + 1 });
    await addExecution("dead", { status: "running", leaseUntil: NOW - 1 });
    await addExecution("read", { status: "running", leaseUntil: NOW - 1, hasSideEffect: false });
    expect(await sweep.runOnce()).toBe(4);
    const found = ["again", "dead", "queued", "unknown"].map((id) => `execution a/${id}`);
    await reached(...found);
  });

  it("doubles a job rather than lose one, and changes no row", async () => {
    await addRun("a", "doubled");
    await sweep.runOnce();
    await sweep.runOnce();
    await reached("run a/doubled", "run a/doubled");
    const stored = await withTenant(database.db, "a", (tx) => tx.select().from(runs));
    expect(stored).toMatchObject([{ status: "queued", restarts: 0, leaseToken: null }]);
  });

  it("finds requests whose next step is due, frozen ones too, and none that is decided", async () => {
    for (const status of ["pending", "frozen", "approved", "expired"] as const)
      await addApproval(status, { status, nextStepAt: NOW });
    await addApproval("later", { nextStepAt: NOW + 1 });
    await addApproval("never", { nextStepAt: null });
    expect(await sweep.runOnce()).toBe(2);
    await reached("approval a/frozen", "approval a/pending");
    const open = await findOpenWork(database.db, NOW);
    expect(open.waiting.sort()).toEqual(["approval frozen", "approval pending"]);
    expect(open.nextDueAt).toBe(NOW + 1);
  });

  it("finds clicks that nobody has answered after two seconds", async () => {
    await withTenant(database.db, "a", (tx) =>
      tx.insert(inbox).values({
        ...{ id: "click", tenantId: "a", channelId: "tg", eventKey: "1", kind: "click" },
        ...{ payload: {} as never, status: "new", receivedAt: NOW }, // only its id is looked at
      }),
    );
    expect(await sweep.runOnce()).toBe(0);
    time.now += 2000;
    expect(await sweep.runOnce()).toBe(1);
    await reached("desk a/click");
  });
});
