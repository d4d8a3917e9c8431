import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handCommand } from "../../src/store/folder-lock.ts";
import { freePort, REPOSITORY, type Running, startProgram } from "../support/process.ts";

/** Commands that a reader types first; `.ci/run` and `npm test` themselves run them. */
const RUN_BY_CI: Record<string, string> = {
  "npm ci": ".ci/run",
  "npm test": ".ci/run",
  "npm run check": "scripts/test.ts",
};

interface Documented {
  file: string;
  command: string;
}

const scripts = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"))
  .scripts as Record<string, string>;

describe("every command in the documents works", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "countersign-docs-"));
  let bot: Running;
  let origin = "";
  let token = "";

  beforeAll(async () => {
    const env = { DATA_DIR: dataDir, PORT: String(await freePort()), COALESCE_MS: "30" };
    bot = startProgram("main.ts", [], { env, cwd: dataDir });
    origin = (await bot.says(/ready on (\S+)/))[1] ?? "";
    token = /shown this once: (\S+)/.exec(bot.out())?.[1] ?? "";
  });

  afterAll(async () => {
    await bot.terminate();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("there are commands to test", () => {
    expect(documented().length).toBeGreaterThan(5);
  });

  test.each(documented())("$file: $command", async ({ command }) => {
    const runner = RUN_BY_CI[command];
    if (runner) {
      const text = readFileSync(join(REPOSITORY, runner), "utf8");
      expect(text).toMatch(command === "npm run check" ? /"tsc"/ : new RegExp(command));
      return;
    }
    if (command === "npm start") {
      expect(scripts.start).toContain("src/main.ts");
      expect(bot.out()).toContain("ready on");
      return;
    }
    const ready = command
      .replaceAll(/(http:\/\/127\.0\.0\.1|localhost):3000/g, origin.replace("http://localhost", ""))
      .replace("--staff ID", `--staff ${await staffId()}`)
      .replace(" countersign.backup", ` ${join(dataDir, "countersign.backup")}`);
    const { stdout } = await run(ready);
    expect(stdout.trim()).not.toBe("");
    expect(stdout).not.toContain('"error"');
  });

  async function run(command: string) {
    const env = { ...minimalEnvironment(), DATA_DIR: dataDir, TOKEN: await personalToken() };
    return promisify(execFile)("sh", ["-c", command], { cwd: REPOSITORY, env });
  }

  /** The desk is open: ADMIN_TOKEN only reads. */
  async function personalToken(): Promise<string> {
    const command = { command: "tokens", args: ["create", "--staff", await staffId()] };
    const lines: string[] = [];
    await handCommand(dataDir, { ...command, cwd: dataDir }, (line) => lines.push(line));
    return lines[0] ?? "";
  }

  async function staffId(): Promise<string> {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${origin}/api/admin/staff?tenant=default`, { headers });
    const { items } = (await answer.json()) as { items: { id: string; role: string }[] };
    return items.find((person) => person.role === "admin")?.id ?? "";
  }
});

test("every npm script that a document names exists", () => {
  const named = documents().flatMap(({ text }) => [...text.matchAll(/npm run ([\w:-]+)/g)]);
  for (const [, name] of named) expect(Object.keys(scripts)).toContain(name);
});

function documented(): Documented[] {
  return documents().flatMap(({ file, text }) =>
    [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
      .flatMap(([, block]) => (block ?? "").split("\n"))
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((command) => ({ file, command })),
  );
}

function documents(): { file: string; text: string }[] {
  const docs = readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" });
  const files = [
    ...["README.md", "AGENTS.md", "CONTRIBUTING.md"],
    ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name)),
  ];
  return files.map((file) => ({ file, text: readFileSync(join(REPOSITORY, file), "utf8") }));
}

/** What a shell needs to find node and npm; nothing of the developer's own settings. */
function minimalEnvironment(): Record<string, string> {
  // biome-ignore lint/style/noProcessEnv: PATH and HOME of the machine, for npm
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}
