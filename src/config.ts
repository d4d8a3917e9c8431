import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, StartError } from "./domain/errors.ts";
import type { World } from "./domain/world.ts";
import type { LogLevel } from "./lib/log.ts";
import { type ModelPool, poolOf, refuseBadModels } from "./model/broker/model-pool.ts";
import { isPlayed } from "./played-address.ts";
import { badValues, isLoopback, type Name, parseValues, type Values } from "./variables.ts";

/** How the outside world is reached. In the sandbox it is the sandbox's own environment. */
export interface Outside {
  telegram: {
    token: string;
    apiRoot: string;
    /** null: the bot polls. Without a secret of the owner's one is made. */
    webhook: { publicUrl: string; secret: string | null } | null;
  } | null;
  slack: {
    botToken: string;
    apiUrl: string;
    way: { kind: "socket"; appToken: string } | { kind: "http"; signingSecret: string };
  } | null;
  operatorChats: {
    messenger: "telegram" | "slack";
    chatId: string;
    purpose: "operators" | "review";
  }[];
  staffIds: { messenger: "telegram" | "slack"; userId: string; role: "operator" | "admin" }[];
  models: ModelPool;
  /** USD, decimals: services outside for one request. */
  prices: { outside: ReadonlyMap<string, string> };
  tronGrid: { url: string; apiKey: string | null } | null;
  payout: { url: string; secret: string } | null;
  mail: { url: string; from: string } | null;
}

/**
 * Read once at the start. Times are milliseconds; null: not set, with the effect that its
 * variable's description tells.
 */
export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | null;
  redisUrl: string | null;
  /** What this process does: takes events and requests in, works, or both. */
  role: "all" | "web" | "worker";
  /** In this process. */
  sandbox: boolean;
  /** `sandbox`: everything outside is played, in this process or in another. */
  world: World;
  masterKey: string | undefined;
  adminToken: string | undefined;
  logLevel: LogLevel;
  /** Called once a minute while the bot can work. */
  heartbeatUrl: string | null;
  /** Product time that a lead's messages are gathered for before one run answers all of them. */
  coalesceMs: number;
  /** Real time that one run may work, waiting not counted. */
  runDeadlineMs: number;
  /** `rag`: passages that fit what was written stand in the prompt; `llm`: only tools search. */
  replyStrategy: "rag" | "llm";
  /** Decimal. A run that has cost this much calls no more tools. */
  runCostLimitUsd: string;
  /** Product time a request waits where its policy names none. */
  approvalTtlMs: number;
  /** Percent, decimal strings. */
  guardLimits: { maxDeviationPct: string; epsPct: string };
  /** Oldest transaction that may pay an order. */
  txMaxAgeMs: number;
  /**
   * Where messengers reach us, without a slash at the end; null: nothing can be delivered to us.
   */
  publicUrl: string | null;
  /** Notes for the owner, one line each. */
  notes: string[];
  /** Makes the outside of the played world's environment, or of the process's own. */
  outside(played: Record<string, string> | null): Outside;
}

/** Variables that name the real outside; beside the sandbox they stop the start. */
const REAL_OUTSIDE: Name[] = [
  "TELEGRAM_BOT_TOKEN",
  "TELEGRAM_API_ROOT",
  "SLACK_BOT_TOKEN",
  "SLACK_APP_TOKEN",
  "SLACK_SIGNING_SECRET",
  "SLACK_API_URL",
  "TRONGRID_URL",
  "TRONGRID_API_KEY",
  "PAYOUT_URL",
  "PAYOUT_SECRET",
  "SMTP_URL",
];
const MODEL_VARIABLES: Name[] = [
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_MODEL",
  "OPENAI_PRICE_IN",
  "OPENAI_PRICE_OUT",
  "MODELS_FILE",
];

/** Reads `.env` and the environment; the only place that does. Throws StartError, one line. */
export function loadConfig(env: NodeJS.ProcessEnv = readEnvironment()): Config {
  const read = readValues(env);
  const { values, given, sandbox } = read;
  refuseLonely(values, sandbox);
  refuseHalfPrice(given);
  refuseBadModels(values);
  if (sandbox) refuseReal(values, given);
  else refuseMixed(values, given);
  return configOf(env, read);
}

