import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";
import { freePort, type Running, runProgram, startProgram } from "../support/process.ts";
import { playFirstDialog } from "./outside-client.ts";
import { expectRefusal } from "./refusal.ts";

const ANSWER_LIMIT_MS = 60_000;

let folder: string;
let emulators: Running;
let bot: Running | undefined;
let world: PlayedWorld;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-apart-"));
  const args = ["sandbox", "--port", "0", "--data-dir", join(folder, "world")];
  emulators = startProgram("cli.ts", args, { cwd: folder });
  const [, origin = ""] = await emulators.says(/ready on (http\S+)\/sandbox/);
  world = createPlayedWorld(origin);
  const info = await world.get("info");
  env = {
    ...info.env,
    SANDBOX: "off",
    PORT: "0",
    COALESCE_MS: "30",
    DATA_DIR: join(folder, "bot"),
    NODE_V8_COVERAGE: join(folder, "loaded"),
  };
});
afterAll(async () => {
  await bot?.kill();
  await emulators?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it("prints the environment that points a bot at the emulators", async () => {
  await emulators.says(/^SANDBOX=off$/m);
  expect(emulators.out()).toContain(`TELEGRAM_BOT_TOKEN=${env.TELEGRAM_BOT_TOKEN}`);
});

it("keeps the mail server's place over a restart, and names a port that is taken", async () => {
  const port = await freePort();
  const args = ["sandbox", "--port", String(port), "--data-dir", join(folder, "fixed")];
  const first = startProgram("cli.ts", args, { cwd: folder });
  try {
    await first.says(new RegExp(`^SMTP_URL=smtp://127\\.0\\.0\\.1:${port + 1}$`, "m"));
    const second = await runProgram("cli.ts", [...args.slice(0, 3), "--data-dir", folder], {
      cwd: folder,
    });
    expect([second.code, second.err.trim()]).toEqual([
      1,
      `--port: ${port} is in use on 127.0.0.1; stop what uses it, or choose another --port`,
    ]);
  } finally {
    await first.kill();
  }
});

it("keeps its memory in DATA_DIR, which one process alone may have, also after a kill", async () => {
  const data = join(folder, "held");
  const own = { env: { DATA_DIR: data }, cwd: folder };
  const start = () => startProgram("cli.ts", ["sandbox", "--port", "0"], own);
  const first = start();
  await first.says(/^Start a bot with:$/m);
  expect(first.out()).toContain(`kept in ${data}/sandbox\n`);
  expect(first.out()).toMatch(/^Its mail server is at smtp:\/\/127\.0\.0\.1:\d+;/m);
  expect(existsSync(join(data, "sandbox", "journal.jsonl"))).toBe(true);
  const inUse = new RegExp(
    `^DATA_DIR: ${data}/sandbox is in use by process ${first.pid} \\(npm run sandbox, .*stop it, or choose another DATA_DIR$`,
  );
  const second = await runProgram("cli.ts", ["sandbox", "--port", "0"], own);
  expect([second.code, second.out]).toEqual([1, ""]);
  expect(second.err.trim()).toMatch(inUse);
  await expectRefusal({ DATA_DIR: data, PORT: "0" }, inUse);
  await first.kill();
  const next = start();
  await next.says(/ready on/);
  await next.kill();
});

it("does not start with a token that Telegram does not know", () =>
  expectRefusal(
    { ...env, TELEGRAM_BOT_TOKEN: "1:wrong-wrong-wrong" },
    /^TELEGRAM_BOT_TOKEN: (?!.*wrong-wrong).*@BotFather$/,
  ));

it("does not start with a token that Slack does not know", () =>
  expectRefusal({ ...env, SLACK_BOT_TOKEN: "xoxb-wrong" }, /^SLACK_BOT_TOKEN: .*xoxb-.*settings$/));

it("does not start with an app token that Slack does not know", () =>
  expectRefusal({ ...env, SLACK_APP_TOKEN: "xapp-wrong" }, /^SLACK_APP_TOKEN: .*xapp-.*settings$/));

it("is set up from the shell and answers a client through the emulators", async () => {
  const started = startProgram("main.ts", [], { env, cwd: folder });
  bot = started;
  const [, url = ""] = await started.says(/ready on (\S+)/);
  const [, token = ""] = await started.says(/shown this once: (\S+)/);
  const seeded = await runProgram("cli.ts", ["seed", "--url", url, "--token", token], {
    cwd: folder,
  });
  expect(seeded).toMatchObject({ code: 0, err: "" });
  expect(await accountsOf("Alice", { url, token })).toEqual([["2001", "U0ALICE"]]);
  const said = { chat_id: 1001, user_id: 1001, text: "Здравствуйте! До скольки вы работаете?" };
  await world.post("telegram/messages", said);
  expect(await answer()).toContain("10:00-22:00");
});

it("plays the first dialog to one payout, with the card in the played Slack", async () => {
  const told = await playFirstDialog(world, 1002);
  expect(told.verified).not.toBe("");
  expect(told.quote).toMatch(/62\s?600/);
  expect(told.requisites).toContain("TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA");
  expect(told.paid).toMatch(/подтверд/i);
  expect(told.checking).toMatch(/оператор/i);
  expect(told.done).toMatch(/выда|выплат/i);
  expect(told.payouts).toMatchObject([{ amount: "62600", currency: "THB" }]);
});

it("keeps the played world's routes and code out of the real bot", async () => {
  const [, url = ""] = (await bot?.says(/ready on (\S+)/)) ?? [];
  expect((await fetch(`${url}/sandbox/api/payouts`)).status).toBe(404);
  expect(await bot?.terminate()).toBe(0);
  const loaded = readdirSync(join(folder, "loaded"))
    .map((file) => readFileSync(join(folder, "loaded", file), "utf8"))
    .flatMap((text) => JSON.parse(text).result.map(({ url }: { url: string }) => url));
  expect(loaded.some((script) => script.includes("/src/app.ts"))).toBe(true);
  expect(loaded.filter((script) => script.includes("/src/sandbox/"))).toEqual([]);
});

const REAL = {
  ...{ SANDBOX: "off", PORT: "0", OPENAI_API_KEY: "key-of-the-test" },
  ...{ TELEGRAM_BOT_TOKEN: "1:abcdefghijkl", TELEGRAM_API_ROOT: "http://127.0.0.1:1" },
  ...{ PAYOUT_URL: "https://pay.example.com", PAYOUT_SECRET: "a-secret-of-the-test" },
};

it("leaves a database that no start with real money takes", () =>
  expectRefusal(
    { ...REAL, DATA_DIR: join(folder, "bot") },
    /^The database belongs to the sandbox world and this start is real: .*choose another DATA_DIR or DATABASE_URL$/,
  ));

it("does not start on a database of the real world, and says what to do", async () => {
  const own = { DATA_DIR: join(folder, "office") };
  await expectRefusal({ ...REAL, ...own }, /^TELEGRAM_API_ROOT|^Telegram/);
  await expectRefusal(
    { ...env, ...own },
    /^The database belongs to the real world and this start is sandbox: .*choose another DATA_DIR .*begin a new one\)$/,
  );
});

async function accountsOf(name: string, { url, token }: { url: string; token: string }) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/admin/staff`, { headers });
  const { items } = (await response.json()) as {
    items: { name: string; identities: { user_id: string }[] }[];
  };
  return items
    .filter((person) => person.name === name)
    .map(({ identities }) => identities.map((one) => one.user_id).sort());
}

async function answer(): Promise<string> {
  const giveUpAt = Date.now() + ANSWER_LIMIT_MS;
  while (Date.now() < giveUpAt) {
    const chat: Played[] = await world.get("telegram/chats/1001/messages");
    const answered = chat.find(({ from_bot }) => from_bot);
    if (answered) return answered.text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the bot did not answer");
}
