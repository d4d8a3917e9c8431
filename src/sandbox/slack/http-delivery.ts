import { createHmac } from "node:crypto";
import type { SlackCore } from "./core.ts";
import { isRecord } from "./schema.ts";
import type { Envelope, Json, RequestUrl } from "./state.ts";

/** What the bot's server made of a delivery. */
export type HttpOutcome =
  | { kind: "taken"; payload: Json }
  | { kind: "failed"; reason: string; noRetry: boolean };

/** The limit for an answer, in real time, is the caller's signal. Never throws. */
export async function postEnvelope(
  core: SlackCore,
  input: { envelope: Envelope; target: RequestUrl; retryReason: string; signal: AbortSignal },
): Promise<HttpOutcome> {
  const { envelope, target, signal } = input;
  const { body, type } = encode(envelope, core.toText(envelope.payload));
  const retry = envelope.attempts + envelope.firstAttempt;
  const retried = { "X-Slack-Retry-Num": String(retry), "X-Slack-Retry-Reason": input.retryReason };
  const headers = { ...(retry > 0 ? retried : {}), ...signed(target, body, type) };
  try {
    const answer = await fetch(target.url, { method: "POST", headers, body, signal });
    const text = await answer.text();
    if (answer.ok) return { kind: "taken", payload: readAnswer(text) };
    const noRetry = answer.headers.get("x-slack-no-retry") === "1";
    return { kind: "failed", reason: "http_error", noRetry };
  } catch {
    const reason = signal.aborted ? "http_timeout" : "connection_failed";
    return { kind: "failed", reason, noRetry: false };
  }
}

/** The handshake of a request URL: the server has to send the challenge back. */
export async function verifyUrl(target: RequestUrl, challenge: string): Promise<boolean> {
  const body = JSON.stringify({ token: "", challenge, type: "url_verification" });
  const headers = signed(target, body, "application/json");
  const signal = AbortSignal.timeout(3000);
  const answer = await fetch(target.url, { method: "POST", headers, body, signal })
    .then((response) => response.text())
    .catch(() => "");
  return answer.includes(challenge);
}

/** Real time: the receiver refuses what is older than five minutes. */
function signed(target: RequestUrl, body: string, type: string): Record<string, string> {
  const time = String(Math.floor((performance.timeOrigin + performance.now()) / 1000));
  const mac = createHmac("sha256", target.signingSecret).update(`v0:${time}:${body}`).digest("hex");
  return {
    "Content-Type": type,
    "X-Slack-Request-Timestamp": time,
    "X-Slack-Signature": `v0=${mac}`,
  };
}

const FORM = "application/x-www-form-urlencoded";

function encode(envelope: Envelope, payload: string): { body: string; type: string } {
  if (envelope.type === "events_api") return { body: payload, type: "application/json" };
  if (envelope.type === "interactive") {
    return { body: new URLSearchParams({ payload }).toString(), type: FORM };
  }
  // fields of a command are texts
  const fields = JSON.parse(payload) as Record<string, string>;
  return { body: new URLSearchParams(fields).toString(), type: FORM };
}

/** A command may be answered with bare text. */
function readAnswer(text: string): Json {
  if (text.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return { text };
  }
}
