import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JobRef } from "../../src/domain/jobs.ts";
import type { Database } from "../../src/store/database.ts";
import { withTenant } from "../../src/store/db.ts";
import { createLeadership } from "../../src/store/leadership.ts";
import { createSignals, type Signal, type Signals } from "../../src/store/signals.ts";
import { forEachEngine } from "../support/database.ts";
import { openWokenQueue } from "../support/queue.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const until = (condition: () => boolean | Promise<boolean>) =>
  vi.waitFor(async () => expect(await condition()).toBe(true), { timeout: 20_000, interval: 10 });

forEachEngine((open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
  });
  afterAll(() => database.close());

  async function process() {
    const heard: Signal[] = [];
    let gaps = 0;
    const signals: Signals = createSignals(database, quiet);
    await signals.start({ onSignal: (signal) => heard.push(signal), onGap: () => (gaps += 1) });
    return { signals, heard, gaps: () => gaps };
  }
  const isServer = () => database.kind === "postgres";

  describe("a signal", () => {
    it("is heard by one's own process once the transaction is committed", async () => {
      const own = await process();
      await withTenant(database.db, "t", async (tx) => {
        own.signals.send(tx, { kind: "delivery" });
        expect(own.heard).toEqual([]);
      });
      expect(own.heard).toEqual([{ kind: "delivery" }]);
      await own.signals.stop();
    });

    it("is heard once by every other process, and not when it is rolled back", async () => {
      const [own, other] = [await process(), await process()];
      const failed = withTenant(database.db, "t", async (tx) => {
        own.signals.send(tx, { kind: "tools", tenantId: "rolled-back" });
        throw new Error("changed my mind");
      });
      await expect(failed).rejects.toThrow("changed my mind");
      await withTenant(database.db, "t", async (tx) => {
        own.signals.send(tx, { kind: "delivery" });
        own.signals.send(tx, { kind: "delivery" });
        own.signals.send(tx, { kind: "jobs", lane: "chat", afterMs: 0 });
      });
      own.signals.sendNow({ kind: "tools", tenantId: "t" });
      if (isServer()) await until(() => other.heard.some(({ kind }) => kind === "tools"));
      const told: Signal[] = [
        { kind: "delivery" },
        { kind: "jobs", lane: "chat", afterMs: 0 },
        { kind: "tools", tenantId: "t" },
      ];
      expect(other.heard).toEqual(isServer() ? told : []);
      for (const one of [own, other]) await one.signals.stop();
    });

    it("that may be lost with a broken connection is made up for", async (context) => {
      if (database.url === null) return context.skip(); // no connection that could break
      const one = await process();
      const breaker = postgres(database.url, { max: 1, onnotice: () => {} });
      await breaker`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ilike 'listen %' and pid <> pg_backend_pid()`;
      await until(() => one.gaps() > 0);
      await breaker.end();
      await one.signals.stop();
    });
  });

  describe("a job that another process enqueued", () => {
    it("is worked on at once, without the net that looks every other second", async (context) => {
      if (!isServer()) return context.skip(); // there is no other process
      const web = await openWokenQueue(database, { hearsOthers: true });
      const worker = await openWokenQueue(database, { hearsOthers: true });
      vi.useFakeTimers({ toFake: ["setInterval"] }); // so the net below the wake-ups never looks
      const seen: string[] = [];
      const handler = async (ref: JobRef) => void seen.push(ref.id);
      await worker.start({ run: handler, execution: handler, desk: handler, approval: handler });
      vi.useRealTimers();
      await withTenant(database.db, "t", (tx) =>
        web.enqueue(tx, "run", { tenantId: "t", id: "from-the-web" }),
      );
      await until(() => seen.includes("from-the-web"));
      await worker.stop(5000);
      await web.stop(5000);
    });
  });

  describe("a task for exactly one process", () => {
    const contender = () => {
      const log: string[] = [];
      const leadership = createLeadership({
        ...{ database, task: "poll", log: quiet },
        onGained: () => log.push("gained"),
        onLost: async () => void log.push("lost"),
      });
      return { leadership, log };
    };

    it("is one's, and ends with it", async () => {
      const { leadership, log } = contender();
      leadership.start();
      await until(() => leadership.isLeader());
      await leadership.stop();
      expect(log).toEqual(["gained", "lost"]);
    });

    it("is the next one's when the first stops", async (context) => {
      if (!isServer()) return context.skip(); // there is no other process
      const [first, second] = [contender(), contender()];
      first.leadership.start();
      await until(() => first.leadership.isLeader());
      second.leadership.start();
      await first.leadership.stop();
      await until(() => second.leadership.isLeader());
      expect(first.log).toEqual(["gained", "lost"]);
      await second.leadership.stop();
    });

    it("goes to another when the database ends the session, and is never two's", async (context) => {
      if (database.url === null) return context.skip(); // there is no other process
      const [first, second] = [contender(), contender()];
      first.leadership.start();
      await until(() => first.leadership.isLeader());
      second.leadership.start();
      const breaker = postgres(database.url, { max: 1, onnotice: () => {} });
      await breaker`select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`;
      await until(() => first.log.includes("lost"));
      await until(() => first.leadership.isLeader() !== second.leadership.isLeader());
      await breaker.end();
      for (const one of [first, second]) await one.leadership.stop();
      expect(first.log.at(-1)).toBe("lost");
    });
  });
});