/** The configuration as far as it can be read, and everything for which a start refuses it. */
export function examineConfig(env: NodeJS.ProcessEnv = readEnvironment()): {
  config: Config;
  problems: string[];
} {
  const bad = badValues(env);
  const names = bad.map(({ name }) => name);
  const rest = { ...env, ...Object.fromEntries(names.map((name) => [name, undefined])) };
  // a token that does not fit was meant: without it the sandbox must not be taken for wanted
  if (names.some((name) => name.endsWith("BOT_TOKEN")) && rest.SANDBOX !== "on")
    rest.SANDBOX = "off";
  const read = readValues(rest);
  const { values, given, sandbox } = read;
  const refusals = [
    () => refuseLonely(values, sandbox),
    () => refuseHalfPrice(given),
    () => refuseBadModels(values),
    () => (sandbox ? refuseReal(values, given) : refuseMixed(values, given)),
  ].flatMap(refusalOf);
  const isNew = (problem: string) => !names.includes(problem.split(":")[0] ?? "");
  return {
    config: configOf(rest, read),
    problems: [...bad.map(({ problem }) => problem), ...refusals.filter(isNew)],
  };
}

function refusalOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

interface Read {
  values: Values;
  given(name: Name): boolean;
  sandbox: boolean;
}

function readValues(env: NodeJS.ProcessEnv): Read {
  const values = parseValues(env);
  const given = (name: Name) => (env[name] ?? "") !== "";
  const sandbox =
    values.SANDBOX === "on" ||
    (values.SANDBOX === "auto" && !given("TELEGRAM_BOT_TOKEN") && !given("SLACK_BOT_TOKEN"));
  return { values, given, sandbox };
}

function configOf(env: NodeJS.ProcessEnv, { values, given, sandbox }: Read): Config {
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    role: values.ROLE,
    sandbox,
    world: worldOf(values, given, sandbox),
    masterKey: values.MASTER_KEY,
    adminToken: values.ADMIN_TOKEN,
    logLevel: values.LOG_LEVEL,
    heartbeatUrl: values.HEARTBEAT_URL ?? null,
    coalesceMs: values.COALESCE_MS,
    runDeadlineMs: values.RUN_DEADLINE_MS,
    replyStrategy: values.REPLY_STRATEGY,
    runCostLimitUsd: values.RUN_COST_LIMIT_USD,
    approvalTtlMs: values.APPROVAL_TTL_MS,
    guardLimits: {
      maxDeviationPct: values.EXCHANGE_GUARD_MAX_DEVIATION_PCT,
      epsPct: values.EXCHANGE_GUARD_EPS_PCT,
    },
    txMaxAgeMs: values.EXCHANGE_TX_MAX_AGE_SECONDS * 1000,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    notes: notesOf(values, given, sandbox),
    outside: (played) =>
      played
        ? outsideFrom(withOwnModel(played, env, values), { ...env, ...played })
        : outsideOf(values, env),
  };
}

/** `.env` fills in what the process's own environment leaves out. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

/** A part of the work alone needs other processes, and they need a database that can be shared. */
function refuseLonely(values: Values, sandbox: boolean): void {
  if (values.ROLE === "all") return;
  if (sandbox)
    throw new StartError(
      `ROLE: got "${values.ROLE}" while the sandbox is on; the sandbox is one process: unset ROLE`,
    );
  if (!values.DATABASE_URL)
    throw new StartError(
      `ROLE: got "${values.ROLE}", which shares its database with other processes; set DATABASE_URL, or unset ROLE`,
    );
}

/** A cost of which one part is missing would be a wrong one. */
function refuseHalfPrice(given: (name: Name) => boolean): void {
  const [missing] = (["OPENAI_PRICE_IN", "OPENAI_PRICE_OUT"] as const).filter(
    (name, _, both) => !given(name) && both.some(given),
  );
  if (missing)
    throw new StartError(`${missing}: is missing while the other price is set; set both, or none`);
}

