import { parseArgs } from "node:util";
import { channelOf, telegramWebhookUrl } from "../bootstrap.ts";
import { type Finding, isWell } from "../bot/finding.ts";
import { inspectSlack } from "../bot/slack/inspect.ts";
import { inspectTelegram } from "../bot/telegram/inspect.ts";
import { within } from "../bot/wait.ts";
import { type Config, examineConfig, type Outside } from "../config.ts";
import type { MessengerName } from "../domain/inbound.ts";
import { hasKey } from "../model/broker/model-pool.ts";
import { isNamedBy } from "../store/destinations.ts";
import { type DatabaseState, readDatabaseState } from "./database-report.ts";
import { type Check, type Line, refusalFinding, runCheck } from "./doctor-check.ts";
import {
  lookAtDatabase,
  lookAtFolder,
  lookAtMasterKey,
  lookAtPort,
  lookAtTenants,
  type Situation,
} from "./doctor-machine.ts";
import { modelChecks } from "./doctor-models.ts";
import {
  askClock,
  judgeClocks,
  lookAtChain,
  lookAtMail,
  lookAtPayouts,
  lookAtPublicUrl,
  lookAtRedis,
  type OtherClock,
  SILENT,
} from "./doctor-outside.ts";

/** Opening the embedded database is work of this machine, and may take seconds. */
const DATABASE_LIMIT_MS = 30_000;
/** A model on one's own machine may have to be loaded first. */
const MODEL_LIMIT_MS = 15_000;

/** Looks at everything that the bot needs. 1 when something fails; bad usage throws. */
export async function runDoctor(args: string[], write: (line: string) => void): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean", default: false } } });
  const { config, problems } = examineConfig();
  const outside = config.outside(config.sandbox ? {} : null);
  const isReal = config.world === "real" && (outside.telegram ?? outside.slack) !== null;
  const hide = hiding(secretsOf(config, outside));
  const lines: Line[] = [];
  const add = (more: Line[]) => {
    for (const line of more.map(hide)) {
      lines.push(line);
      if (!values.json) write(textOf(line));
    }
  };
  add(
    await runCheck({ name: "environment", look: () => judgeEnvironment(config, isReal, problems) }),
  );
  add(await runCheck({ name: "data folder", look: () => lookAtFolder(config) }));
  const database = await databaseOf(config, problems);
  const situation: Situation = { config, database, isReal, problems };
  const running = checksOf(situation, outside).map(runCheck);
  for (const found of running) add(await found);
  const totals = totalsOf(lines);
  if (values.json) write(JSON.stringify({ ok: totals.fail === 0, totals, checks: lines }));
  else write(`${lines.length} checks: ${totals.ok} ok, ${totals.warn} warn, ${totals.fail} FAIL`);
  return totals.fail === 0 ? 0 : 1;
}

function judgeEnvironment(
  { sandbox, role }: Config,
  isReal: boolean,
  problems: readonly string[],
): Finding[] {
  if (problems.length > 0)
    return problems.map(refusalFinding).map((found) => ({
      ...found,
      nextStep: found.nextStep || "correct it in .env, or where the environment is set",
    }));
  if (sandbox) return [isWell("the sandbox is on: everything outside is played")];
  if (!isReal) return [isWell("everything outside is played by a sandbox in another process")];
  return [isWell(`the messengers are real; the role is ${role}`)];
}

async function databaseOf(config: Config, problems: readonly string[]): Promise<DatabaseState> {
  // without it the embedded database would be looked at, which is not meant
  const isUnread = problems.some((line) => line.startsWith("DATABASE_URL:"));
  if (isUnread)
    return { kind: "failed", error: "is not looked at; DATABASE_URL must be right first" };
  const state = await within(DATABASE_LIMIT_MS, readDatabaseState(config));
  if (state) return state;
  const which = config.databaseUrl ? "DATABASE_URL: PostgreSQL" : `DATA_DIR: ${config.dataDir}/db`;
  const error = `${which} gave no answer within ${DATABASE_LIMIT_MS / 1000} s; look at what else it does, and try again`;
  return { kind: "failed", error };
}

