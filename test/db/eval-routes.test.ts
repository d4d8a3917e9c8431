import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogRegistry } from "../../src/cli/catalog-registry.ts";
import type { EvalReport } from "../../src/quality/evals/run-cases.ts";
import { createEvalsRunner, type EvalsRunner } from "../../src/quality/evals/runner.ts";
import type { Snapshot } from "../../src/quality/evals/snapshot.ts";
import { insertCase } from "../../src/store/quality-cases.ts";
import type { AdminPart } from "../support/admin-part.ts";
import { forEachEngine } from "../support/database.ts";
import { openQualityPart, type QualityPart, startQuality } from "../support/quality-part.ts";

const LETTER = {
  ...{ case_name: "a letter", language: "en", message: "Send it by mail" },
  ...{ expected_tool: "send_email", expected_policy_result: "schema_failed" },
};

forEachEngine((open) => {
  let part: AdminPart;
  let runner: EvalsRunner;
  let offices = 0;
  /** What runs were furnished with, and how each ends. */
  const asked: { snapshot: Snapshot; model: string | null }[] = [];
  let ends: (snapshot: Snapshot) => Promise<EvalReport> = async () => reportOf();

  beforeAll(async () => {
    part = await startQuality(open);
    runner = createEvalsRunner({
      ...{ db: part.database.db, clock: part.deps.clock, log: { error() {} } },
      bootId: part.deps.bootId,
      play({ model }, snapshot) {
        asked.push({ snapshot, model });
        return ends(snapshot);
      },
    });
    Object.assign(part.deps, { evals: runner, registry: catalogRegistry() });
  });
  afterAll(() => part.close());

  function newOffice(): Promise<QualityPart> {
    offices += 1;
    return openQualityPart(part, `evals-${offices}`);
  }

  describe("scenarios", () => {
    it("are added, replaced by name, and shown as they were written", async () => {
      const office = await newOffice();
      const put = (one: object) => office.admin("PUT", "/quality/evals/cases", { cases: [one] });
      expect((await put(LETTER)).status).toBe(200);
      await put({ ...LETTER, message: "Send it again", is_active: false });
      const { body } = await office.operator("GET", "/quality/evals/cases");
      expect(body.items).toEqual([
        expect.objectContaining({
          ...{ case_name: "a letter", messages: ["Send it again"], is_active: false },
          ...{ expected_tool: "send_email", expected_policy_result: "schema_failed" },
          source: "api",
        }),
      ]);
      expect((await put(body.items[0])).status).toBe(200); // what GET shows PUT takes
    });

    it("are all saved, or none; the error has the path", async () => {
      const office = await newOffice();
      const { status, body } = await office.admin("PUT", "/quality/evals/cases", {
        cases: [LETTER, { ...LETTER, case_name: "b", client: { kyc: "maybe" } }],
      });
      expect(status).toBe(400);
      expect(body.error.path).toBe("cases.1.client.kyc");
      expect((await office.admin("GET", "/quality/evals/cases")).body.items).toEqual([]);
    });

    it.each<[object, string]>([
      [{ forbidden_tools: ["delete_customer", "delete_custommer"] }, "forbidden_tools.1"],
      [{ expected_tool: "sendmail" }, "expected_tool"],
      [{ forbidden_tools: ["send_email"] }, "expected_tool"],
      [
        { expected_policy_result: undefined, expected_arguments: { subjekt: "x" } },
        "expected_arguments.subjekt",
      ],
      [{ reply_must_match: ["("] }, "reply_must_match.0"],
      [{ before: [{ client: "x" }, { cleint: "x" }] }, "before.1"],
      [{ transfers: [{ amount: "1" }] }, "transfers.0.to"],
      [{ faults: [{ service: "chain", kind: "dwon", count: 1 }] }, "faults.0.kind"],
      [{ caes_name: "x" }, "caes_name"],
    ])("that could never hold or never fail are refused: %j", async (change, path) => {
      const office = await newOffice();
      const cases = [
        { ...LETTER, case_name: "good" },
        { ...LETTER, ...change },
      ];
      const { status, body } = await office.admin("PUT", "/quality/evals/cases", { cases });
      expect([400, 422]).toContain(status);
      expect(body.error.path).toMatch(new RegExp(`^cases\\.1\\.${path.replaceAll(".", "\\.")}`));
      expect((await office.admin("GET", "/quality/evals/cases")).body.items).toEqual([]);
    });

    it("are described as they are checked", async () => {
      const { body } = await part.call("GET", "/openapi.json");
      const { put, get } = body.paths["/quality/evals/cases"];
      const { cases } = put.requestBody.content["application/json"].schema.properties;
      expect(cases).toMatchObject({ minItems: 1, maxItems: 500 });
      expect(cases.items).toMatchObject({
        ...{ additionalProperties: false, required: ["case_name", "language"] },
        properties: { forbidden_tools: { maxItems: 50, items: { pattern: expect.any(String) } } },
      });
      const limit = get.parameters.find(({ name }: { name: string }) => name === "limit");
      expect(limit).toMatchObject({
        ...{ required: false },
        schema: { type: "integer", minimum: 1, maximum: 200, default: 50 },
      });
      const office = await newOffice();
      for (const asked of ["0", "201", "1.5", "x", "", "007"]) {
        const list = await office.admin("GET", `/quality/evals/cases?limit=${asked}`);
        expect([asked, list.status, list.body.error?.path]).toEqual([asked, 400, "limit"]);
      }
    });

    it("go page by page", async () => {
      const office = await newOffice();
      const cases = ["a", "b", "c"].map((case_name) => ({ ...LETTER, case_name }));
      await office.admin("PUT", "/quality/evals/cases", { cases });
      const first = await office.admin("GET", "/quality/evals/cases?limit=2");
      const cursor = first.body.next_cursor;
      const second = await office.admin("GET", `/quality/evals/cases?limit=2&cursor=${cursor}`);
      const names = [first, second].map(({ body }) =>
        body.items.map(({ case_name }: { case_name: string }) => case_name),
      );
      expect(names).toEqual([["a", "b"], ["c"]]);
      expect(second.body.next_cursor).toBeNull();
    });

    it("are an admin's to change", async () => {
      const office = await newOffice();
      const { status } = await office.operator("PUT", "/quality/evals/cases", { cases: [LETTER] });
      expect(status).toBe(403);
    });
  });

  describe("a regression case", () => {
    it("becomes a scenario of the same number", async () => {
      const office = await newOffice();
      await addRegression(office, [{ role: "user", content: "Send me the rules" }]);
      const path = "/quality/evals/cases/from-regression";
      const { status, body } = await office.admin("POST", path, { id: "REG-1" });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        ...{ case_name: "REG-1: a letter too many", source: "REG-1" },
        ...{ messages: ["Send me the rules"], forbidden_tools: ["send_email"] },
      });
      expect((await office.admin("POST", path, { id: 1 })).status).toBe(201);
      expect((await office.admin("GET", "/quality/evals/cases")).body.items).toHaveLength(1);
      expect((await office.admin("POST", path, { id: 2 })).status).toBe(404);
    });

    it("without a client's words is refused", async () => {
      const office = await newOffice();
      await addRegression(office, []);
      const { status, body } = await office.admin("POST", "/quality/evals/cases/from-regression", {
        id: 1,
      });
      expect([status, body.error.path]).toEqual([422, "id"]);
    });
  });

  describe("a run", () => {
    it("answers at once, takes the tenant's own rules and cases, and leaves rows", async () => {
      const office = await newOffice();
      await office.admin("PUT", "/quality/evals/cases", { cases: [LETTER] });
      ends = async () => reportOf({ case_name: "a letter", passed: false });
      const started = await office.admin("POST", "/quality/evals/runs", { model: "m-2" });
      expect(started).toMatchObject({ status: 202, body: { status: "running" } });
      await runner.settled();
      const { snapshot, model } = asked.at(-1) ?? {};
      expect(model).toBe("m-2");
      expect(snapshot?.policies?.map(({ tool_name }) => tool_name)).toEqual(["change_authority"]);
      const names = snapshot?.cases?.map(({ case_name }) => case_name);
      expect(names).toContain("a letter");
      expect(names).toContain("duplicate key (en)");
      // no secrets, people or deals
      expect(Object.keys(snapshot ?? {}).sort()).toEqual([
        "cases",
        "knowledge",
        "policies",
        "tools",
      ]);
      const { body } = await office.operator("GET", "/quality/evals/runs");
      expect(body.running).toBeNull();
      expect(body.items).toEqual([
        expect.objectContaining({
          ...{ batch_id: started.body.batch_id, case_name: "a letter", passed: false },
          ...{ model_id: "m", agent_version: "v", failure_reason: "why" },
        }),
      ]);
    });

    it("is the only one; a second is refused until it has ended", async () => {
      const [office, other] = [await newOffice(), await newOffice()];
      let finish = () => {};
      ends = () =>
        new Promise((resolve) => {
          finish = () => resolve(reportOf());
        });
      const { body } = await office.admin("POST", "/quality/evals/runs", {});
      expect((await office.admin("POST", "/quality/evals/runs", {})).status).toBe(409);
      expect((await other.admin("POST", "/quality/evals/runs", {})).status).toBe(409);
      const shown = await office.operator("GET", "/quality/evals/runs");
      expect(shown.body.running).toMatchObject({ batch_id: body.batch_id, model: null });
      expect((await other.operator("GET", "/quality/evals/runs")).body.running).toBeNull();
      await expect.poll(() => asked.at(-1)?.model).toBeNull();
      finish();
      await runner.settled();
      ends = async () => reportOf();
      expect((await other.admin("POST", "/quality/evals/runs", {})).status).toBe(202);
      await runner.settled();
    });

    it("that could not be made is told in the list", async () => {
      const office = await newOffice();
      ends = () => Promise.reject(new Error("OPENAI_API_KEY: is missing"));
      await office.admin("POST", "/quality/evals/runs", {});
      await runner.settled();
      const { body } = await office.operator("GET", "/quality/evals/runs");
      expect(body.items).toEqual([
        expect.objectContaining({
          ...{ passed: false, case_name: null, eval_case_id: "" },
          failure_reason: "the evals did not run: OPENAI_API_KEY: is missing",
        }),
      ]);
    });

    it("is an admin's to start", async () => {
      const office = await newOffice();
      expect((await office.operator("POST", "/quality/evals/runs", {})).status).toBe(403);
    });
  });

  it("runs that have ended are listed with their totals, page by page", async () => {
    const office = await newOffice();
    const names = ["a", "b", "c"];
    const cases = names.map((case_name) => ({ ...LETTER, case_name }));
    await office.admin("PUT", "/quality/evals/cases", { cases });
    const batches: string[] = [];
    const run = async (how: typeof ends) => {
      ends = how;
      const { body } = await office.admin("POST", "/quality/evals/runs", { model: "m-2" });
      batches.unshift(body.batch_id);
      await runner.settled();
    };
    await run(async () => reportOf(...names.map((case_name) => ({ case_name, passed: false }))));
    await run(async () => reportOf(...names.map((case_name, n) => ({ case_name, passed: n < 2 }))));
    await run(() => Promise.reject(new Error("no key")));
    const first = await office.operator("GET", "/quality/evals/batches?limit=2");
    expect(first.body.items).toMatchObject([
      { model_id: "m-2", total: 0, passed: 0, failed: 0, error: "the evals did not run: no key" },
      { model_id: "m", agent_version: "v", total: 3, passed: 2, failed: 1, error: null },
    ]);
    const next = `/quality/evals/batches?limit=2&cursor=${first.body.next_cursor}`;
    const second = await office.operator("GET", next);
    expect(second.body).toMatchObject({
      items: [{ total: 3, passed: 0, failed: 3, error: null }],
      next_cursor: null,
    });
    const shown = [...first.body.items, ...second.body.items];
    expect(shown.map(({ batch_id }: { batch_id: string }) => batch_id)).toEqual(batches);
  });

  it("two runs are compared", async () => {
    const office = await newOffice();
    await office.admin("PUT", "/quality/evals/cases", { cases: [LETTER] });
    const batches: string[] = [];
    for (const passed of [true, false]) {
      ends = async () => reportOf({ case_name: "a letter", passed });
      const { body } = await office.admin("POST", "/quality/evals/runs", {});
      batches.push(body.batch_id);
      await runner.settled();
    }
    const [before, after] = batches;
    const path = `/quality/evals/compare?before=${before}&after=${after}`;
    expect((await office.operator("GET", path)).body).toMatchObject({
      ...{ fixed: [], broken: [{ case_name: "a letter", failure_reason: "why" }] },
      same: { passed: 0, failed: 0 },
    });
    const nobody = `/quality/evals/compare?before=${before}&after=nothing`;
    expect((await office.operator("GET", nobody)).status).toBe(404);
  });
});

