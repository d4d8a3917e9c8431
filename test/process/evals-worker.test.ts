import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { GivenEvals } from "../../src/cli/evals-child.ts";
import type { EvalReport } from "../../src/quality/evals/run-cases.ts";
import { REPOSITORY, runProgram } from "../support/process.ts";

const TSX = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const WORKER = "cli/evals-worker.ts";
const LENDS = "Do you lend umbrellas?";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "evals-worker-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** As the bot starts it, with a channel. */
function start(): ChildProcess {
  return spawn(process.execPath, ["--import", TSX, `${REPOSITORY}src/${WORKER}`], {
    ...{ cwd: dir, env: { TMPDIR: dir }, stdio: ["ignore", "ignore", "pipe", "ipc"] },
  });
}

function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = "";
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, err })));
}

const leftOfLab = () => readdirSync(dir).filter((name) => name.startsWith("countersign-"));

const given = (snapshot: GivenEvals["snapshot"]): GivenEvals => ({ snapshot, models: null });
const UMBRELLAS = {
  ...{ case_name: "another document", language: "en" },
  ...{ message: LENDS, reply_must_match: "for free" },
};

it("plays under the rules, tools and documents of a snapshot, and its cases alone", async () => {
  const child = start();
  let report: EvalReport | undefined;
  child.on("message", (message: { report?: EvalReport }) => {
    report = message.report ?? report;
  });
  const end = ended(child);
  child.send(
    given({
      tools: { create_task_draft: false },
      knowledge: [{ source: "x.md", body: "# Umbrellas\n\nUmbrellas are lent for free." }],
      cases: [
        {
          ...{ case_name: "a tool that is off", language: "en", expected_effects: { tasks: 0 } },
          message: "Please make a task: call me back",
          forbidden_tools: ["create_task_draft"],
        },
        UMBRELLAS,
        { ...UMBRELLAS, case_name: "switched off", is_active: false },
      ],
    }),
  );
  expect(await end).toEqual({ code: 0, err: "" });
  expect(report).toMatchObject({ total: 2, passed: 2, model_id: "sandbox-rules" });
  expect(leftOfLab()).toEqual([]);
});

it.each([
  ["nothing to play", {}, /^there is no active case$/],
  ["what is no snapshot", { rules: [] }, /^the snapshot: .*rules/],
  [
    "a bad case",
    { cases: [{ ...UMBRELLAS, client: { kyc: "maybe" } }] },
    /^the snapshot: case "another document": client\.kyc: /,
  ],
])("with %s ends with one line", async (_what, snapshot, told) => {
  const child = start();
  const end = ended(child);
  child.send(given(snapshot as GivenEvals["snapshot"])); // wrong on purpose
  const { code, err } = await end;
  expect(code).toBe(1);
  expect(err.trimEnd().split("\n")).toEqual([expect.stringMatching(told)]);
});

it.each(["the bot goes away", "it is told to end"])(
  "ends in the middle of its work when %s, and leaves nothing behind",
  async (why) => {
    const child = start();
    // Node tells no "close" of a process whose channel was closed here
    const code = new Promise((resolve) => child.once("exit", resolve));
    const cases = Array.from({ length: 500 }, (_one, n) => ({ ...UMBRELLAS, case_name: `${n}` }));
    child.send(given({ cases }));
    await expect.poll(leftOfLab).toHaveLength(1);
    if (why === "the bot goes away") child.disconnect();
    else child.kill("SIGTERM");
    expect(await code).toBe(1);
    expect(leftOfLab()).toEqual([]);
  },
);

it("is nothing for people: it names the command", async () => {
  const { code, err } = await runProgram(WORKER, [], { cwd: dir });
  expect([code, err]).toEqual([2, expect.stringMatching(/use npm run evals\n$/)]);
});
