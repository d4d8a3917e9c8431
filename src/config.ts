import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { StartError } from "./domain/errors.ts";
import { parseUrl } from "./domain/web-address.ts";
import { LOG_LEVELS, type LogLevel } from "./lib/log.ts";

/** How the outside world is reached. In the sandbox it is the sandbox's own environment. */
export interface Outside {
  telegram: { token: string; apiRoot: string } | null;
  slack: { botToken: string; appToken: string; apiUrl: string } | null;
  operatorChats: {
    messenger: "telegram" | "slack";
    chatId: string;
    purpose: "operators" | "review";
  }[];
  staffIds: { messenger: "telegram" | "slack"; userId: string; role: "operator" | "admin" }[];
  model: { baseUrl: string; apiKey: string; model: string };
  tronGrid: { url: string; apiKey: string | null } | null;
  payout: { url: string; secret: string } | null;
}

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | null;
  redisUrl: string | null;
  /** What this process does: takes events and requests in, works, or both. */
  role: "all" | "web" | "worker";
  sandbox: boolean;
  masterKey: string | undefined;
  adminToken: string | undefined;
  logLevel: LogLevel;
  coalesceMs: number;
  runDeadlineMs: number;
  approvalTtlMs: number;
  guardLimits: { maxDeviationPct: string; epsPct: string };
  txMaxAgeMs: number;
  /** Notes for the owner, one line each. */
  notes: string[];
  /** Makes the outside of the played world's environment, or of the process's own. */
  outside(played: Record<string, string> | null): Outside;
}

const WHOLE = /^\d{1,10}$/;
const whole = (least: number, most: number, fallback: number) =>
  z.string().regex(WHOLE).transform(Number).pipe(z.number().min(least).max(most)).default(fallback);
const url = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(parseUrl(text)?.protocol ?? ""));
const decimal = z.string().regex(/^\d{1,4}(\.\d{1,6})?$/);
const ids = z
  .string()
  .regex(/^[\w-]+(\s*,\s*[\w-]+)*$/)
  .transform((text) => text.split(/\s*,\s*/));

