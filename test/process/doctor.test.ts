import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onServer } from "../support/engines.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";
import { type Ended, type Running, runProgram, startProgram } from "../support/process.ts";
import { eventually } from "./outside-client.ts";

interface Report {
  ok: boolean;
  totals: { ok: number; warn: number; fail: number };
  checks: { level: string; name: string; what: string; nextStep: string }[];
}

let folder: string;
let emulators: Running;
let world: PlayedWorld;
let env: Record<string, string> & { DATA_DIR: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-doctor-"));
  const args = ["sandbox", "--port", "0", "--data-dir", join(folder, "world")];
  emulators = startProgram("cli.ts", args, { cwd: folder });
  const [, origin = ""] = await emulators.says(/ready on (http\S+)\/sandbox/);
  world = createPlayedWorld(origin);
  const played = (await world.get("info")).env;
  env = { ...played, SANDBOX: "off", PORT: "0", COALESCE_MS: "30", DATA_DIR: join(folder, "bot") };
});
afterAll(async () => {
  await emulators?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function doctor(change: Record<string, string> = {}, ...args: string[]): Promise<Ended> {
  return runProgram("cli.ts", ["doctor", ...args], { env: { ...env, ...change }, cwd: folder });
}

/** What is not ok, as `level name: what`, and how the command ended. */
async function complaints(change: Record<string, string> = {}) {
  const { code, out, err } = await doctor(change, "--json");
  expect(err).toBe("");
  const report: Report = JSON.parse(out);
  const lines = report.checks.filter(({ level }) => level !== "ok");
  return { code, report, lines };
}

const linesOf = (text: string) => text.trimEnd().split("\n");

describe("before the first start", () => {
  it("finds everything well, one line for each check, and makes nothing", async () => {
    const { code, out, err } = await doctor();
    const lines = linesOf(out);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(lines.pop()).toBe(`${lines.length} checks: ${lines.length} ok, 0 warn, 0 FAIL`);
    for (const line of lines) expect(line).toMatch(/^ok {4}[a-z ]+: \S/);
    const again = await doctor();
    expect(again.out).toContain(`${env.DATA_DIR} is made by the first start`);
  });

  it("looks at each part", async () => {
    const { report } = await complaints();
    expect([...new Set(report.checks.map(({ name }) => name))]).toEqual([
      ...[
        "environment",
        "data folder",
        "database",
        "master key",
        "redis",
        "port",
        "telegram",
        "slack",
      ],
      ...["model", "chain", "payouts", "mail", "clock", "public address", "desk"],
    ]);
    expect(report).toMatchObject({ ok: true, totals: { warn: 0, fail: 0 } });
  });
});

describe("when something is wrong", () => {
  it("names every value that does not fit, and still looks at the rest", async () => {
    const { code, lines, report } = await complaints({ PORT: "http", COALESCE_MS: "soon" });
    expect(code).toBe(1);
    expect(lines.map(({ what }) => what)).toEqual([
      'PORT: got "http", wants a port from 0 to 65535',
      expect.stringMatching(/^COALESCE_MS: got "soon"/),
    ]);
    expect(report.checks.length).toBeGreaterThan(15);
  });

  it("names a variable that is missing", async () => {
    const { lines } = await complaints({ OPENAI_API_KEY: "" });
    expect(lines[0]).toMatchObject({
      name: "environment",
      what: expect.stringMatching(/^OPENAI_API_KEY: is missing/),
    });
  });

  it("names a token that Telegram does not know, without telling it", async () => {
    const { code, lines } = await complaints({ TELEGRAM_BOT_TOKEN: "1:wrong-wrong-wrong" });
    expect(code).toBe(1);
    expect(lines).toEqual([
      {
        level: "FAIL",
        name: "telegram",
        what: "Telegram does not know TELEGRAM_BOT_TOKEN",
        nextStep: expect.stringContaining("@BotFather"),
      },
    ]);
  });

  it("names tokens that Slack has revoked", async () => {
    await world.post("slack/installation", { revoked: true });
    const { code, lines } = await complaints();
    await world.post("slack/installation", { revoked: false });
    expect(code).toBe(1);
    expect(lines.map(({ what }) => what)).toEqual([
      "Slack refused SLACK_BOT_TOKEN (token_revoked)",
      "Slack refused SLACK_APP_TOKEN (token_revoked)",
    ]);
  });

  it("names a channel that the bot is not in and a group where it is no administrator", async () => {
    await world.post("slack/rights", { channel: "C0OPERATORS", member: false });
    await world.post("telegram/rights", { chat_id: -1002000000002, admin: false });
    const { out } = await doctor();
    await world.post("slack/rights", { channel: "C0OPERATORS", member: true });
    await world.post("telegram/rights", { chat_id: -1002000000002, admin: true });
    expect(linesOf(out).filter((line) => line.startsWith("FAIL"))).toEqual([
      expect.stringMatching(
        /^FAIL {2}telegram: chat -1002000000002 .* – make @sandbox_desk_bot an/,
      ),
      expect.stringMatching(/^FAIL {2}slack: .* – invite it: \/invite @countersign in #operators$/),
    ]);
  });

  it("names a database that cannot be reached, without its password", async () => {
    const url = "postgres://nobody:pass-of-the-test@127.0.0.1:1/nothing";
    const { code, out } = await doctor({ DATABASE_URL: url });
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}database: .* 127\.0\.0\.1:1\/nothing cannot be used .* – check/m);
    expect(out).not.toContain("pass-of-the-test");
  });

  it("names a port that is in use", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // listens on TCP
    const { lines } = await complaints({ PORT: String(port) });
    server.close();
    expect(lines).toEqual([
      {
        ...{ level: "FAIL", name: "port", what: `PORT: ${port} is in use on 127.0.0.1` },
        nextStep: "stop what uses it, or choose another PORT",
      },
    ]);
  });

  it("names a data folder that would lie below a file", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const { lines } = await complaints({ DATA_DIR: join(file, "data") });
    expect(lines).toMatchObject([
      { level: "FAIL", name: "data folder", what: expect.stringContaining("a-file is no folder") },
    ]);
  });

  it("names a payout secret that the gateway does not have, and pays nothing", async () => {
    const { code, lines } = await complaints({ PAYOUT_SECRET: "another-secret" });
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { name: "payouts", nextStep: expect.stringContaining("PAYOUT_SECRET") },
    ]);
    expect(await world.get("payouts")).toEqual([]);
  });

  it("names each other place that does not answer", async () => {
    const nowhere = "http://127.0.0.1:1";
    const { code, lines } = await complaints({
      OPENAI_BASE_URL: `${nowhere}/v1`,
      TRONGRID_URL: `${nowhere}/sandbox/chain`,
      PAYOUT_URL: `${nowhere}/sandbox/payout`,
      SMTP_URL: "smtp://127.0.0.1:1",
      REDIS_URL: "redis://127.0.0.1:1",
    });
    expect(code).toBe(1);
    expect(lines.map(({ level, name }) => `${level} ${name}`)).toEqual(
      ["redis", "model", "chain", "payouts", "mail"].map((name) => `FAIL ${name}`),
    );
    for (const { nextStep } of lines) expect(nextStep).not.toBe("");
  });

  it("ends with 2 and one line on bad usage", async () => {
    const { code, out, err } = await doctor({}, "--verbose");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(linesOf(err)).toEqual([expect.stringMatching(/usage: npm run doctor/)]);
  });
});

