import { describe, expect, it } from "vitest";
import { loadConfig, type Outside } from "../../src/config.ts";
import { StartError } from "../../src/domain/errors.ts";

const REAL = {
  SANDBOX: "off",
  TELEGRAM_BOT_TOKEN: "123456:a-token-of-the-test",
  OPENAI_API_KEY: "key",
};

function refusal(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("a role", () => {
  const SERVER = { DATABASE_URL: "postgres://bot@db.example/bot" };

  it("of a part of the work needs a database that processes can share", () => {
    expect(refusal({ ...REAL, ROLE: "worker" })).toMatch(/^ROLE: got "worker".*DATABASE_URL/);
    expect(loadConfig({ ...REAL, ...SERVER, ROLE: "worker" }).role).toBe("worker");
    expect(loadConfig({ ...REAL, ...SERVER, ROLE: "web" }).role).toBe("web");
  });

  it("does not go with the sandbox, which is one process", () => {
    expect(refusal({ ...SERVER, ROLE: "web" })).toMatch(/^ROLE: got "web".*sandbox.*unset ROLE/);
  });
});

describe("a bad value stops the start with one line that names the variable", () => {
  const bad: [string, string][] = [
    ["PORT", "70000"],
    ["PORT", "3e3"],
    ["PORT", "-1"],
    ["DATABASE_URL", "mysql://host/db"],
    ["REDIS_URL", "tcp://redis:word@host"],
    ["ROLE", "boss"],
    ["SANDBOX", "yes"],
    ["MASTER_KEY", "abc123"],
    ["ADMIN_TOKEN", "short"],
    ["PUBLIC_URL", "http://plain.example"],
    ["LOG_LEVEL", "loud"],
    ["HEARTBEAT_URL", "ftp://x"],
    ["TELEGRAM_BOT_TOKEN", "no-token"],
    ["TELEGRAM_API_ROOT", "api.telegram.org"],
    ["TELEGRAM_WEBHOOK_SECRET", "no spaces"],
    ["TELEGRAM_OPERATOR_CHAT_ID", "@group"],
    ["TELEGRAM_REVIEW_CHAT_ID", "group"],
    ["TELEGRAM_ADMIN_IDS", "1;2"],
    ["TELEGRAM_OPERATOR_IDS", "1,,2"],
    ["SLACK_BOT_TOKEN", "xapp-1"],
    ["SLACK_APP_TOKEN", "xoxb-1"],
    ["SLACK_SIGNING_SECRET", "short"],
    ["SLACK_API_URL", "https://slack.com"],
    ["SLACK_OPERATOR_CHANNEL", "#operators"],
    ["SLACK_REVIEW_CHANNEL", "review"],
    ["SLACK_ADMIN_IDS", "U1 U2"],
    ["SLACK_OPERATOR_IDS", "a b"],
    ["OPENAI_BASE_URL", "localhost"],
    ["TRONGRID_URL", "trongrid"],
    ["PAYOUT_URL", "gateway"],
    ["EXCHANGE_GUARD_MAX_DEVIATION_PCT", "35%"],
    ["EXCHANGE_GUARD_EPS_PCT", "-1"],
    ["EXCHANGE_TX_MAX_AGE_SECONDS", "5"],
    ["SMTP_URL", "mail.example"],
    ["MAIL_FROM", "x"],
    ["MAIL_FROM", "Desk\nBcc: all@example.com <desk@example.com>"],
    ["COALESCE_MS", "60001"],
    ["RUN_DEADLINE_MS", "10"],
    ["RUN_COST_LIMIT_USD", "1e3"],
    ["REPLY_STRATEGY", "RAG"],
    ["APPROVAL_TTL_MS", "1000"],
  ];
  it.each(bad)("%s=%s", (name, value) => {
    const said = refusal({ [name]: value });
    expect(said).toMatch(new RegExp(`^${name}: got .*, wants `));
    expect(said.split("\n")).toHaveLength(1);
  });

  const secret = /TOKEN|SECRET|KEY|DATABASE_URL|REDIS_URL|SMTP_URL/;
  it.each(bad.filter(([name]) => secret.test(name)))("%s is not repeated", (name, value) => {
    expect(refusal({ [name]: value })).not.toContain(value);
  });

  it("an empty value counts as none", () => {
    const config = loadConfig({ PORT: "", DATABASE_URL: "", TELEGRAM_BOT_TOKEN: "" });
    expect(config).toMatchObject({ port: 3000, databaseUrl: null, sandbox: true });
  });
});

describe("with nothing configured", () => {
  it("the sandbox is on, on this machine only, with the embedded database", () => {
    expect(loadConfig({})).toMatchObject({
      ...{ sandbox: true, host: "127.0.0.1", port: 3000, databaseUrl: null, notes: [] },
      ...{ coalesceMs: 1500, runDeadlineMs: 45_000, approvalTtlMs: 3_600_000 },
      ...{ runCostLimitUsd: "1", replyStrategy: "rag" },
    });
  });
});

describe("played and real money are never mixed", () => {
  const real: [string, string][] = [
    ["TELEGRAM_BOT_TOKEN", "123456:a-token-of-the-test"],
    ["TELEGRAM_API_ROOT", "https://api.telegram.org"],
    ["SLACK_BOT_TOKEN", "xoxb-1"],
    ["SLACK_APP_TOKEN", "xapp-1"],
    ["SLACK_SIGNING_SECRET", "a-signing-secret"],
    ["SLACK_API_URL", "https://slack.com/api/"],
    ["TRONGRID_URL", "https://api.trongrid.io"],
    ["TRONGRID_API_KEY", "grid-key"],
    ["PAYOUT_URL", "https://pay.example"],
    ["PAYOUT_SECRET", "pay-secret"],
    ["SMTP_URL", "smtp://mail.example"],
  ];
  it.each(real)("%s beside the sandbox stops the start", (name, value) => {
    const said = refusal({ SANDBOX: "on", [name]: value });
    expect(said).toMatch(new RegExp(`^${name}: is set while the sandbox is on`));
  });

  it("the sandbox is not shown to the world", () => {
    expect(refusal({ PUBLIC_URL: "https://bot.example" })).toMatch(/^PUBLIC_URL: /);
    expect(refusal({ HOST: "0.0.0.0" })).toMatch(/^HOST: .*loopback/);
    for (const host of ["127.0.0.1", "127.0.0.2", "localhost", "::1"])
      expect(loadConfig({ HOST: host }).host).toBe(host);
  });

  it("a part of a sandbox beside a real part stops the start, whichever is which", () => {
    const played = "http://127.0.0.1:3000/sandbox/payout";
    const secret = { PAYOUT_SECRET: "pay-secret" };
    expect(refusal({ ...REAL, ...secret, PAYOUT_URL: played })).toMatch(
      /^TELEGRAM_API_ROOT: is real while PAYOUT_URL is a sandbox's/,
    );
    const root = { TELEGRAM_API_ROOT: "http://127.0.0.1:3000/sandbox/telegram" };
    expect(refusal({ ...REAL, ...secret, ...root, PAYOUT_URL: "https://pay.example" })).toMatch(
      /^PAYOUT_URL: is real while TELEGRAM_API_ROOT is a sandbox's/,
    );
    expect(loadConfig({ ...REAL, ...secret, ...root, PAYOUT_URL: played })).toMatchObject({
      ...{ sandbox: false, world: "sandbox", notes: [] },
    });
  });

  it("the world is what is outside, in whichever process it is played", () => {
    const root = { TELEGRAM_API_ROOT: "http://127.0.0.1:4000/sandbox/telegram" };
    expect(loadConfig({}).world).toBe("sandbox");
    expect(loadConfig({ ...REAL, ...root }).world).toBe("sandbox");
    expect(loadConfig(REAL).world).toBe("real");
    // a messenger's server of one's own on this machine is none of a sandbox
    const own = { TELEGRAM_API_ROOT: "http://127.0.0.1:8081" };
    expect(loadConfig({ ...REAL, ...own }).world).toBe("real");
  });

  it("a mail server of one's own on this machine is no sandbox; one at any other port is", () => {
    const mail = (port: string) => ({
      ...{ SMTP_URL: `smtp://127.0.0.1${port}`, MAIL_FROM: "Desk <desk@example.com>" },
    });
    for (const port of ["", ":25", ":587"])
      expect(loadConfig({ ...REAL, ...mail(port) }).outside(null).mail).toEqual({
        ...{ url: `smtp://127.0.0.1${port}`, from: "Desk <desk@example.com>" },
      });
    expect(refusal({ ...REAL, ...mail(":40123") })).toMatch(
      /^TELEGRAM_API_ROOT: is real while SMTP_URL is a sandbox's/,
    );
    const root = { TELEGRAM_API_ROOT: "http://127.0.0.1:3000/sandbox/telegram" };
    expect(refusal({ ...REAL, ...root, ...mail(":25") })).toMatch(
      /^SMTP_URL: is real while TELEGRAM_API_ROOT is a sandbox's/,
    );
  });

  it("a real gateway on this machine is no sandbox", () => {
    const env = { PAYOUT_URL: "http://127.0.0.1:9000/pay", PAYOUT_SECRET: "pay-secret" };
    expect(loadConfig({ ...REAL, ...env }).sandbox).toBe(false);
  });
});

describe("without the sandbox", () => {
  const missing: [string, Record<string, string>][] = [
    ["TELEGRAM_BOT_TOKEN", { SANDBOX: "off" }],
    ["SLACK_APP_TOKEN", { SANDBOX: "off", SLACK_BOT_TOKEN: "xoxb-1", OPENAI_API_KEY: "k" }],
    ["OPENAI_API_KEY", { TELEGRAM_BOT_TOKEN: REAL.TELEGRAM_BOT_TOKEN }],
    ["PAYOUT_SECRET", { ...REAL, PAYOUT_URL: "https://pay.example" }],
    ["MAIL_FROM", { ...REAL, SMTP_URL: "smtp://mail.example" }],
  ];
  it.each(missing)("%s is asked for", (name, env) => {
    expect(refusal(env)).toMatch(new RegExp(`^${name}: is missing`));
  });

  it("Slack at a public address needs the secret that proves a request is Slack's", () => {
    const env = { ...REAL, SLACK_BOT_TOKEN: "xoxb-1", PUBLIC_URL: "https://bot.example" };
    expect(refusal(env)).toMatch(/^SLACK_SIGNING_SECRET: is missing/);
    expect(loadConfig({ ...env, SLACK_APP_TOKEN: "xapp-1" }).sandbox).toBe(false);
  });

  it("an address of this machine is no address for real messengers", () => {
    expect(refusal({ ...REAL, PUBLIC_URL: "http://127.0.0.1:3000" })).toMatch(
      /^PUBLIC_URL: got "http:.*, wants an https address/,
    );
    const played = { TELEGRAM_API_ROOT: "http://127.0.0.1:4000/sandbox/telegram" };
    const config = loadConfig({ ...REAL, ...played, PUBLIC_URL: "http://127.0.0.1:3000" });
    expect(config.sandbox).toBe(false);
  });

  it("a token alone turns the sandbox off", () => {
    const { SANDBOX: _, ...env } = REAL;
    expect(loadConfig(env).sandbox).toBe(false);
  });

  it("people and chats of the environment are read", () => {
    const env = {
      ...REAL,
      TELEGRAM_OPERATOR_CHAT_ID: "-1001",
      TELEGRAM_ADMIN_IDS: "1, 2",
      SLACK_OPERATOR_CHANNEL: "C0X",
    };
    const outside = loadConfig(env).outside(null);
    expect(outside.operatorChats).toEqual([
      { messenger: "telegram", chatId: "-1001", purpose: "operators" },
    ]);
    expect(outside.staffIds.map((person) => person.userId)).toEqual(["1", "2"]);
  });
});

describe("events come in", () => {
  const outside = (env: Record<string, string>) => loadConfig({ ...REAL, ...env }).outside(null);
  const slack = { SLACK_BOT_TOKEN: "xoxb-1" };

  it("by polling, or at the public address when there is one", () => {
    expect(outside({}).telegram?.webhook).toBeNull();
    expect(outside({ PUBLIC_URL: "https://bot.example/desk/" }).telegram?.webhook).toEqual({
      ...{ publicUrl: "https://bot.example/desk", secret: null },
    });
    const own = { PUBLIC_URL: "https://bot.example", TELEGRAM_WEBHOOK_SECRET: "of_the_owner-1" };
    expect(outside(own).telegram?.webhook?.secret).toBe("of_the_owner-1");
  });

  it("by Slack's socket, or over HTTP when only the signing secret is given", () => {
    const socket = { SLACK_APP_TOKEN: "xapp-1" };
    const http = { SLACK_SIGNING_SECRET: "a-signing-secret" };
    expect(outside({ ...slack, ...socket }).slack?.way).toEqual({
      ...{ kind: "socket", appToken: "xapp-1" },
    });
    expect(outside({ ...slack, ...http }).slack?.way).toEqual({
      ...{ kind: "http", signingSecret: "a-signing-secret" },
    });
    expect(outside({ ...slack, ...socket, ...http }).slack?.way.kind).toBe("socket");
  });
});

describe("each real start without MASTER_KEY", () => {
  const notes = (env: Record<string, string>) => loadConfig(env).notes.filter(isAboutKey);
  const isAboutKey = (note: string) => note.startsWith("MASTER_KEY:");

  it("says that the key lies beside the data, and who can pay then", () => {
    expect(notes(REAL)).toEqual([expect.stringMatching(/beside the data.*can approve and pay/)]);
  });

  it("unlike one with the key, and the sandbox", () => {
    expect(notes({ ...REAL, MASTER_KEY: "a".repeat(64) })).toEqual([]);
    expect(notes({})).toEqual([]);
  });
});

describe("OPENAI_BASE_URL", () => {
  it.each([
    "https://api.openai.com/v1/chat/completions",
    "https://api.openai.com/v1?key=1",
    "https://api.openai.com/v1#",
    "https://me:secret@api.openai.com/v1",
  ])("is no address before /chat/completions: %s", (url) => {
    const line = refusal({ ...REAL, OPENAI_BASE_URL: url });
    expect(line).toMatch(/^OPENAI_BASE_URL: .*before \/chat\/completions/);
    expect(line).not.toContain("secret");
  });
});

describe("a real model", () => {
  const keysOf = ({ models }: Outside) =>
    models.entries.map(({ baseUrl, apiKeyRef }) => [baseUrl, models.keyNamed(apiKeyRef ?? "")]);
  const model = { OPENAI_API_KEY: "sk-own", OPENAI_BASE_URL: "https://model.example/v1" };
  const played = { OPENAI_API_KEY: "played", OPENAI_BASE_URL: "http://127.0.0.1:1/sandbox/model" };

  it("is left alone in the automatic sandbox, which says so in one line", () => {
    const config = loadConfig(model);
    expect(config.notes).toHaveLength(1);
    expect(config.notes[0]).not.toContain("sk-own");
    expect(keysOf(config.outside(played))).toEqual([[played.OPENAI_BASE_URL, "played"]]);
  });

  it("leads the played world with SANDBOX=on", () => {
    const config = loadConfig({ ...model, SANDBOX: "on" });
    expect(config.notes).toEqual([]);
    expect(keysOf(config.outside(played))).toEqual([[model.OPENAI_BASE_URL, "sk-own"]]);
  });
});
