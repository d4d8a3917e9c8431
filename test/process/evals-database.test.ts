import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openPostgres, prepareDatabase } from "../../src/store/database.ts";
import { withOwner, withTenant } from "../../src/store/db.ts";
import { listEvalCases } from "../../src/store/eval-cases.ts";
import { listEvalRuns } from "../../src/store/eval-runs.ts";
import { addPolicyRows } from "../../src/store/policies.ts";
import { ensureTenant } from "../../src/store/tenants.ts";
import { defaultPolicies } from "../../src/tools/default-policies.ts";
import { type OwnDatabase, onServer } from "../support/engines.ts";
import { runProgram } from "../support/process.ts";
import { withTestKey } from "../support/row-key.ts";

const TENANT = "shop";
/** The key that `withTestKey` signs with. */
const MASTER_KEY = "09".repeat(32);

onServer((engine) => {
  let own: OwnDatabase;
  let database: Database;
  let dir: string;
  const url = () => own.url ?? "";

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "evals-database-"));
    own = await engine.open();
    database = withTestKey(await openPostgres(url()));
  });
  afterAll(async () => {
    await database.close();
    await own.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  const evals = (...args: string[]) =>
    runProgram("cli.ts", ["evals", "--database", url(), "--tenant", TENANT, ...args], {
      env: { MASTER_KEY },
      cwd: dir,
    });
  const rows = <T>(work: Parameters<typeof withTenant<T>>[2]) =>
    withTenant(database.db, TENANT, work);

  it("wants a database that a bot has been started on, with this tenant", async () => {
    const empty = await evals();
    expect([empty.code, empty.err]).toEqual([1, expect.stringMatching(/^--database: is empty/)]);
    await prepareDatabase(database, "sandbox");
    const nobody = await evals();
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("no tenant shop")]);
  });

  it("plays under the tenant's own rules, and keeps cases and results there", async () => {
    await withOwner(database.db, (tx) => ensureTenant(tx, { id: TENANT, name: "Shop", now: 1 }));
    const forbidding = defaultPolicies().map((rule) =>
      rule.tool_name === "create_task_draft" ? { ...rule, allow_call: false } : rule,
    );
    await rows((tx) => addPolicyRows(tx, TENANT, forbidding));
    const cases = join(dir, "cases.yaml");
    writeFileSync(
      cases,
      `- case_name: no drafts here
  language: en
  message: "Please make a task: call me back"
  expected_tool: create_task_draft
  expected_policy_result: deny
  expected_effects: { tasks: 0 }
`,
    );
    const { code, out } = await evals("--cases", cases);
    expect(out).toContain("1 cases: 1 passed");
    expect(code).toBe(0);
    const page = { tenantId: TENANT, limit: 10, after: null };
    const [stored] = await rows((tx) => listEvalCases(tx, page));
    expect(stored).toMatchObject({ caseName: "no drafts here", source: cases });
    expect(await rows((tx) => listEvalRuns(tx, page))).toEqual([
      expect.objectContaining({
        ...{ caseName: "no drafts here", passed: true, policyResult: "deny" },
        ...{ modelId: "sandbox-rules", evalCaseId: stored?.id },
      }),
    ]);
  });
});
