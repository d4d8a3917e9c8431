import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import { changeAlone } from "../support/desk-authority.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";
import { runProgram } from "../support/process.ts";

const REVIEW = -1002000000002;
const EXPORT = "/quality/tool-call-regression-cases/export.jsonl";
const TOOL = "create_task_draft";

/** From an emoji in Telegram to a red build, and from the mended rule to a green one. */
forEachEngine((engine) => {
  let desk: Desk;
  let lead: Lead;
  let token: string;
  let folder: string;
  let proposal: Played;
  let record: Played;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-lab-"));
    desk = await openDesk(engine);
    lead = desk.lead();
    const { items } = await desk.admin("GET", "/staff");
    const admin = items.find(({ role }: Played) => role === "admin");
    ({ token } = await desk.admin("POST", `/staff/${admin.id}/tokens`, { expires_in_days: 1 }));
    // the model drafts a task where the client only asked for the rate
    const args = { title: "Call back", description: "At noon", priority: "low" };
    await desk.script([{ tool_calls: [{ name: TOOL, arguments: args }] }]);
    await lead.says("How many baht will I get for 100 USDT?");
  });
  afterAll(async () => {
    await desk.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  async function regressions(...args: string[]) {
    const env = { QUALITY_LAB_TOKEN: token };
    return runProgram("cli.ts", ["quality:tool-regressions", ...args], { env, cwd: folder });
  }

  test("staff react with 🤔 in Telegram: the call is labelled, and a proposal stands", async () => {
    const posts: Played[] = await desk.world.get(`telegram/chats/${REVIEW}/messages`);
    const reply = posts.findLast(({ from_bot }) => from_bot);
    const shown = { chat_id: REVIEW, user_id: 2002, message_id: reply?.message_id };
    await desk.world.post("telegram/reactions", { ...shown, emoji: ["🤔"] });
    await desk.idle();
    const { items: calls } = await desk.admin("GET", `/quality/tool-calls?tool=${TOOL}`);
    expect(calls).toMatchObject([{ feedback: [{ label: "wrong_tool", source: "reaction" }] }]);
    const { items } = await desk.admin(
      "GET",
      "/quality/tool-call-feedback/proposals?status=pending",
    );
    // the reply came with a quote, too: a label is about each call of it
    proposal = items.find(({ tool_name }: Played) => tool_name === TOOL);
    expect(proposal).toMatchObject({ label: "wrong_tool", labels: 1 });
  });

  test("Case: the reviewer says what is expected, and the proposal is applied by it", async () => {
    record = await desk.admin("POST", `/quality/proposals/${proposal.id}/case`, {
      title: "No task where a rate was asked",
      behavior: "No task is drafted for a client whose identity nobody has checked",
      expected_policy_result: "deny",
    });
    expect(record).toMatchObject({ toolName: TOOL, label: "wrong_tool", status: "active" });
    const { items } = await desk.admin(
      "GET",
      "/quality/tool-call-feedback/proposals?status=applied",
    );
    const ref = { kind: "regression_case", value: `REG-${record.id}` };
    expect(items).toMatchObject([{ id: proposal.id, resolution: { ref } }]);
  });

  test("the exported file holds the case, and its shape is right", async () => {
    const answer = await fetch(`${desk.origin()}/api/admin${EXPORT}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    writeFileSync(join(folder, "cases.jsonl"), await answer.text());
    const shape = await regressions("--file", "cases.jsonl");
    expect({ code: shape.code, out: shape.out }).toEqual({
      code: 0,
      out: "1 cases: 1 passed, 0 failed, 0 skipped\n",
    });
  });

  describe("the runner replays it against the rules", () => {
    const reports = ["--out-json", "r.json", "--out-junit", "r.xml", "--out-md", "r.md"];
    let faulty: Played[];
    beforeAll(async () => {
      ({ policies: faulty } = await desk.admin("GET", "/policies"));
    });

    test("red with the faulty ones: exit code 1, and every report names the fault", async () => {
      writeFileSync(join(folder, "faulty.json"), JSON.stringify({ policies: faulty }));
      const rules = ["--replay", "--policies", "faulty.json"];
      const { code, out } = await regressions("--file", "cases.jsonl", ...rules, ...reports);
      const fault = `line 1, case ${record.id}, tool ${TOOL}, path replay.policyResult: expected deny, actual allow`;
      expect({ code, out }).toEqual({
        code: 1,
        out: `FAIL ${fault}\n1 cases: 0 passed, 1 failed, 0 skipped\n`,
      });
      expect(JSON.parse(read("r.json"))).toMatchObject({
        metadata: { flags: { replay: true } },
        summary: { total: 1, failed: 1, passed: 0, active: 1 },
        results: [{ id: record.id, faults: [{ path: "replay.policyResult", actual: "allow" }] }],
      });
      expect(read("r.xml")).toMatch(/failures="1"[\s\S]*<failure[\s\S]*replay\.policyResult/);
      expect(read("r.md")).toContain("replay.policyResult");
    });

    test("green with the mended ones, read from the bot itself", async () => {
      const mended = faulty.map((row) =>
        row.tool_name === TOOL ? { ...row, condition_json: { kyc: "verified" } } : row,
      );
      const base = ["--api-base", desk.origin(), "--replay"];
      expect((await regressions(...base)).code).toBe(1);
      await changeAlone(desk, "PUT", "/policies", { policies: mended });
      const { code, out } = await regressions(...base, ...reports);
      expect({ code, out }).toEqual({ code: 0, out: "1 cases: 1 passed, 0 failed, 0 skipped\n" });
      expect(JSON.parse(read("r.json"))).toMatchObject({ summary: { failed: 0, passed: 1 } });
      expect(read("r.xml")).not.toContain("<failure");
    });

    test("an archived case is skipped, and counts again when it is restored", async () => {
      const ref = `/quality/tool-call-regression-cases/REG-${record.id}`;
      await desk.admin("POST", `${ref}/archive`, {});
      const base = ["--api-base", desk.origin(), "--status", "all"];
      expect((await regressions(...base)).out).toBe(
        "1 cases: 0 passed, 0 failed, 1 skipped (archived 1)\n",
      );
      await desk.admin("POST", `${ref}/restore`, {});
      expect((await regressions(...base)).out).toBe("1 cases: 1 passed, 0 failed, 0 skipped\n");
    });

    test("and with the model: the scripted fault is red, the model's own answer green", async () => {
      writeFileSync(join(folder, "script.json"), JSON.stringify([scriptedFault]));
      const cases = ["--api-base", desk.origin(), "--replay"];
      const bad = await regressions(...cases, "--script", "script.json", "--json");
      const report = JSON.parse(bad.out);
      expect([bad.code, report.results[0].status]).toEqual([1, "failed"]);
      expect(JSON.stringify(report.results[0].faults)).toContain(`no call of ${TOOL}`);
      expect((await regressions(...cases, "--model", "sandbox")).code).toBe(0);
    });
  });

  const scriptedFault = {
    tool_calls: [
      { name: TOOL, arguments: { title: "Again", description: "A task", priority: "low" } },
    ],
  };
});