function checksOf(situation: Situation, outside: Outside): Check[] {
  const { config } = situation;
  const played = (name: string): Check => ({
    name,
    look: () => [isWell("played by the sandbox, inside npm start")],
  });
  const own: Check[] = [
    { name: "database", look: () => lookAtDatabase(situation) },
    { name: "master key", look: () => lookAtMasterKey(situation) },
    { name: "redis", look: () => lookAtRedis(config) },
    { name: "port", look: () => lookAtPort(situation) },
  ];
  const models = modelChecks(outside.models, MODEL_LIMIT_MS);
  const tenants: Check = { name: "desk", look: () => lookAtTenants(situation) };
  if (config.sandbox)
    return [
      ...own,
      ...["telegram", "slack"].map(played),
      ...(hasKey(outside.models, new Set()) ? models : [played("model")]),
      ...["chain", "payouts", "mail"].map(played),
      tenants,
    ];
  return [
    ...own,
    { name: "telegram", look: () => lookAtTelegram(situation, outside) },
    { name: "slack", look: () => lookAtSlack(situation, outside) },
    ...models,
    { name: "chain", look: (signal) => lookAtChain(outside.tronGrid, signal) },
    { name: "payouts", look: (signal) => lookAtPayouts(outside.payout, signal) },
    { name: "mail", look: (signal) => lookAtMail(outside.mail, signal) },
    { name: "clock", look: (signal) => lookAtClocks(situation, outside, signal) },
    { name: "public address", look: (signal) => lookAtPublicUrl(config.publicUrl, signal) },
    tenants,
  ];
}

/** The chats that the database will have after the next start. */
function chatsOf({ database }: Situation, { operatorChats }: Outside, messenger: MessengerName) {
  const known = database.kind === "read" ? database.report.destinations : [];
  const ours = known.filter(
    (row) =>
      row.channelId === channelOf(messenger) &&
      (row.source !== "environment" || operatorChats.some((chat) => isNamedBy(row, chat))),
  );
  const isNew = (chat: (typeof operatorChats)[number]) => !ours.some((row) => isNamedBy(row, chat));
  return [...ours, ...operatorChats.filter((chat) => chat.messenger === messenger && isNew(chat))];
}

async function lookAtTelegram(situation: Situation, outside: Outside): Promise<Finding[]> {
  if (!outside.telegram) return [isWell("TELEGRAM_BOT_TOKEN is not set: not used")];
  const { token, apiRoot, webhook } = outside.telegram;
  const url = webhook ? telegramWebhookUrl(webhook.publicUrl) : null;
  return inspectTelegram(
    { token, apiRoot, webhook: { url } },
    chatsOf(situation, outside, "telegram"),
  );
}

async function lookAtSlack(situation: Situation, outside: Outside): Promise<Finding[]> {
  if (!outside.slack) return [isWell("SLACK_BOT_TOKEN is not set: not used")];
  return inspectSlack({ ...outside.slack, log: SILENT }, chatsOf(situation, outside, "slack"));
}

async function lookAtClocks(
  { config, database }: Situation,
  { telegram, slack }: Outside,
  signal: AbortSignal,
): Promise<Finding[]> {
  const clocks: (OtherClock | null)[] = await Promise.all([
    telegram && askClock("Telegram's", telegram.apiRoot, signal),
    slack && askClock("Slack's", slack.apiUrl, signal),
  ]);
  return judgeClocks([
    ...clocks.flatMap((clock) => clock ?? []),
    ...databaseClock(config, database),
  ]);
}

/** The embedded database has this machine's own clock. */
function databaseClock({ databaseUrl }: Config, database: DatabaseState): OtherClock[] {
  if (databaseUrl === null || database.kind !== "read") return [];
  const { clockMs, readAt } = database.report;
  return [{ whose: "the database's", aheadS: (clockMs - readAt) / 1000 }];
}

function totalsOf(lines: readonly Line[]): { ok: number; warn: number; fail: number } {
  const count = (level: Line["level"]) => lines.filter((line) => line.level === level).length;
  return { ok: count("ok"), warn: count("warn"), fail: count("FAIL") };
}

function textOf({ level, name, what, nextStep }: Line): string {
  return `${level.padEnd(4)}  ${name}: ${what}${nextStep === "" ? "" : ` – ${nextStep}`}`;
}

/** An answer of the other side may repeat what it was sent. */
function hiding(secrets: readonly string[]): (line: Line) => Line {
  const hide = (text: string) =>
    secrets.reduce((left, secret) => left.replaceAll(secret, "[hidden]"), text);
  return (line) => ({ ...line, what: hide(line.what), nextStep: hide(line.nextStep) });
}

function secretsOf(config: Config, outside: Outside): string[] {
  const { telegram, slack, models, tronGrid, payout, mail } = outside;
  const { way } = slack ?? {};
  const inUrls = [config.databaseUrl, config.redisUrl, mail?.url].map(passwordOf);
  return [
    telegram?.token,
    telegram?.webhook?.secret,
    slack?.botToken,
    way?.kind === "socket" ? way.appToken : way?.signingSecret,
    ...models.entries.map(({ apiKeyRef }) => apiKeyRef && models.keyNamed(apiKeyRef)),
    tronGrid?.apiKey,
    payout?.secret,
    config.masterKey,
    config.adminToken,
    ...inUrls,
  ]
    .map((secret) => secret?.trim()) // as headers carry it
    .flatMap((secret) => (secret && secret.length >= 4 ? [secret] : []));
}

function passwordOf(url: string | null | undefined): string | undefined {
  return url && URL.canParse(url) ? decodeURIComponent(new URL(url).password) : undefined;
}
