import { randomUUID } from "node:crypto";
import { type Finding, isWell, note, problem } from "../bot/finding.ts";
import { plainLine } from "../bot/plain-line.ts";
import type { Config, Outside } from "../config.ts";
import { messageOf } from "../domain/errors.ts";
import { openRedis } from "../queue/redis.ts";
import { createPayoutClient } from "../tools/exchange/payout-client.ts";
import { createTronGrid } from "../tools/exchange/tron-grid.ts";
import { mailServerOf } from "../tools/mail/mail-server.ts";
import { createMailClient } from "../tools/mail/smtp-client.ts";

/** The tool's own limit is the check's; this one only keeps a client from waiting for ever. */
const CALL_LIMIT_MS = 60_000;

/** Throws when Redis is set and does not answer. */
export async function lookAtRedis({ redisUrl, role }: Config): Promise<Finding[]> {
  if (redisUrl === null)
    return [
      role === "all"
        ? isWell("REDIS_URL is not set: limits are counted in this process")
        : note("REDIS_URL is not set: each process counts limits alone", "set it for all of them"),
    ];
  const redis = await openRedis(redisUrl, SILENT);
  redis.close();
  return [isWell("answers")];
}

/** Asks for a transaction that there is none of. */
export async function lookAtChain(
  tronGrid: Outside["tronGrid"],
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!tronGrid) return [isWell("TRONGRID_URL is not set: operators look for payments themselves")];
  const { url: baseUrl, apiKey } = tronGrid;
  const client = createTronGrid({
    baseUrl,
    ...(apiKey ? { apiKey } : {}),
    timeoutMs: CALL_LIMIT_MS,
  });
  const found = await client.transactionInfo("0".repeat(64), signal);
  if (found.kind !== "unreachable") return [isWell("answers")];
  return [
    problem(
      messageOf(found.cause),
      found.status === 401 || found.status === 403
        ? "check TRONGRID_API_KEY"
        : "check TRONGRID_URL and the network",
    ),
  ];
}

/** Asks for a payout that there is none of: nothing is paid. */
export async function lookAtPayouts(
  payout: Outside["payout"],
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!payout) return [isWell("PAYOUT_URL is not set: operators pay out themselves")];
  const { url: baseUrl, secret } = payout;
  const client = createPayoutClient({ baseUrl, secret, timeoutMs: CALL_LIMIT_MS });
  const found = await client.lookUp(`doctor-${randomUUID()}`, signal);
  if (found.kind === "not_found") return [isWell("the gateway answers, and knows no such payout")];
  if (found.kind === "found")
    return [
      problem(
        "the gateway tells of a payout that was never asked for",
        "check PAYOUT_URL: GET /payouts/by-key/KEY must answer 404 for an unknown key",
      ),
    ];
  const isRefused = found.status === 401 || found.status === 403;
  return [
    isRefused
      ? problem(
          `the gateway refused our signature (${found.status})`,
          "check PAYOUT_SECRET: both sides must have the same",
        )
      : problem(messageOf(found.cause), "check PAYOUT_URL and the network"),
  ];
}

/** Connects and logs in; nothing is sent. */
export async function lookAtMail(mail: Outside["mail"], signal: AbortSignal): Promise<Finding[]> {
  if (!mail)
    return [isWell("SMTP_URL is not set: no mail is sent, and the bot is not offered send_email")];
  if (mail.from === "") return [problem("MAIL_FROM is not set", "set it to the sender's address")];
  const { host, port } = mailServerOf(mail.url);
  const client = createMailClient({ ...mail, timeoutMs: CALL_LIMIT_MS });
  const failure = await client.check(signal);
  if (!failure) return [isWell(`${host}:${port} lets us in; letters come from ${client.sender}`)];
  const isRefused = failure.kind === "refused";
  const step = isRefused ? "check the login in SMTP_URL" : "check SMTP_URL and the network";
  return [problem(`${host}:${port}: ${plainLine(failure.detail, 150)}`, step)];
}

/** From here; the messengers may see it otherwise. */
export async function lookAtPublicUrl(
  publicUrl: string | null,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (publicUrl === null)
    return [isWell("PUBLIC_URL is not set: the bot fetches its messages itself")];
  const step = "messengers must reach it: check its name, certificate, and the proxy to PORT";
  try {
    const answer = await fetch(`${publicUrl}/healthz`, { redirect: "manual", signal });
    await answer.body?.cancel();
    if (answer.ok) return [isWell(`${publicUrl} answers from here`)];
    return [note(`${publicUrl}/healthz answers ${answer.status} from here`, step)];
  } catch (error) {
    return [note(`${publicUrl} cannot be reached from here (${causeOf(error)})`, step)];
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return messageOf(cause instanceof Error && cause.message ? cause : error);
}

/** Seconds, as HTTP dates have no more. */
export interface OtherClock {
  /** "Telegram's", for the line. */
  whose: string;
  /** How far it is ahead of ours, seconds. */
  aheadS: number;
}

/** The Date header of an answer, whatever the answer is; null: none came. */
export async function askClock(
  whose: string,
  url: string,
  signal: AbortSignal,
): Promise<OtherClock | null> {
  try {
    const sentAt = Date.now();
    const { headers } = await fetch(url, { method: "HEAD", redirect: "manual", signal });
    const told = Date.parse(headers.get("date") ?? "");
    // the header is cut to the second, and stands for the middle of the way
    const aheadMs = told + 500 - (sentAt + Date.now()) / 2;
    return Number.isNaN(told) ? null : { whose, aheadS: aheadMs / 1000 };
  } catch {
    return null; // that it cannot be reached is told by its own check
  }
}

const NOTED_FROM_S = 5;
const REFUSED_FROM_S = 60;

/** Slack signs with the time: by a clock that is minutes off every event of it would be refused. */
export function judgeClocks(clocks: readonly OtherClock[]): Finding[] {
  if (clocks.length === 0) return [isWell("there is no other clock to compare it with")];
  return clocks.map(({ whose, aheadS }) => {
    const apart = Math.abs(aheadS);
    if (apart <= NOTED_FROM_S) return isWell(`agrees with ${whose}`);
    const what = `is ${Math.round(apart)} s ${aheadS > 0 ? "behind" : "ahead of"} ${whose}`;
    const step = "let this machine keep its time by NTP";
    return apart > REFUSED_FROM_S ? problem(what, step) : note(what, step);
  });
}

/** What clients would log is what the line says. */
export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