/** Played payment beside a real payout must be impossible: nothing real may stand here. */
function refuseReal(values: Values, given: (name: Name) => boolean): void {
  const real = REAL_OUTSIDE.find(given);
  if (real)
    throw new StartError(
      `${real}: is set while the sandbox is on; played and real money are never mixed: unset it, or set SANDBOX=off and all real values`,
    );
  if (values.PUBLIC_URL)
    throw new StartError(
      "PUBLIC_URL: is set while the sandbox is on; the sandbox is for this machine only",
    );
  if (!/^(127\.\d+\.\d+\.\d+|localhost|::1)$/.test(values.HOST))
    throw new StartError(
      `HOST: got "${values.HOST}", wants a loopback address (127.0.0.1) while the sandbox is on`,
    );
}

/** Without the sandbox in this process: either everything outside is a sandbox's, or nothing is. */
function refuseMixed(values: Values, given: (name: Name) => boolean): void {
  if (!given("TELEGRAM_BOT_TOKEN") && !given("SLACK_BOT_TOKEN"))
    throw new StartError(
      "TELEGRAM_BOT_TOKEN: is missing, as is SLACK_BOT_TOKEN; set one of them, or SANDBOX=on",
    );
  if (given("SLACK_BOT_TOKEN") && !given("SLACK_APP_TOKEN") && !given("SLACK_SIGNING_SECRET"))
    throw new StartError(noWayIn(given("PUBLIC_URL")));
  if (!given("OPENAI_API_KEY") && !given("MODELS_FILE"))
    throw new StartError(
      "OPENAI_API_KEY: is missing, wants a key of the model's endpoint; or set MODELS_FILE",
    );
  if (given("PAYOUT_URL") && !given("PAYOUT_SECRET"))
    throw new StartError("PAYOUT_SECRET: is missing, wants the secret that signs payouts");
  if (given("SMTP_URL") && !given("MAIL_FROM"))
    throw new StartError("MAIL_FROM: is missing, wants the address that letters come from");
  const used = usedAddresses(given);
  const played = used.filter((name) => isPlayed(values[name]));
  const real = used.find((name) => !isPlayed(values[name]));
  if (real && values.PUBLIC_URL && isLoopback(values.PUBLIC_URL))
    throw new StartError(
      `PUBLIC_URL: got "${values.PUBLIC_URL}", wants an https address that the messengers can reach`,
    );
  if (played.length > 0 && real)
    throw new StartError(
      `${real}: is real while ${played[0]} is a sandbox's; played and real money are never mixed`,
    );
}

/** Slack must be able to tell us what happens, by one of two ways. */
function noWayIn(isPublic: boolean): string {
  return isPublic
    ? "SLACK_SIGNING_SECRET: is missing, wants the app's signing secret, without which nobody knows whether a request is Slack's; or set SLACK_APP_TOKEN for Socket Mode"
    : "SLACK_APP_TOKEN: is missing, wants an app-level token (xapp-…) for Socket Mode; or set SLACK_SIGNING_SECRET and PUBLIC_URL for HTTP";
}

/** Variables with the addresses outside that are reached; the model's says nothing of money. */
function usedAddresses(given: (name: Name) => boolean) {
  return [
    ...(given("TELEGRAM_BOT_TOKEN") ? (["TELEGRAM_API_ROOT"] as const) : []),
    ...(given("SLACK_BOT_TOKEN") ? (["SLACK_API_URL"] as const) : []),
    ...(["TRONGRID_URL", "PAYOUT_URL", "SMTP_URL"] as const).filter(given),
  ];
}

function worldOf(values: Values, given: (name: Name) => boolean, sandbox: boolean): World {
  const used = usedAddresses(given);
  const isAllPlayed = used.length > 0 && used.every((name) => isPlayed(values[name]));
  return sandbox || isAllPlayed ? "sandbox" : "real";
}

/** With SANDBOX=on a real model may lead the played world; in auto it is left alone. */
function withOwnModel(
  played: Record<string, string>,
  env: NodeJS.ProcessEnv,
  values: Values,
): Record<string, string | undefined> {
  if (values.SANDBOX !== "on" || !(env.OPENAI_API_KEY || env.MODELS_FILE)) return played;
  const own = Object.fromEntries(MODEL_VARIABLES.map((name) => [name, env[name]]));
  return { ...played, ...own };
}