function reportOf(...outcomes: { case_name: string; passed: boolean }[]): EvalReport {
  const results = outcomes.map((result) => ({
    ...{ ...result, source: "api", risk_level: null, forbidden_called: [], ms: 1 },
    ...{ expected_tool: null, actual_tool: null, actual_arguments: null, reply: null },
    ...{ policy_result: null, failure_reason: result.passed ? null : "why" },
  }));
  return {
    ...{ batch_id: "of the process", generated_at: "2026-11-30T10:00:00Z", agent_version: "v" },
    ...{ model_id: "m", total: results.length, passed: 0, failed: 0, forbidden: 0, results },
  };
}

function addRegression(office: QualityPart, messages: { role: string; content: string }[]) {
  const { tenantId, part } = office;
  return office.rows((tx) =>
    insertCase(tx, {
      ...{ tenantId, proposalNumber: null, toolCallNumber: null, toolName: "send_email" },
      ...{ label: "wrong_tool", title: "a letter too many", createdByNumber: null },
      inputJson: {
        ...{ toolName: "send_email", args: {}, messages },
        feedback: { label: "wrong_tool", note: null },
      },
      expectedJson: { behavior: "it is not called", forbiddenTools: ["send_email"] },
      contextJson: { language: "en" },
      now: part.deps.clock.now(),
    }),
  );
}
