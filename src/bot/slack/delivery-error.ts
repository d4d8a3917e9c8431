import { webApi } from "@slack/bolt";
import { messageOf } from "../../domain/errors.ts";
import type { DeliveryResult } from "../../domain/messenger.ts";
import { neverLeft } from "../network-error.ts";

const TOKEN_REFUSED_MS = 60_000;
const SERVER_TROUBLE_MS = 1_000;

/** Nothing is wrong with the message; somebody must see to the installation. */
const INSTALLATION = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "missing_scope",
]);
/** The account is refused, whatever is asked of it. */
export function isInstallation(code: string): boolean {
  return INSTALLATION.has(code);
}

/** We are not in the channel any more, or may not write there. */
const CHANNEL_LOST = new Set([
  "not_in_channel",
  "channel_not_found",
  "is_archived",
  "restricted_action",
]);
/** Slack says itself that it may have done the work. */
const MAYBE_DONE = new Set(["fatal_error", "internal_error", "request_timeout", "update_failed"]);
const LATER = new Set(["ratelimited", "rate_limited", "service_unavailable", "team_added_to_org"]);

/**
 * `uncertain` whenever Slack may have posted it: the outbox looks it up then and never guesses. A
 * wrong token is no fault of the message: it waits.
 */
export function toDeliveryResult(error: unknown): DeliveryResult {
  if (error instanceof webApi.WebAPIRateLimitedError)
    return { kind: "retry", afterMs: error.retryAfter * 1000, error: error.message };
  if (error instanceof webApi.WebAPIPlatformError) return fromCode(error);
  if (error instanceof webApi.WebAPIHTTPError && error.statusCode < 500)
    return { kind: "refused", error: error.message };
  if (neverLeft(error))
    return { kind: "retry", afterMs: SERVER_TROUBLE_MS, error: messageOf(error) };
  return { kind: "uncertain", error: messageOf(error) };
}

function fromCode(refusal: webApi.WebAPIPlatformError): DeliveryResult {
  const { error: code, response_metadata: metadata } = refusal.data;
  const error = [code, ...(metadata?.messages ?? [])].join(" ");
  if (LATER.has(code)) return { kind: "retry", afterMs: SERVER_TROUBLE_MS, error };
  if (isInstallation(code))
    return { kind: "retry", afterMs: TOKEN_REFUSED_MS, error, rightsLost: true };
  if (MAYBE_DONE.has(code)) return { kind: "uncertain", error };
  return { kind: "refused", error, ...(CHANNEL_LOST.has(code) ? { rightsLost: true } : {}) };
}

const THREAD_GONE = new Set(["thread_not_found", "message_not_found", "cannot_reply_to_message"]);

/** What a thread belonged to was deleted. */
export function isThreadGone(error: unknown): boolean {
  return THREAD_GONE.has(slackCode(error) ?? "");
}

/** The error code that Slack answered, when it answered at all. */
export function slackCode(error: unknown): string | undefined {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined;
}