const KEY_BESIDE_DATA =
  "MASTER_KEY: is not set, so the key lies in DATA_DIR beside the data that it protects: whoever can write there can approve and pay; set MASTER_KEY from where you keep secrets";

function notesOf(values: Values, given: (name: Name) => boolean, sandbox: boolean): string[] {
  const notes: string[] = [];
  const model = MODEL_VARIABLES.find(given);
  if (sandbox && values.SANDBOX === "auto" && model)
    notes.push(`${model} is ignored in the sandbox; set SANDBOX=on to let a real model lead it`);
  const hasToken = given("TELEGRAM_BOT_TOKEN") || given("SLACK_BOT_TOKEN");
  const isReal = hasToken && worldOf(values, given, sandbox) === "real";
  if (isReal && !given("MASTER_KEY")) notes.push(KEY_BESIDE_DATA);
  return notes;
}

function outsideFrom(
  set: Record<string, string | undefined>,
  keys: Record<string, string | undefined>,
): Outside {
  return outsideOf(parseValues(set), { ...keys, OPENAI_API_KEY: set.OPENAI_API_KEY });
}

/** `keys`: what names of keys stand for. */
function outsideOf(values: Values, keys: Record<string, string | undefined>): Outside {
  const telegram = values.TELEGRAM_BOT_TOKEN;
  const slack = values.SLACK_BOT_TOKEN;
  return {
    telegram: telegram
      ? {
          token: telegram,
          apiRoot: values.TELEGRAM_API_ROOT.replace(/\/$/, ""),
          webhook: webhookOf(values),
        }
      : null,
    slack: slack
      ? { botToken: slack, apiUrl: values.SLACK_API_URL, way: slackWayOf(values) }
      : null,
    operatorChats: [
      ...chat("telegram", telegram && values.TELEGRAM_OPERATOR_CHAT_ID, "operators"),
      ...chat("telegram", telegram && values.TELEGRAM_REVIEW_CHAT_ID, "review"),
      ...chat("slack", slack && values.SLACK_OPERATOR_CHANNEL, "operators"),
      ...chat("slack", slack && values.SLACK_REVIEW_CHANNEL, "review"),
    ],
    staffIds: [
      ...people("telegram", values.TELEGRAM_ADMIN_IDS, "admin"),
      ...people("telegram", values.TELEGRAM_OPERATOR_IDS, "operator"),
      ...people("slack", values.SLACK_ADMIN_IDS, "admin"),
      ...people("slack", values.SLACK_OPERATOR_IDS, "operator"),
    ],
    models: poolOf(values, (name) => keys[name] || null),
    prices: { outside: values.OUTSIDE_PRICES ?? new Map() },
    tronGrid: values.TRONGRID_URL
      ? { url: values.TRONGRID_URL, apiKey: values.TRONGRID_API_KEY ?? null }
      : null,
    payout: values.PAYOUT_URL
      ? { url: values.PAYOUT_URL, secret: values.PAYOUT_SECRET ?? "" }
      : null,
    mail: values.SMTP_URL ? { url: values.SMTP_URL, from: values.MAIL_FROM ?? "" } : null,
  };
}

function webhookOf({ PUBLIC_URL, TELEGRAM_WEBHOOK_SECRET }: Values) {
  if (PUBLIC_URL === undefined) return null;
  return { publicUrl: PUBLIC_URL.replace(/\/+$/, ""), secret: TELEGRAM_WEBHOOK_SECRET ?? null };
}

/** A socket needs no address of ours: with an app token it is taken, whatever else is set. */
function slackWayOf({ SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret }: Values) {
  return appToken === undefined && signingSecret !== undefined
    ? { kind: "http" as const, signingSecret }
    : { kind: "socket" as const, appToken: appToken ?? "" };
}

function chat(
  messenger: "telegram" | "slack",
  chatId: string | undefined,
  purpose: "operators" | "review",
): Outside["operatorChats"] {
  return chatId ? [{ messenger, chatId, purpose }] : [];
}

function people(
  messenger: "telegram" | "slack",
  userIds: string[] | undefined,
  role: "operator" | "admin",
): Outside["staffIds"] {
  return (userIds ?? []).map((userId) => ({ messenger, userId, role }));
}