/** Each variable: its rule, and what it wants, as the owner is told. */
const VARIABLES = {
  PORT: [whole(0, 65_535, 3000), "a port from 0 to 65535"],
  HOST: [z.string().min(1).default("127.0.0.1"), "an address to listen on"],
  DATA_DIR: [z.string().min(1).default("./.data"), "a folder"],
  DATABASE_URL: [url("postgres:", "postgresql:").optional(), "postgres://user@host:5432/database"],
  REDIS_URL: [url("redis:", "rediss:").optional(), "redis://host:6379"],
  ROLE: [z.enum(["all", "web", "worker"]).default("all"), "all, web or worker"],
  SANDBOX: [z.enum(["auto", "on", "off"]).default("auto"), "auto, on or off"],
  MASTER_KEY: [
    z
      .string()
      .regex(/^[0-9a-f]{64}$/i)
      .optional(),
    "64 hexadecimal digits",
  ],
  ADMIN_TOKEN: [z.string().min(16).optional(), "at least 16 characters"],
  PUBLIC_URL: [url("https:").optional(), "an https address"],
  LOG_LEVEL: [z.enum(LOG_LEVELS).default("info"), LOG_LEVELS.join(", ")],
  HEARTBEAT_URL: [url("https:", "http:").optional(), "an http(s) address"],
  TELEGRAM_BOT_TOKEN: [
    z
      .string()
      .regex(/^\d+:[\w-]{10,}$/)
      .optional(),
    "a token of @BotFather, like 123456:AB…",
  ],
  TELEGRAM_API_ROOT: [
    url("https:", "http:").default("https://api.telegram.org"),
    "an http(s) address",
  ],
  TELEGRAM_OPERATOR_CHAT_ID: [
    z
      .string()
      .regex(/^-?\d+$/)
      .optional(),
    "the id of a group, like -1001234567890",
  ],
  TELEGRAM_REVIEW_CHAT_ID: [
    z
      .string()
      .regex(/^-?\d+$/)
      .optional(),
    "the id of a group",
  ],
  TELEGRAM_ADMIN_IDS: [ids.optional(), "user ids with commas between"],
  TELEGRAM_OPERATOR_IDS: [ids.optional(), "user ids with commas between"],
  SLACK_BOT_TOKEN: [z.string().startsWith("xoxb-").optional(), "a bot token, xoxb-…"],
  SLACK_APP_TOKEN: [z.string().startsWith("xapp-").optional(), "an app-level token, xapp-…"],
  SLACK_SIGNING_SECRET: [z.string().min(8).optional(), "the app's signing secret"],
  SLACK_API_URL: [
    url("https:", "http:")
      .refine((text) => text.endsWith("/api/"))
      .default("https://slack.com/api/"),
    "an http(s) address that ends in /api/",
  ],
  SLACK_OPERATOR_CHANNEL: [
    z
      .string()
      .regex(/^[CGD][A-Z0-9]+$/)
      .optional(),
    "a channel id, C…",
  ],
  SLACK_REVIEW_CHANNEL: [
    z
      .string()
      .regex(/^[CGD][A-Z0-9]+$/)
      .optional(),
    "a channel id, C…",
  ],
  SLACK_ADMIN_IDS: [ids.optional(), "user ids with commas between"],
  SLACK_OPERATOR_IDS: [ids.optional(), "user ids with commas between"],
  OPENAI_API_KEY: [z.string().min(1).optional(), "a key of the model's endpoint"],
  OPENAI_BASE_URL: [
    url("https:", "http:").default("https://api.openai.com/v1"),
    "an http(s) address",
  ],
  OPENAI_MODEL: [z.string().min(1).default("gpt-4.1-mini"), "the name of a model"],
  OPENAI_EMBEDDING_MODEL: [z.string().min(1).optional(), "the name of an embedding model"],
  TRONGRID_URL: [url("https:", "http:").optional(), "an http(s) address"],
  TRONGRID_API_KEY: [z.string().min(1).optional(), "a key of TronGrid"],
  PAYOUT_URL: [url("https:", "http:").optional(), "an http(s) address"],
  PAYOUT_SECRET: [z.string().min(1).optional(), "the gateway's shared secret"],
  EXCHANGE_GUARD_MAX_DEVIATION_PCT: [decimal.default("35"), "a percentage like 35"],
  EXCHANGE_GUARD_EPS_PCT: [decimal.default("0.5"), "a percentage like 0.5"],
  EXCHANGE_TX_MAX_AGE_SECONDS: [whole(60, 31_536_000, 86_400), "seconds, at least 60"],
  SMTP_URL: [url("smtp:", "smtps:").optional(), "smtp://host:port"],
  MAIL_FROM: [z.string().min(3).optional(), "an address"],
  COALESCE_MS: [whole(0, 60_000, 1500), "milliseconds, at most 60000"],
  RUN_DEADLINE_MS: [whole(1000, 600_000, 45_000), "milliseconds, from 1000 to 600000"],
  APPROVAL_TTL_MS: [whole(60_000, 604_800_000, 3_600_000), "milliseconds, from 60000 to 604800000"],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

type Name = keyof typeof VARIABLES;
type Values = { [N in Name]: z.output<(typeof VARIABLES)[N][0]> };

const SECRET_NAMES = /TOKEN|SECRET|KEY|DATABASE_URL|REDIS_URL|SMTP_URL/;

/** Variables that name the real outside; beside the sandbox they stop the start. */
const REAL_OUTSIDE: Name[] = [
  "TELEGRAM_BOT_TOKEN",
  "TELEGRAM_API_ROOT",
  "SLACK_BOT_TOKEN",
  "SLACK_APP_TOKEN",
  "SLACK_API_URL",
  "TRONGRID_URL",
  "TRONGRID_API_KEY",
  "PAYOUT_URL",
  "PAYOUT_SECRET",
  "SMTP_URL",
];
const MODEL_VARIABLES: Name[] = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"];

/** Reads `.env` and the environment; the only place that does. Throws StartError, one line. */
export function loadConfig(env: NodeJS.ProcessEnv = readEnvironment()): Config {
  const values = parseValues(env);
  const given = (name: Name) => (env[name] ?? "") !== "";
  const sandbox =
    values.SANDBOX === "on" ||
    (values.SANDBOX === "auto" && !given("TELEGRAM_BOT_TOKEN") && !given("SLACK_BOT_TOKEN"));
  refuseLonely(values, sandbox);
  if (sandbox) refuseReal(values, given);
  else refuseMixed(values, given);
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    role: values.ROLE,
    sandbox,
    masterKey: values.MASTER_KEY,
    adminToken: values.ADMIN_TOKEN,
    logLevel: values.LOG_LEVEL,
    coalesceMs: values.COALESCE_MS,
    runDeadlineMs: values.RUN_DEADLINE_MS,
    approvalTtlMs: values.APPROVAL_TTL_MS,
    guardLimits: {
      maxDeviationPct: values.EXCHANGE_GUARD_MAX_DEVIATION_PCT,
      epsPct: values.EXCHANGE_GUARD_EPS_PCT,
    },
    txMaxAgeMs: values.EXCHANGE_TX_MAX_AGE_SECONDS * 1000,
    notes: notesOf(values, given, sandbox),
    outside: (played) =>
      played ? outsideOf(parseValues(withOwnModel(played, env, values))) : outsideOf(values),
  };
}

