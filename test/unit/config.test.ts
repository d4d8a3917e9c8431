import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { StartError } from "../../src/domain/errors.ts";

const TOKEN = "123456:abcdefghijklmnop";
const REAL = { SANDBOX: "off", TELEGRAM_BOT_TOKEN: TOKEN, OPENAI_API_KEY: "key" };
const PLAYED = "http://127.0.0.1:4000/sandbox";

interface Refused {
  what: string;
  env: Record<string, string>;
  says: RegExp;
}

describe("a value that does not fit stops the start with what is wanted", () => {
  it.each<Refused>([
    { what: "PORT", env: { PORT: "70000" }, says: /^PORT: got "70000", wants a port/ },
    { what: "SANDBOX", env: { SANDBOX: "perhaps" }, says: /^SANDBOX: .* wants auto, on or off$/ },
    { what: "COALESCE_MS", env: { COALESCE_MS: "-5" }, says: /^COALESCE_MS: .* milliseconds/ },
    { what: "DATABASE_URL", env: { DATABASE_URL: "mysql://a" }, says: /^DATABASE_URL: .* wants / },
    {
      what: "MASTER_KEY, which is not printed",
      env: { MASTER_KEY: "abcdef" },
      says: /^MASTER_KEY: (?!.*abcdef).* wants 64 hexadecimal digits$/,
    },
  ])("$what", expectRefusal);
});

describe("played and real money are never mixed", () => {
  it.each<Refused>([
    {
      what: "a real bot beside the sandbox",
      env: { SANDBOX: "on", TELEGRAM_BOT_TOKEN: TOKEN },
      says: /^TELEGRAM_BOT_TOKEN: is set while the sandbox is on; .*unset it/,
    },
    {
      what: "a real payout gateway beside the sandbox",
      env: { PAYOUT_URL: "https://pay.example.com" },
      says: /^PAYOUT_URL: is set while the sandbox is on; .*unset it/,
    },
    {
      what: "a real mail server beside the sandbox",
      env: { SMTP_URL: "smtp://mail.example.com:25" },
      says: /^SMTP_URL: is set while the sandbox is on; .*unset it/,
    },
    {
      what: "a real chain beside the sandbox",
      env: { TRONGRID_URL: "https://api.trongrid.io" },
      says: /^TRONGRID_URL: is set while the sandbox is on; .*unset it/,
    },
    {
      what: "the sandbox on an address that others reach",
      env: { HOST: "0.0.0.0" },
      says: /^HOST: got "0\.0\.0\.0", wants a loopback address/,
    },
    {
      what: "the sandbox behind a public address",
      env: { PUBLIC_URL: "https://desk.example.com" },
      says: /^PUBLIC_URL: is set while the sandbox is on/,
    },
    {
      what: "a played payout gateway beside a real messenger",
      env: { ...REAL, PAYOUT_URL: `${PLAYED}/payout`, PAYOUT_SECRET: "secret" },
      says: /^TELEGRAM_API_ROOT: is real while PAYOUT_URL is a sandbox's/,
    },
    {
      what: "a real payout gateway beside a played messenger",
      env: {
        ...REAL,
        TELEGRAM_API_ROOT: `${PLAYED}/telegram`,
        PAYOUT_URL: "https://pay.example.com",
        PAYOUT_SECRET: "secret",
      },
      says: /^PAYOUT_URL: is real while TELEGRAM_API_ROOT is a sandbox's/,
    },
    {
      what: "a played chain beside a real messenger",
      env: { ...REAL, TRONGRID_URL: `${PLAYED}/chain` },
      says: /^TELEGRAM_API_ROOT: is real while TRONGRID_URL is a sandbox's/,
    },
  ])("$what", expectRefusal);
});

describe("without the sandbox, what is missing is named", () => {
  it.each<Refused>([
    {
      what: "a messenger",
      env: { SANDBOX: "off" },
      says: /^TELEGRAM_BOT_TOKEN: is missing.*set one of them, or SANDBOX=on$/,
    },
    {
      what: "a model",
      env: { SANDBOX: "off", TELEGRAM_BOT_TOKEN: TOKEN },
      says: /^OPENAI_API_KEY: is missing/,
    },
    {
      what: "the gateway's secret",
      env: { ...REAL, PAYOUT_URL: "https://pay.example.com" },
      says: /^PAYOUT_SECRET: is missing/,
    },
  ])("$what", expectRefusal);
});

it("turns the sandbox on when no messenger is configured, and off when one is", () => {
  expect(loadConfig({}).sandbox).toBe(true);
  expect(loadConfig({ ...REAL, SANDBOX: "auto" }).sandbox).toBe(false);
});

it("says in one line that a model is ignored in a sandbox that came on by itself", () => {
  const { notes } = loadConfig({ OPENAI_API_KEY: "key" });
  expect(notes).toEqual([expect.stringMatching(/^OPENAI_API_KEY is ignored in the sandbox/)]);
});

function expectRefusal({ env, says }: Refused): void {
  const refused = (): unknown => {
    try {
      return loadConfig(env);
    } catch (error) {
      return error;
    }
  };
  const error = refused();
  expect(error).toBeInstanceOf(StartError);
  expect((error as StartError).message).toMatch(says);
  expect((error as StartError).message).not.toContain("\n");
}
