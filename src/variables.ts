import { z } from "zod";
import { parseSender } from "./domain/email-address.ts";
import { StartError } from "./domain/errors.ts";
import { parseUrl } from "./domain/web-address.ts";
import { LOG_LEVELS } from "./lib/log.ts";

const WHOLE = /^\d{1,10}$/;
const whole = (least: number, most: number, fallback: number) =>
  z.string().regex(WHOLE).transform(Number).pipe(z.number().min(least).max(most)).default(fallback);
const url = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(parseUrl(text)?.protocol ?? ""));
const decimal = z.string().regex(/^\d{1,4}(\.\d{1,6})?$/);
const prices = z
  .string()
  .regex(/^[a-z_]+=\d{1,4}(\.\d{1,6})?(\s*,\s*[a-z_]+=\d{1,4}(\.\d{1,6})?)*$/)
  .transform(
    (text) => new Map(text.split(/\s*,\s*/).map((one) => one.split("=") as [string, string])),
  ); // the pattern holds two parts
const ids = z
  .string()
  .regex(/^[\w-]+(\s*,\s*[\w-]+)*$/)
  .transform((text) => text.split(/\s*,\s*/));

/** Each variable: its rule, and what it wants, as the owner is told. */
export const VARIABLES = {
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
  PUBLIC_URL: [
    z
      .string()
      .refine((text) => parseUrl(text)?.protocol === "https:" || isLoopback(text))
      .optional(),
    "an https address",
  ],
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
  TELEGRAM_WEBHOOK_SECRET: [
    z
      .string()
      .regex(/^[\w-]{8,256}$/)
      .optional(),
    "8 to 256 of A-Z, a-z, 0-9, _ and -",
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
  MODELS_FILE: [z.string().min(1).optional(), "a JSON file, see docs/models.md"],
  OPENAI_PRICE_IN: [decimal.optional(), "USD for a million tokens, like 0.4"],
  OPENAI_PRICE_OUT: [decimal.optional(), "USD for a million tokens, like 1.6"],
  OUTSIDE_PRICES: [
    prices.optional(),
    "USD for one request, like trongrid=0.0001,payout_gateway=0.1",
  ],
  TRONGRID_URL: [url("https:", "http:").optional(), "an http(s) address"],
  TRONGRID_API_KEY: [z.string().min(1).optional(), "a key of TronGrid"],
  PAYOUT_URL: [url("https:", "http:").optional(), "an http(s) address"],
  PAYOUT_SECRET: [z.string().min(1).optional(), "the gateway's shared secret"],
  EXCHANGE_GUARD_MAX_DEVIATION_PCT: [decimal.default("35"), "a percentage like 35"],
  EXCHANGE_GUARD_EPS_PCT: [decimal.default("0.5"), "a percentage like 0.5"],
  EXCHANGE_TX_MAX_AGE_SECONDS: [whole(60, 31_536_000, 86_400), "seconds, at least 60"],
  SMTP_URL: [url("smtp:", "smtps:").optional(), "smtp://host:port"],
  MAIL_FROM: [
    z
      .string()
      .refine((text) => parseSender(text) !== null)
      .optional(),
    "an address, or Name <address>",
  ],
  COALESCE_MS: [whole(0, 60_000, 1500), "milliseconds, at most 60000"],
  RUN_DEADLINE_MS: [whole(1000, 600_000, 45_000), "milliseconds, from 1000 to 600000"],
  REPLY_STRATEGY: [z.enum(["rag", "llm"]).default("rag"), "rag or llm"],
  RUN_COST_LIMIT_USD: [decimal.default("1"), "dollars like 1 or 0.25"],
  APPROVAL_TTL_MS: [whole(60_000, 604_800_000, 3_600_000), "milliseconds, from 60000 to 604800000"],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

/** A name that is not in the table is no variable of ours. */
export type Name = keyof typeof VARIABLES;
/** As parsed: numbers and lengths are no text any more. */
export type Values = { [N in Name]: z.output<(typeof VARIABLES)[N][0]> };

const SECRET_NAMES = /TOKEN|SECRET|KEY|DATABASE_URL|REDIS_URL|SMTP_URL/;

/** Throws StartError for the first value that does not fit; a secret is not repeated in it. */
export function parseValues(env: Record<string, string | undefined>): Values {
  const [bad] = badValues(env);
  if (bad) throw new StartError(bad.problem);
  const entries = Object.entries(VARIABLES).map(([name, [schema]]) => [
    name,
    schema.parse(env[name] || undefined),
  ]);
  return Object.fromEntries(entries) as Values; // one entry for each name above
}

/** Every value that does not fit, in one line each. */
export function badValues(
  env: Record<string, string | undefined>,
): { name: string; problem: string }[] {
  return Object.entries(VARIABLES).flatMap(([name, [schema, wants]]) => {
    const got = env[name] || undefined;
    if (schema.safeParse(got).success) return [];
    const shown = SECRET_NAMES.test(name) ? "a value that does not fit" : JSON.stringify(got);
    return [{ name, problem: `${name}: got ${shown}, wants ${wants}` }];
  });
}

/** Where only programs of this machine come in, as played messengers do. */
export function isLoopback(address: string): boolean {
  const parsed = parseUrl(address);
  return parsed?.protocol === "http:" && LOOPBACK.test(parsed.hostname);
}

/** Of a host in a URL; what is sent there does not leave the machine. */
export const LOOPBACK = /^(127\.|localhost$|\[::1\]$)/;
