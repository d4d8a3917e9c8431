import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort, runProgram } from "../support/process.ts";
import { caseAbout, jsonl, regressionCase } from "../support/regression-case.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const TOKEN = "lab-token-3f9c1d7a";
const EXPORT = "/api/admin/quality/tool-call-regression-cases/export.jsonl";

let folder = "";
let bot: ScriptedServer;

beforeAll(async () => {
  bot = await startScriptedServer();
});
afterAll(() => bot.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-regressions-"));
  bot.seen.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(inFolder(name), "utf8");
const linesOf = (text: string) => text.trimEnd().split("\n");

async function run(args: string[], env: Record<string, string> = { QUALITY_LAB_TOKEN: TOKEN }) {
  const ended = await runProgram("cli.ts", ["quality:tool-regressions", ...args], {
    env,
    cwd: folder,
  });
  expect(`${ended.out}${ended.err}`).not.toContain(TOKEN);
  return ended;
}

function runFile(content: string, ...args: string[]) {
  writeFileSync(inFolder("cases.jsonl"), content);
  return run(["--file", "cases.jsonl", ...args]);
}

function runApi(content: string, ...args: string[]) {
  bot.answer((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end(content);
  });
  return run(["--api-base", bot.url, ...args]);
}

const right = regressionCase();
const wrong = regressionCase({ id: 8, title: "", createdAt: "1764500000" });
const archived = regressionCase({ id: 9, status: "archived" });
const foreign = caseAbout("unknown_tool", { id: 10 });

describe("a file", () => {
  it("passes with 0 when every case is right", async () => {
    const { code, out, err } = await runFile(
      jsonl(right, caseAbout("offer_booking_link", { id: 8 })),
    );
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "2 cases: 2 passed, 0 failed, 0 skipped\n",
      err: "",
    });
  });

  it("fails with 1 and one line for every fault", async () => {
    const content = `\uFEFF# cases\r\n\r\n${jsonl(right, wrong)}{"id":\n`;
    const { code, out } = await runFile(content);
    expect(code).toBe(1);
    expect(linesOf(out)).toEqual([
      'FAIL line 4, case 8, tool send_email, path title: expected a text that is not empty, actual ""',
      'FAIL line 4, case 8, tool send_email, path createdAt: expected positive epoch seconds (whole, no milliseconds), actual "1764500000"',
      'FAIL line 5, case ?, tool ?, path (line): expected one JSON object, actual {"id":',
      "3 cases: 1 passed, 2 failed, 0 skipped",
    ]);
  });

  it("without a case is said to be so, and is no failure", async () => {
    const { code, out } = await runFile("# nothing yet\n\n", "--out-junit", "report.xml");
    expect({ code, out }).toEqual({ code: 0, out: "no cases\n" });
    expect(read("report.xml")).toContain('tests="0"');
  });

  it("that is not there ends in one line with 1", async () => {
    const { code, out, err } = await run(["--file", "nowhere.jsonl"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(linesOf(err)).toEqual([expect.stringContaining("nowhere.jsonl")]);
  });
});

describe("flags of the look", () => {
  it("--include-archived looks at archived cases", async () => {
    const skipped = await runFile(jsonl(right, { ...archived, title: 5 }));
    expect(skipped).toMatchObject({ code: 0 });
    expect(skipped.out).toContain("1 skipped (archived 1)");
    const looked = await runFile(jsonl(right, { ...archived, title: 5 }), "--include-archived");
    expect(looked).toMatchObject({ code: 1 });
    expect(looked.out).toContain("line 2, case 9, tool send_email, path title");
  });

  it("--tools allows only these", async () => {
    const content = jsonl(right, foreign);
    const product = await runFile(content);
    expect(linesOf(product.out)[0]).toMatch(/case 10, tool unknown_tool, path toolName/);
    const both = await runFile(content, "--tools", "send_email,unknown_tool");
    expect(both).toMatchObject({ code: 0, out: "2 cases: 2 passed, 0 failed, 0 skipped\n" });
    expect(both.err).toContain("this version has no unknown_tool");
    const other = await runFile(content, "--tools", "unknown_tool");
    expect(other.code).toBe(1);
    expect(other.out).toContain("case 7, tool send_email, path toolName");
  });

  it("--skip-unsupported skips cases about other tools", async () => {
    const { code, out } = await runFile(jsonl(right, foreign), "--skip-unsupported");
    expect(code).toBe(0);
    expect(out).toBe("2 cases: 1 passed, 0 failed, 1 skipped (unsupported_tool 1)\n");
  });
});

describe("reports", () => {
  const summary = { total: 3, passed: 1, failed: 1, skipped: 1, skipReasons: { archived: 1 } };

  it("--json is the report and nothing else on the standard output", async () => {
    const { code, out, err } = await runFile(jsonl(right, wrong, archived), "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      summary,
      metadata: {
        source: "cases.jsonl",
        status: null,
        limit: null,
        tools: expect.arrayContaining(["send_email", "issue_exchange_payout"]),
        flags: { includeArchived: false, skipUnsupported: false },
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      },
      results: [
        { line: 1, id: 7, status: "passed", faults: [] },
        { line: 2, id: 8, status: "failed", faults: [{ path: "title" }, { path: "createdAt" }] },
        { line: 3, id: 9, status: "skipped", reason: "archived" },
      ],
    });
    expect(err).toContain("FAIL line 2, case 8");
  });

  it("--out-json writes it", async () => {
    await runFile(jsonl(right, wrong, archived), "--out-json", "report.json");
    const report = JSON.parse(read("report.json"));
    expect(report).toMatchObject({ summary });
    expect(new Date(report.generatedAt).toISOString()).toBe(report.generatedAt);
  });

  it("--out-junit writes one testcase a case", async () => {
    await runFile(jsonl(right, wrong, archived), "--out-junit", "report.xml");
    const text = read("report.xml");
    expect(text.match(/<testcase /g)).toHaveLength(3);
    expect(text.match(/<failure /g)).toHaveLength(1);
    expect(text).toContain('<skipped message="archived"/>');
  });

  it("--out-md writes totals and what failed", async () => {
    await runFile(jsonl(right, wrong, archived), "--out-md", "report.md");
    expect(read("report.md")).toContain("| 3 | 1 | 1 | 1 | 2 | 1 | 0 |");
    expect(read("report.md")).toContain("| 2 | 8 | send_email | title |");
  });
});

