import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY } from "../support/process.ts";
import { jsonl, regressionCase } from "../support/regression-case.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

interface Step {
  id?: string;
  run?: string;
  env?: Record<string, string>;
}

const TOKEN = "lab-token-of-the-workflow";
const file = join(REPOSITORY, ".github/workflows/tool-regressions.yml");
const job = parse(readFileSync(file, "utf8")).jobs["tool-call-regressions"];
const setup = (job.steps as Step[]).find(({ id }) => id === "setup");
const look = (job.steps as Step[]).find(({ run }) => run?.includes("quality:tool-regressions"));

let folder = "";
let bot: ScriptedServer;

beforeAll(async () => {
  bot = await startScriptedServer();
});
afterAll(() => bot.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-workflow-"));
  bot.seen.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string) => join(folder, name);
const written = (name: string) =>
  existsSync(inFolder(name)) ? readFileSync(inFolder(name), "utf8") : "";

/** A step as the runner does it: secrets and variables that are not set are empty. */
function runStep(step: Step | undefined, given: Record<string, string>) {
  const wanted = Object.entries({ ...job.env, ...step?.env } as Record<string, string>);
  const filled = wanted.map(([name, text]) => {
    const source = /^\$\{\{ (?:vars|secrets)\.(\w+) \}\}$/.exec(text)?.[1] ?? "";
    return [name, given[source] ?? ""];
  });
  // biome-ignore lint/style/noProcessEnv: where bash and node are
  const { PATH = "" } = process.env;
  const env = {
    ...{ PATH, ...Object.fromEntries(filled), RUNNER_TEMP: folder },
    GITHUB_OUTPUT: inFolder("output"),
    GITHUB_STEP_SUMMARY: inFolder("summary"),
  };
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 99"];
  return new Promise<{ code: number; out: string }>((resolve) => {
    execFile("bash", args, { cwd: REPOSITORY, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, out: `${stdout}${stderr}` });
    });
  });
}

describe("a workflow that is not set up", () => {
  const base = { QUALITY_TOOL_REGRESSION_API_BASE: "https://bot.example.com" };
  const token = { QUALITY_LAB_TOKEN: TOKEN };

  it.each([
    ["the token", base, /secret QUALITY_LAB_TOKEN/, /API_BASE/],
    ["the address", token, /variable QUALITY_TOOL_REGRESSION_API_BASE/, /LAB_TOKEN/],
    ["both", {}, /LAB_TOKEN and the variable QUALITY_TOOL_REGRESSION_API_BASE/, /\n./],
  ])("ends green with a notice when it lacks %s", async (_what, given, named, notNamed) => {
    const { code, out } = await runStep(setup, given);
    expect(code).toBe(0);
    expect(out).toMatch(/^::notice title=[^:]+::/);
    expect(out).toMatch(named);
    expect(out).not.toMatch(notNamed);
    expect(written("output")).toBe("ready=false\n");
  });

  it("goes on without a word when it has both", async () => {
    expect(await runStep(setup, { ...base, ...token })).toEqual({ code: 0, out: "" });
    expect(written("output")).toBe("ready=true\n");
  });
});

describe("the look at the cases", () => {
  const given = (more: Record<string, string> = {}) => ({
    QUALITY_LAB_TOKEN: TOKEN,
    QUALITY_TOOL_REGRESSION_API_BASE: bot.url,
    ...more,
  });
  const answer = (...records: unknown[]) =>
    bot.answer((_request, response) => response.writeHead(200).end(jsonl(...records)));

  it("is green when every case passes, with reports and the summary", async () => {
    answer(regressionCase());
    const { code, out } = await runStep(look, given());
    expect(code).toBe(0);
    expect(out).toContain("1 passed, 0 failed");
    expect(written("summary")).toContain("## Tool call regressions");
    for (const name of ["report.json", "report.xml", "report.md", "run.log"])
      expect(written(`tool-call-regressions/${name}`)).not.toBe("");
    expect(bot.seen[0]?.path).toMatch(/\?status=active&limit=500$/);
  });

  it("is red when a case fails, and still has all of them", async () => {
    answer(regressionCase(), regressionCase({ id: 8, title: "" }));
    const { code } = await runStep(look, given());
    expect(code).toBe(1);
    expect(written("summary")).toContain("| 2 | 8 | send_email | title |");
    expect(written("tool-call-regressions/report.xml")).toContain("<failure");
  });

  it("is red when the bot cannot be asked, and the summary says so", async () => {
    bot.answer((_request, response) => response.writeHead(401).end());
    const { code, out } = await runStep(look, given());
    expect(code).toBe(1);
    expect(out).toContain("refuses the token (401)");
    expect(written("summary")).toContain("no report was made");
    expect(written("tool-call-regressions/run.log")).toContain("401");
  });

  it.each([
    ["true", 0],
    ["1", 0],
    ["false", 1],
    ["", 1],
  ])("takes the variables; skipping of other tools set to '%s'", async (skip, code) => {
    answer(regressionCase());
    const variables = {
      STATUS: "all",
      LIMIT: "7",
      TOOLS: "create_task_draft",
      SKIP_UNSUPPORTED: skip,
    };
    const named = Object.entries(variables).map(([name, value]) => [
      `QUALITY_TOOL_REGRESSION_${name}`,
      value,
    ]);
    expect(await runStep(look, given(Object.fromEntries(named)))).toMatchObject({ code });
    expect(bot.seen[0]?.path).toMatch(/\?status=all&limit=7$/);
  });

  it("runs nothing that stands in a variable", async () => {
    answer(regressionCase());
    const evil = `x"; touch ${inFolder("owned")}; $(touch ${inFolder("owned")}) \`touch ${inFolder("owned")}\``;
    const { out } = await runStep(look, given({ QUALITY_TOOL_REGRESSION_TOOLS: evil }));
    expect(out).toContain("path toolName");
    expect(existsSync(inFolder("owned"))).toBe(false);
  });

  it("lets no case speak to the runner", async () => {
    answer(
      regressionCase({ label: "x\n::error::owned" }),
      regressionCase({ id: 8, label: "##[error]y" }),
    );
    const { out } = await runStep(look, given());
    const pause = /^::stop-commands::(\S{30,})$/m.exec(out)?.[1];
    const [, shut = ""] = out.split(`::stop-commands::${pause}\n`);
    const [within = "", after] = shut.split(`::${pause}::\n`);
    expect(within).toContain("##[error]y");
    expect(within).not.toMatch(/^::/m);
    expect(after).toBe("");
  });
});