function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

function parseValues(env: Record<string, string | undefined>): Values {
  const entries = Object.entries(VARIABLES).map(([name, [schema, wants]]) => {
    const raw = env[name];
    const got = raw === undefined || raw === "" ? undefined : raw;
    const parsed = schema.safeParse(got);
    if (parsed.success) return [name, parsed.data];
    const shown = SECRET_NAMES.test(name) ? "a value that does not fit" : JSON.stringify(got);
    throw new StartError(`${name}: got ${shown}, wants ${wants}`);
  });
  return Object.fromEntries(entries) as Values; // one entry for each name above
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
  if (given("SLACK_BOT_TOKEN") && !given("SLACK_APP_TOKEN"))
    throw new StartError(
      "SLACK_APP_TOKEN: is missing, wants an app-level token (xapp-…) for Socket Mode",
    );
  if (!given("OPENAI_API_KEY"))
    throw new StartError("OPENAI_API_KEY: is missing, wants a key of the model's endpoint");
  if (given("PAYOUT_URL") && !given("PAYOUT_SECRET"))
    throw new StartError("PAYOUT_SECRET: is missing, wants the secret that signs payouts");
  const used = [
    ...(given("TELEGRAM_BOT_TOKEN") ? (["TELEGRAM_API_ROOT"] as const) : []),
    ...(given("SLACK_BOT_TOKEN") ? (["SLACK_API_URL"] as const) : []),
    ...(["TRONGRID_URL", "PAYOUT_URL", "SMTP_URL"] as const).filter(given),
  ];
  const played = used.filter((name) => isPlayed(values[name]));
  const real = used.find((name) => !isPlayed(values[name]));
  if (played.length > 0 && real)
    throw new StartError(
      `${real}: is real while ${played[0]} is a sandbox's; played and real money are never mixed`,
    );
}

function isPlayed(address: string | undefined): boolean {
  const parsed = parseUrl(address ?? "");
  if (!parsed) return false;
  const loopback = /^(127\.|localhost$|\[::1\]$)/.test(parsed.hostname);
  return loopback && (parsed.pathname.startsWith("/sandbox/") || parsed.protocol === "smtp:");
}

/** With SANDBOX=on a real model may lead the played world; in auto it is left alone. */
function withOwnModel(
  played: Record<string, string>,
  env: NodeJS.ProcessEnv,
  values: Values,
): Record<string, string | undefined> {
  if (values.SANDBOX !== "on" || !env.OPENAI_API_KEY) return played;
  const own = Object.fromEntries(MODEL_VARIABLES.map((name) => [name, env[name]]));
  return { ...played, ...own };
}

function notesOf(values: Values, given: (name: Name) => boolean, sandbox: boolean): string[] {
  const notes: string[] = [];
  const model = MODEL_VARIABLES.find(given);
  if (sandbox && values.SANDBOX === "auto" && model)
    notes.push(`${model} is ignored in the sandbox; set SANDBOX=on to let a real model lead it`);
  return notes;
}

function outsideOf(values: Values): Outside {
  const telegram = values.TELEGRAM_BOT_TOKEN;
  const slack = values.SLACK_BOT_TOKEN;
  return {
    telegram: telegram
      ? { token: telegram, apiRoot: values.TELEGRAM_API_ROOT.replace(/\/$/, "") }
      : null,
    slack: slack
      ? { botToken: slack, appToken: values.SLACK_APP_TOKEN ?? "", apiUrl: values.SLACK_API_URL }
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
    model: {
      baseUrl: values.OPENAI_BASE_URL,
      apiKey: values.OPENAI_API_KEY ?? "",
      model: values.OPENAI_MODEL,
    },
    tronGrid: values.TRONGRID_URL
      ? { url: values.TRONGRID_URL, apiKey: values.TRONGRID_API_KEY ?? null }
      : null,
    payout: values.PAYOUT_URL
      ? { url: values.PAYOUT_URL, secret: values.PAYOUT_SECRET ?? "" }
      : null,
  };
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