describe("a bot's API", () => {
  it("--api-base is asked for active cases, with the token of the environment", async () => {
    const { code, out, err } = await runApi(jsonl(right, wrong), "--out-json", "report.json");
    expect(code).toBe(1);
    expect(out).toContain("FAIL line 2, case 8");
    expect(err).toBe("");
    expect(bot.seen.map(({ method, path }) => [method, path])).toEqual([
      ["GET", `${EXPORT}?status=active&limit=500`],
    ]);
    expect(bot.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    const report = read("report.json");
    expect(report).not.toContain(TOKEN);
    expect(JSON.parse(report).metadata).toMatchObject({
      source: `${bot.url}${EXPORT}?status=active&limit=500`,
      status: "active",
      limit: 500,
    });
  });

  it.each([
    ["--status", ["--status", "archived"], "?status=archived&limit=500"],
    ["--limit", ["--limit", "20"], "?status=active&limit=20"],
    ["--tenant", ["--tenant", "second"], "?status=active&limit=500&tenant=second"],
    ["--include-archived", ["--include-archived"], "?status=all&limit=500"],
  ])("%s is asked for", async (_flag, args, query) => {
    const { code } = await runApi(jsonl(right), ...args);
    expect(code).toBe(0);
    expect(bot.seen.map(({ path }) => path)).toEqual([`${EXPORT}${query}`]);
  });

  it("--token goes before the environment's, is warned of and shown nowhere", async () => {
    const echo = jsonl(regressionCase({ title: "", label: "other-token-77e1" }));
    const { code, out, err } = await runApi(echo, "--token=other-token-77e1", "--out-md=r.md");
    expect(bot.seen[0]?.headers.authorization).toBe("Bearer other-token-77e1");
    expect(code).toBe(1);
    expect(err).toContain("QUALITY_LAB_TOKEN");
    expect(`${out}${err}${read("r.md")}`).not.toContain("other-token-77e1");
  });

  it("may have no case", async () => {
    expect(await runApi("")).toMatchObject({ code: 0, out: "no cases\n" });
  });

  it("that refuses the token ends in one line with 1", async () => {
    bot.answer((_request, response) => response.writeHead(401).end());
    const { code, out, err } = await run(["--api-base", `${bot.url}/api/admin/`]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(linesOf(err)).toEqual([expect.stringContaining("set QUALITY_LAB_TOKEN")]);
    expect(bot.seen.map(({ path }) => path)).toEqual([`${EXPORT}?status=active&limit=500`]);
  });

  it("that is not there ends in one line with 1", async () => {
    const { code, err } = await run(["--api-base", `http://127.0.0.1:${await freePort()}`]);
    expect(code).toBe(1);
    expect(linesOf(err)).toEqual([
      expect.stringMatching(/cannot be reached \(ECONNREFUSED\); check --api-base/),
    ]);
  });
});

describe("usage", () => {
  it("--help names every flag", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    for (const flag of ["file", "api-base", "status", "limit", "token", "tenant", "tools", "json"])
      expect(out).toContain(`--${flag}`);
    for (const flag of ["include-archived", "skip-unsupported", "out-json", "out-junit", "out-md"])
      expect(out).toContain(`--${flag}`);
  });

  it.each([
    ["an unknown flag", ["--file", "x", "--fast"]],
    ["a limit that is no number", ["--api-base", "http://127.0.0.1:1", "--limit", "many"]],
  ])("that is bad ends in one line with 2: %s", async (_what, args) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(linesOf(err)).toEqual([
      expect.stringContaining("usage: npm run quality:tool-regressions"),
    ]);
  });

  it("without a token names the variable and ends with 2", async () => {
    const { code, err } = await run(["--api-base", bot.url], {});
    expect(code).toBe(2);
    expect(linesOf(err)).toEqual([expect.stringContaining("QUALITY_LAB_TOKEN")]);
    expect(bot.seen).toEqual([]);
  });

  it("reads the token of .env, too", async () => {
    writeFileSync(inFolder(".env"), "QUALITY_LAB_TOKEN=token-of-the-file\n");
    bot.answer((_request, response) => response.writeHead(200).end(jsonl(right)));
    expect(await run(["--api-base", bot.url], {})).toMatchObject({ code: 0 });
    expect(bot.seen[0]?.headers.authorization).toBe("Bearer token-of-the-file");
  });
});

