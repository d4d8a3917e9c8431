import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbedded } from "../../src/store/database.ts";
import { createPlayedWorld } from "../support/played-world.ts";
import { freePort, type Running, runProgram, startProgram } from "../support/process.ts";
import { expectRefusal } from "./refusal.ts";

const TOKEN_LINE = /Admin token for the set-up, shown this once: (\S+)/;
const READY = /Countersign is ready on (\S+)/;

let folder: string;
let env: Record<string, string>;
let origin: string;
let running: Running;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
  env = { DATA_DIR: folder, PORT: String(await freePort()) };
  running = startProgram("main.ts", [], { env, cwd: folder });
  [, origin = ""] = await running.says(READY);
});
afterAll(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ["--help", 0, /^usage: npm start /],
  ["--prot=4000", 2, /^--prot=4000: npm start takes no arguments; usage: /],
])("npm start -- %s starts nothing", async (argument, code, line) => {
  const ended = await runProgram("main.ts", [argument], { cwd: folder, env: { DATA_DIR: folder } });
  expect(ended.code).toBe(code);
  expect(ended.out + ended.err).toMatch(line);
});

describe("with nothing configured, on an empty folder", () => {
  it("prints the playground and, once, the admin token", () => {
    expect(running.out()).toContain(`Playground: ${origin}/sandbox`);
    expect(running.out()).toMatch(TOKEN_LINE);
    expect(running.out()).toMatch(/^Countersign is starting …\n/);
    expect(running.err()).toBe("");
  });

  it.each(["/healthz", "/readyz", "/metrics", "/sandbox"])("answers on %s", async (path) => {
    const answer = await fetch(origin + path);
    expect(answer.status, await answer.text()).toBe(200);
  });

  it("tells each part's state on /readyz", async () => {
    const parts = await (await fetch(`${origin}/readyz`)).json();
    expect(parts).toMatchObject({
      ok: true,
      database: { ok: true },
      queue: { ok: true },
      telegram: { ok: true },
      slack: { ok: true },
    });
  });

  it.each([
    ["a foreign Host", { host: "desk.example.com" }],
    ["a foreign Origin", { origin: "https://desk.example.com" }],
    ["a forwarding proxy", { "x-forwarded-for": "203.0.113.7" }],
  ])("refuses the played world to %s", async (_who, headers) => {
    expect(await statusOf(`${origin}/sandbox/api/payouts`, headers)).toBe(403);
  });

  it("turns a second process on the same folder away and names the first", async () => {
    const named = new RegExp(
      `^DATA_DIR: .* is in use by process ${running.pid} \\(since .*stop it`,
    );
    await expectRefusal({ ...env, PORT: "0" }, named);
  });
});

describe("commands, while the process holds the folder", () => {
  const shell = (...args: string[]) => runProgram("cli.ts", args, { env, cwd: folder });

  it("makes a personal token that the admin API takes", async () => {
    const listed = await shell("tokens", "create", "--staff", "nobody");
    expect(listed.code).toBe(1);
    const [, id = ""] = /(\S+) {2}.*\(admin, active\)/.exec(listed.out + listed.err) ?? [];
    const made = await shell("tokens", "create", "--staff", id);
    expect(made).toMatchObject({ code: 0, err: "" });
    const [token] = made.out.split("\n");
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${origin}/api/admin/staff`, { headers })).status).toBe(200);
  });

  it("searches the knowledge base", async () => {
    const found = await shell("kb", "search", "opening hours", "--json");
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(found.out)).not.toHaveLength(0);
  });

  it("ends with 2 and one line on bad usage", async () => {
    const wrong = await shell("kb", "serch");
    expect(wrong.code).toBe(2);
    expect((wrong.out + wrong.err).trimEnd().split("\n")).toEqual([
      expect.stringMatching(/usage: npm run kb/),
    ]);
  });
});

describe("over a stop and a start", () => {
  it("stops on SIGTERM with 0 and starts again without a new token", async () => {
    expect(await running.terminate()).toBe(0);
    running = startProgram("main.ts", [], { env, cwd: folder });
    await running.says(READY);
    expect(running.out()).not.toMatch(TOKEN_LINE);
    await createPlayedWorld(origin).idle();
    expect(await running.terminate()).toBe(0);
    expect(running.err()).toBe("");
  });

  it("refuses to use the played world's database for real", async () => {
    await expectRefusal(
      { ...env, SANDBOX: "off", TELEGRAM_BOT_TOKEN: "1:abcdefghijkl", OPENAI_API_KEY: "key" },
      /^The database belongs to the sandbox world .*choose another DATA_DIR or DATABASE_URL$/,
    );
  });

  it("refuses a database that a newer version has written", async () => {
    const newer = join(folder, "newer");
    cpSync(join(folder, "db"), join(newer, "db"), { recursive: true });
    const database = await openEmbedded({ dir: join(newer, "db"), durable: false });
    await database.db.execute(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`,
    );
    await database.close();
    await expectRefusal(
      { DATA_DIR: newer, PORT: "0" },
      /^The database was written by a newer version of Countersign; start that version/,
    );
  });
});

/** fetch does not let a Host be set. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once("error", reject);
    sent.end();
  });
}
