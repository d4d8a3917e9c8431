import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobRef } from "../../src/domain/jobs.ts";
import type { JobHandlers } from "../../src/queue/lane.ts";
import type { Queue } from "../../src/queue/queue.ts";
import type { Database } from "../../src/store/database.ts";
import { queryRows, type Tx, withTenant } from "../../src/store/db.ts";
import { forEachEngine } from "../support/database.ts";
import { openWokenQueue } from "../support/queue.ts";

const ref = (id: string): JobRef => ({ tenantId: "t", id });

forEachEngine((open) => {
  let database: Database;
  let queue: Queue;
  let seen: string[];
  let delivered: number;
  let handle: (id: string) => Promise<void> | void;
  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    seen = [];
    delivered = 0;
    handle = () => {};
    queue = await openWokenQueue(database, { onDelivery: () => (delivered += 1) });
  });
  afterEach(() => queue.stop(5000));
  afterAll(() => database.close());

  const inTenant = <T>(work: (tx: Tx) => Promise<T>) => withTenant(database.db, "t", work);
  const enqueue = (id: string, afterMs = 0) =>
    inTenant((tx) => queue.enqueue(tx, "run", ref(id), afterMs));
  const start = () => {
    const handler = (kind: string) => async (job: JobRef) => {
      seen.push(`${kind} ${job.id}`);
      await handle(job.id);
    };
    const handlers: JobHandlers = {
      run: handler("run"),
      execution: handler("execution"),
      desk: handler("desk"),
      approval: handler("approval"),
    };
    return queue.start(handlers);
  };
  const until = (condition: () => boolean) =>
    vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000, interval: 10 });
  const jobs = (id: string) =>
    queryRows<{ state: string; wait: string }>(
      database.db,
      sql`select state::text as state, (extract(epoch from start_after - created_on) * 1000)::int as wait
          from pgboss.job where data->>'id' = ${id}`,
    );

  it("a job of a transaction that is rolled back does not exist", async () => {
    await start();
    const failed = inTenant(async (tx) => {
      await queue.enqueue(tx, "run", ref("rolled-back"));
      queue.wakeDelivery(tx);
      throw new Error("changed my mind");
    });
    await expect(failed).rejects.toThrow("changed my mind");
    await enqueue("after");
    await until(() => seen.includes("run after"));
    expect(await jobs("rolled-back")).toEqual([]);
    expect(seen).not.toContain("run rolled-back");
    expect(delivered).toBe(0);
  });

  it("a committed job reaches its handler by its own wake-up, and only after the commit", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] }); // so the net below the wake-ups never looks
    try {
      await start();
      const order: string[] = [];
      const handled = new Promise<void>((resolve) => {
        handle = () => {
          order.push("handled");
          resolve();
        };
      });
      await inTenant(async (tx) => {
        await queue.enqueue(tx, "execution", ref("at-once"));
        queue.wakeDelivery(tx);
        order.push("written");
      });
      await handled;
      expect(order).toEqual(["written", "handled"]);
      expect(delivered).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("a later job waits for its time in parts of a second, an earlier one passes it", async () => {
    await start();
    await enqueue("later", 1500);
    await enqueue("sooner", 0);
    expect((await jobs("later"))[0]?.wait).toBe(1500);
    await until(() => seen.includes("run later"));
    expect(seen).toEqual(["run sooner", "run later"]);
  });

  it("a handler that throws stops neither its lane nor the others", async () => {
    handle = (id) => {
      if (id.startsWith("bad")) throw new Error("broken");
    };
    await start();
    for (const id of ["bad-1", "good-1", "bad-2", "good-2"]) await enqueue(id);
    await until(() => ["good-1", "good-2"].every((id) => seen.includes(`run ${id}`)));
    await until(() => seen.includes("run bad-2"));
    expect(seen.filter((job) => job === "run bad-1")).toHaveLength(1);
  });

  it("acts do not wait behind chats that hang", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    handle = (id) => (id.startsWith("chat") ? held : undefined);
    await start();
    for (let index = 0; index < 20; index += 1) await enqueue(`chat-${index}`);
    await inTenant((tx) => queue.enqueue(tx, "desk", ref("click")));
    await until(() => seen.includes("desk click"));
    release();
    await until(() => seen.length === 21);
  });

  it("a job that was enqueued before the start, by another process, is found", async () => {
    await enqueue("early");
    await start();
    await until(() => seen.includes("run early"));
  });

  it("jobs carry ids and nothing else", async () => {
    await enqueue("bare", 60_000);
    const rows = await queryRows<{ data: unknown }>(
      database.db,
      sql`select data from pgboss.job where data->>'id' = 'bare'`,
    );
    expect(rows).toEqual([{ data: { kind: "run", tenantId: "t", id: "bare" } }]);
  });

  it("a stop waits for the work under way", async () => {
    let finished = false;
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    handle = async () => {
      begun();
      await new Promise((resolve) => setImmediate(resolve));
      finished = true;
    };
    await start();
    await enqueue("last");
    await started;
    await queue.stop(5000);
    expect(finished).toBe(true);
  });

  describe("an embedded start", () => {
    it("forgets jobs that a dead process was working on", async (context) => {
      if (database.kind !== "embedded") return context.skip();
      await enqueue("abandoned", 60_000);
      await database.db.execute(
        sql`update pgboss.job set state = 'active' where data->>'id' = 'abandoned'`,
      );
      await queue.stop(1000);
      queue = await openWokenQueue(database);
      expect(await jobs("abandoned")).toEqual([]);
    });
  });
});
