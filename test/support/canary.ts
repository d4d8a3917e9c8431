import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { APP_TOKEN, BOT_TOKEN as SLACK_BOT_TOKEN } from "../../src/sandbox/slack/workspace.ts";
import { BOT_TOKEN as TELEGRAM_BOT_TOKEN } from "../../src/sandbox/telegram/identity.ts";

/** A secret that the tests work with: no log and no console may ever show it. */
export interface Canary {
  /** What a failed test calls it by. */
  name: string;
  value: string;
}

const SECRET_NAME = /TOKEN|SECRET|KEY/;
/** Shorter ones stand in ordinary words. */
const SHORTEST = 6;

/** Those of the played services, whoever starts them. */
const PLAYED: Canary[] = [
  ...canary("the Telegram bot token", TELEGRAM_BOT_TOKEN),
  ...canary("the Slack bot token", SLACK_BOT_TOKEN),
  ...canary("the Slack app token", APP_TOKEN),
  ...canary("the Slack signing secret", "sandbox-signing-secret"),
  ...canary("the payout secret", "sandbox-payout-secret"),
  ...canary("the model's key", "sandbox-model-key"),
  ...canary("the chain's key", "sandbox-trongrid-key"),
];

export function canary(name: string, value: string): Canary[] {
  return value.length < SHORTEST ? [] : [{ name, value }];
}

/** What an environment holds, with the passwords in its addresses, and the played services' own. */
export function canariesOf(env: Record<string, string>): Canary[] {
  const own = Object.entries(env).flatMap(([name, value]) => [
    ...(SECRET_NAME.test(name) ? canary(name, value) : []),
    ...canary(`the password in ${name}`, passwordOf(value)),
  ]);
  return [...own, ...PLAYED, ...masterKeyIn(env.DATA_DIR)];
}

function masterKeyIn(dataDir: string | undefined): Canary[] {
  const file = join(dataDir ?? "", "master.key");
  if (dataDir === undefined || !existsSync(file)) return [];
  return canary("the master key", readFileSync(file, "utf8").trim());
}

/** Names of the secrets that the text shows, plainly or in a usual disguise; never the secrets. */
export function leaksIn(text: string, canaries: readonly Canary[]): string[] {
  const shown = canaries.filter(({ value }) =>
    writingsOf(value).some((one) =>
      isNumber(one) ? asNumber(one).test(text) : text.includes(one),
    ),
  );
  return [...new Set(shown.map(({ name }) => name))];
}

export function refuseLeaks(where: string, text: string, canaries: readonly Canary[]): void {
  const leaks = leaksIn(text, canaries);
  if (leaks.length > 0) throw new Error(`${where} shows ${leaks.join(", ")}`);
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/** The digits of a code stand by chance in longer numbers, ids and sums. */
function asNumber(code: string): RegExp {
  return new RegExp(`(?<![\\w.-])${code}(?![\\w.-])`);
}

/** The secret half of a bot token is as good as all of it. */
function writingsOf(value: string): string[] {
  const half = /^\d+:(.+)$/.exec(value)?.[1];
  const hex = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, "hex").toString("base64") : null;
  return [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64").replace(/=+$/, ""),
    ...(half ? [half] : []),
    ...(hex ? [hex] : []),
  ];
}

function passwordOf(text: string): string {
  return URL.canParse(text) ? decodeURIComponent(new URL(text).password) : "";
}