describe("a bot's own data", () => {
  let bot: Running;
  beforeAll(async () => {
    bot = startProgram("main.ts", [], { env, cwd: folder });
    const [, url = ""] = await bot.says(/ready on (\S+)/);
    const [, token = ""] = await bot.says(/shown this once: (\S+)/);
    const before = await complaints();
    expect(before.lines).toEqual([
      expect.objectContaining({ name: "desk", what: expect.stringContaining("missing: rates") }),
    ]);
    const seed = ["seed", "--url", url, "--token", token];
    expect(await runProgram("cli.ts", seed, { cwd: folder })).toMatchObject({ code: 0 });
  });
  afterAll(() => bot?.kill());

  it("are read through the process that holds them", async () => {
    const { code, report } = await complaints();
    expect(code).toBe(0);
    const whatOf = (name: string) => report.checks.find((check) => check.name === name)?.what;
    expect(whatOf("data folder")).toContain(`held by process ${bot.pid} (since `);
    expect(whatOf("database")).toMatch(/^embedded, fsync on: .*schema up to date$/);
    expect(whatOf("desk")).toBe("default has all it needs and is not open yet");
  });

  it("are read by the doctor itself once the process has ended", async () => {
    await bot.terminate();
    const { report } = await complaints();
    const [, dataFolder, database] = report.checks;
    expect(dataFolder?.what).toContain("nobody holds it");
    expect(database?.what).toContain("schema up to date");
  });

  it("are not said to lack a key when MASTER_KEY does not fit", async () => {
    rmSync(join(env.DATA_DIR, "master.key"));
    const { report, lines } = await complaints({ MASTER_KEY: "abc" });
    expect(lines.filter(({ level }) => level === "FAIL")).toMatchObject([
      { name: "environment", what: expect.stringMatching(/^MASTER_KEY: /) },
    ]);
    expect(report.checks.find(({ name }) => name === "master key")?.what).toMatch(/not looked at/);
  });

  it("tell of another master key than theirs", async () => {
    const { code, lines } = await complaints({ MASTER_KEY: randomBytes(32).toString("hex") });
    expect(code).toBe(1);
    expect(lines.find(({ name }) => name === "master key")).toMatchObject({
      level: "FAIL",
      nextStep: expect.stringContaining("put that key back"),
    });
  });

  it("do not go with real messengers", async () => {
    const { DATA_DIR = "" } = env;
    const real = {
      ...{ DATA_DIR, SANDBOX: "off", PORT: "0", TELEGRAM_BOT_TOKEN: "1:abcdefghijkl" },
      ...{ TELEGRAM_API_ROOT: "http://127.0.0.1:1", OPENAI_API_KEY: "key-of-the-test" },
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    };
    const { code, out } = await runProgram("cli.ts", ["doctor"], { env: real, cwd: folder });
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {4}environment: the messengers are real/m);
    expect(out).toMatch(
      /^FAIL {2}database: it belongs to the sandbox world and this environment is real/m,
    );
  });
});