describe("--replay", () => {
  const marked = (expected: object, over: object = {}) =>
    regressionCase({
      ...{ toolName: "create_task_draft", label: "bad_args", title: "A task with an extra field" },
      input: {
        toolName: "create_task_draft",
        args: { title: "Call back", description: "At noon", priority: "low", send_now: true },
        feedback: { label: "bad_args", note: null },
        messages: [{ role: "user", content: "Call me back at noon" }],
      },
      expected: { behavior: "no such field", actionItems: [], ...expected },
      ...over,
    });

  it("meets today's schemas and the rules that ship", async () => {
    const cases = jsonl(
      marked({ policyResult: "schema_failed" }),
      marked({ tool: "gone_tool" }, { id: 8 }),
    );
    const { code, out } = await runFile(cases, "--replay");
    expect(code).toBe(1);
    expect(linesOf(out)).toEqual([
      'FAIL line 2, case 8, tool create_task_draft, path expected.tool: expected a tool of this version, actual "gone_tool"',
      "2 cases: 1 passed, 1 failed, 0 skipped",
    ]);
  });

  it("asks the played model, as it is or by a script", async () => {
    const wants = jsonl(marked({ tool: "create_task_draft", args: { priority: "high" } }));
    writeFileSync(
      inFolder("script.json"),
      JSON.stringify([
        {
          tool_calls: [
            {
              name: "create_task_draft",
              arguments: { title: "Call", description: "At noon", priority: "high" },
            },
          ],
        },
      ]),
    );
    const scripted = await runFile(wants, "--replay", "--script", "script.json", "--json");
    expect(JSON.parse(scripted.out)).toMatchObject({
      metadata: { flags: { replay: true } },
      results: [{ status: "passed" }],
    });
    const played = await runFile(wants, "--replay", "--model", "sandbox");
    expect(played.code).toBe(1);
    expect(played.out).toMatch(/path replay\.(tool|args\.priority): expected/);
  });

  it("reads the rules of the bot that the cases come from", async () => {
    const denied = jsonl(
      marked(
        { policyResult: "deny" },
        { input: { ...(marked({}).input as object), args: RIGHT_ARGS }, context: { facts: FACTS } },
      ),
    );
    let rule = { ...RULE, allow_call: true };
    bot.answer((request, response) => {
      const { pathname: path } = new URL(request.path, bot.url);
      const body = path.endsWith("/policies")
        ? JSON.stringify({ policies: [rule] })
        : path.endsWith("/tools")
          ? JSON.stringify({ items: [{ name: "create_task_draft", is_active: true }] })
          : path.includes("/quality/s")
            ? JSON.stringify({ items: [] })
            : denied;
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
    const before = await run(["--api-base", bot.url, "--replay"]);
    expect(before.out).toMatch(/path replay\.policyResult: expected deny, actual allow/);
    expect(before.code).toBe(1);
    rule = { ...RULE, allow_call: false };
    expect((await run(["--api-base", bot.url, "--replay"])).code).toBe(0);
  });

  it.each([
    [["--model", "x"], /--model: has no place without --replay/],
    [["--replay", "--policies", "a", "--database", "b"], /both name rules/],
    [["--replay", "--script", "a", "--model", "gpt"], /--script: is what the played model says/],
  ])("%j is bad usage", async (args, message) => {
    const { code, err } = await runFile(jsonl(right), ...args);
    expect({ code, lines: linesOf(err).length }).toEqual({ code: 2, lines: 1 });
    expect(err).toMatch(message);
  });

  it.each([
    [["--policies", "none.json"], /--policies: none\.json cannot be read/],
    [["--model", "gpt"], /--model: gpt wants OPENAI_API_KEY/],
    [["--script", "none.json"], /--script: none\.json cannot be read/],
  ])("%j ends with one line", async (args, message) => {
    const { code, err } = await runFile(jsonl(right), "--replay", ...args);
    expect(code).toBe(1);
    expect(linesOf(err)).toHaveLength(1);
    expect(err).toMatch(message);
  });
});

const RIGHT_ARGS = { title: "Call back", description: "At noon", priority: "low" };
const RULE = {
  ...{ id: "drafts", tool_name: "create_task_draft", role: "*", condition_json: {} },
  ...{ requires_approval: false, approvals_required: 1, approver_role: "operator" },
  ...{ approval_ttl_s: null, max_calls_per_run: 3, max_payload_size: 50_000, is_active: true },
};
const FACTS = {
  tool: { name: "create_task_draft", risk: "draft_only", isActive: true, stageAllowed: true },
  known: { actor_role: "support", source: "model" },
  ...{ sameAccount: true, callsInRun: 0, payloadBytes: 10, attemptsLeft: 6 },
  ...{ costLimitReached: false, readOnlyRun: false, hasBusinessKey: false },
  approvers: { operator: 2, admin: 1 },
  ...{ rejectedBefore: false, toolWithdrawn: false, outcomeUnknown: false, payoutsStopped: false },
};
