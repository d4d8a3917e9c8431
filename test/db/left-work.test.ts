import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EvalReport } from "../../src/quality/evals/run-cases.ts";
import { createEvalsRunner, type EvalsRunner } from "../../src/quality/evals/runner.ts";
import { tellLeftWork } from "../../src/quality/left-work.ts";
import { beat } from "../../src/store/heartbeats.ts";
import { type AdminPart, startAdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart } from "../support/quality-part.ts";

const LETTER = { case_name: "a letter", language: "en", message: "Send it by mail" };
const STOPPED = "the evals did not run: the bot was stopped meanwhile; start them again";
const HOUR = 3_600_000;

forEachEngine((open) => {
  let part: AdminPart;
  let office: QualityPart;
  let offices = 0;
  beforeAll(async () => {
    part = await startAdminPart({ database: await open() });
  });
  afterAll(() => part.close());
  beforeEach(async () => {
    offices += 1;
    office = await openQualityPart(part, `left-${offices}`);
    await office.admin("PUT", "/quality/evals/cases", { cases: [LETTER] });
  });

  /** A process of this boot, whose runs end when the test says so. */
  function processOf(bootId: string): EvalsRunner & { end(): void } {
    let end = () => {};
    const runner = createEvalsRunner({
      ...{ db: part.database.db, clock: part.deps.clock, log: { error() {} }, bootId },
      play: () =>
        new Promise<EvalReport>((resolve) => {
          end = () => resolve(REPORT);
        }),
    });
    part.deps.evals = runner;
    return { ...runner, end: () => end() };
  }

  async function start(): Promise<string> {
    const { status, body } = await office.admin("POST", "/quality/evals/runs", {});
    expect(status).toBe(202);
    return body.batch_id;
  }
  const beats = (bootId: string, realNow: number) =>
    beat(part.database.db, {
      ...{ bootId, role: "all", realNow, longestSilenceMs: 24 * HOUR, notBefore: null },
    });
  const tell = (alone: boolean, later = 0) =>
    tellLeftWork({ ...part.deps, bootId: "this", realNow: () => Date.now() + later, alone }, [
      office.tenantId,
    ]);
  const runs = async () => (await office.operator("GET", "/quality/evals/runs")).body;
  const batches = async () => (await office.operator("GET", "/quality/evals/batches")).body.items;

  describe("a run of the evals", () => {
    it("is written down before it begins, and is no result yet", async () => {
      processOf("this");
      const batch_id = await start();
      expect(await runs()).toMatchObject({ items: [], running: { batch_id, model: null } });
      expect(await batches()).toEqual([]);
      const compared = `/quality/evals/compare?before=${batch_id}&after=${batch_id}`;
      expect((await office.operator("GET", compared)).status).toBe(404);
      const told = `/audit?tenant=${office.tenantId}&event_type=evals.started`;
      expect((await part.call("GET", told)).body.items).toMatchObject([
        { refs: { batch: batch_id } },
      ]);
    });

    it("that cannot be written down does not begin, and does not hold up the next", async () => {
      processOf("this");
      const { evals } = part.deps;
      const failing = () => Promise.reject(new Error("no database"));
      const wanted = { tenantId: office.tenantId, model: null };
      await expect(evals?.start(wanted, failing)).rejects.toThrow("no database");
      expect(evals?.running()).toBeNull();
      await start();
    });

    it("of a dead process is told as failed with the next step, and another can be made", async () => {
      processOf("gone");
      const batch_id = await start();
      await tell(true);
      expect(await batches()).toMatchObject([{ batch_id, total: 0, error: STOPPED }]);
      expect(await runs()).toMatchObject({
        ...{ items: [{ batch_id, case_name: null, failure_reason: STOPPED }], running: null },
      });
      const now = processOf("this");
      await start();
      await tell(true);
      expect((await runs()).running).not.toBeNull();
      await expect.poll(() => endsOf(now)).toMatchObject([{ error: null }, { error: STOPPED }]);
    });

    it("of another process that lives is left alone by one that starts", async () => {
      const other = processOf("other");
      await beats("other", Date.now());
      const batch_id = await start();
      await tell(false);
      expect((await runs()).running).toMatchObject({ batch_id });
      await expect.poll(() => endsOf(other)).toMatchObject([{ batch_id, error: null, total: 1 }]);
    });

    it("of a process that was silent for long is told as failed until its results come", async () => {
      const other = processOf("other");
      await beats("other", Date.now());
      const batch_id = await start();
      await tell(false, 16_000);
      expect(await batches()).toMatchObject([{ batch_id, error: STOPPED }]);
      await expect.poll(() => endsOf(other)).toMatchObject([{ batch_id, error: null, total: 1 }]);
      expect((await runs()).items).toHaveLength(1);
    });

    async function endsOf(process: { end(): void }) {
      process.end();
      return batches();
    }
  });
});

const REPORT: EvalReport = {
  ...{ batch_id: "of the process", generated_at: "2026-11-30T10:00:00Z", agent_version: "v" },
  ...{ model_id: "m", total: 1, passed: 1, failed: 0, forbidden: 0 },
  results: [
    {
      ...{ case_name: "a letter", source: "api", risk_level: null, passed: true, ms: 1 },
      ...{ failure_reason: null, forbidden_called: [], expected_tool: null, actual_tool: null },
      ...{ actual_arguments: null, policy_result: null, reply: null },
    },
  ],
};