describe("with nothing configured", () => {
  it("says what is played", async () => {
    const own = { DATA_DIR: join(folder, "nothing"), PORT: "0" };
    const { code, out } = await runProgram("cli.ts", ["doctor"], { env: own, cwd: folder });
    expect(code).toBe(0);
    for (const part of ["telegram", "slack", "model", "chain", "payouts", "mail"])
      expect(out).toMatch(new RegExp(`^ok {4}${part}: played by the sandbox`, "m"));
  });
});

describe("the start", () => {
  it("says the same, goes on, and keeps it on /readyz", async () => {
    await world.post("slack/rights", { channel: "C0REVIEW", member: false });
    const own = { ...env, DATA_DIR: join(folder, "start") };
    const bot = startProgram("main.ts", [], { env: own, cwd: folder });
    const [, url = ""] = await bot.says(/ready on (\S+)/);
    await world.post("slack/rights", { channel: "C0REVIEW", member: true });
    const said = linesOf(bot.out()).filter((line) => line.startsWith("slack: "));
    const parts: Played = await eventually("readiness: both messengers connect", async () => {
      const answer = await fetch(`${url}/readyz`);
      return answer.status === 200 ? answer.json() : undefined;
    });
    await bot.kill();
    expect(said).toEqual([
      "slack: channel C0REVIEW (review): the bot is not in #review – invite it: /invite @countersign in #review",
    ]);
    expect(parts.slack.detail).toMatch(
      /; seen: channel C0REVIEW .* not in #review – invite it: .* in #review$/,
    );
    expect(parts.telegram.detail).toBe("polling");
  });
});

onServer((engine) => {
  it("looks at a database that is shared, and at its clock", async () => {
    const database = await engine.open();
    const url = database.url ?? "";
    const before = await complaints({ DATABASE_URL: url });
    await database.drop();
    expect(before.code).toBe(0);
    const [, , seen] = before.report.checks;
    expect(seen?.what).toMatch(
      /^PostgreSQL at 127\.0\.0\.1:5432: empty; the first start fills it$/,
    );
    expect(JSON.stringify(before.report)).toContain("agrees with the database's");
    expect(JSON.stringify(before.report)).not.toContain(new URL(url).password);
  });
});
