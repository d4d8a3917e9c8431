import { createHmac } from "node:crypto";
import type { Outside, OutsideAnswer } from "../outside.ts";
import { type Unreachable, unreachable, wasNeverSent } from "./http-outcome.ts";
import {
  type AcceptedPayout,
  type AskedPayout,
  judgePayout,
  type PayoutAnswer,
  parsePayoutAnswer,
  refusalText,
} from "./payout-answer.ts";

/**
 * What the gateway is sent, signed. It holds no secret of ours, but perhaps the lead's bank
 * account.
 */
export interface PayoutOrder extends AskedPayout {
  /** Sent as Idempotency-Key; the same key with the same order pays once. */
  key: string;
  /** A `PayoutMethod`. */
  method: string;
  /** Office or courier's address; null where the method has none. */
  location: string | null;
  /** Bank and account as the lead named them; null where money changes hands. */
  destination: unknown;
}

/** Only `refused` and `not_sent` are certain to have paid nothing. */
export type PayoutOutcome =
  | ({ kind: "accepted" } & AcceptedPayout)
  /** The gateway said no and will not pay under this key. */
  | { kind: "refused"; message: string; status?: number }
  /** The key was used for another order. */
  | { kind: "conflict" }
  /** The gateway tells of another payout than the one asked for: a person has to look. */
  | { kind: "mismatch"; answer: PayoutAnswer }
  /** Certain: no connection came up. */
  | { kind: "not_sent"; cause: unknown }
  /** May or may not have happened; only a look-up by key can tell. */
  | { kind: "unknown"; cause: unknown; status?: number };

/**
 * `not_found`: the gateway has never had this key, as far as it can tell now; a request that is
 * still on its way may yet arrive.
 */
export type PayoutLookUp =
  | { kind: "found"; answer: PayoutAnswer }
  | { kind: "not_found" }
  | Unreachable;

/** Neither call throws or retries: whether to send again is decided by whoever keeps the books. */
export interface PayoutClient {
  send(order: PayoutOrder, signal: AbortSignal, outside?: Outside): Promise<PayoutOutcome>;
  lookUp(key: string, signal: AbortSignal, outside?: Outside): Promise<PayoutLookUp>;
}

/**
 * Of one gateway; all tenants use it. `timeoutMs` is real time, for each request with its answer.
 */
export interface PayoutClientOptions {
  baseUrl: string;
  /** Signs what is sent; never logged. */
  secret: string;
  timeoutMs: number;
  fetch?: typeof fetch;
}

/** The name in logs of outside calls and in the table of prices. */
export const PAYOUT_PROVIDER = "payout_gateway";

/** 409 is a conflict; a request timed out or throttled may still have been taken. */
const UNDECIDED = new Set([408, 429]);

/**
 * Signs each order and follows no redirect. One request a call, with one limit for request and
 * answer.
 */
export function createPayoutClient(options: PayoutClientOptions): PayoutClient {
  const base = options.baseUrl.replace(/\/+$/, "");
  const call = (path: string, init: RequestInit, signal: AbortSignal) =>
    (options.fetch ?? fetch)(`${base}${path}`, {
      ...init,
      // a redirect would carry a signed order to a place nobody configured
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]),
    });
  return {
    async send(order, signal, outside) {
      if (signal.aborted) return { kind: "not_sent", cause: signal.reason };
      const { body, headers } = signedPost(order, options.secret);
      const asked = { provider: PAYOUT_PROVIDER, method: "POST", endpoint: "/payouts", body };
      const tell = outside?.begin(asked);
      try {
        const response = await call("/payouts", { method: "POST", headers, body }, signal);
        const text = await readText(response, tell);
        return readOutcome(response, text, order);
      } catch (cause) {
        return { kind: wasNeverSent(cause) ? "not_sent" : "unknown", cause };
      }
    },
    async lookUp(key, signal, outside) {
      const endpoint = "/payouts/by-key/{key}";
      const tell = outside?.begin({
        provider: PAYOUT_PROVIDER,
        method: "GET",
        endpoint,
        body: key,
      });
      try {
        // a gateway need not look at it; one that does tells a wrong secret before money is moved
        const headers = { "X-Signature": signatureOf(Buffer.alloc(0), options.secret) };
        const path = `/payouts/by-key/${encodeURIComponent(key)}`;
        const response = await call(path, { headers }, signal);
        const text = await readText(response, tell);
        return readLookUp(response, text);
      } catch (cause) {
        return unreachable(cause);
      }
    },
  };
}

/** The status is kept also when the line goes dead within the body. */
async function readText(
  response: Response,
  tell: ((answer: OutsideAnswer) => void) | undefined,
): Promise<string> {
  const { status } = response;
  tell?.({ status, body: null });
  const text = await response.text();
  tell?.({ status, body: status < 400 ? withoutCode(text) : text });
  return text;
}

/** A code can be guessed from a hash when all beside it is known; null: it may stand anywhere. */
function withoutCode(text: string): string | null {
  const parsed = parsePayoutAnswer(text);
  return parsed.ok ? JSON.stringify({ ...parsed.answer, code: undefined }) : null;
}

function signedPost(order: PayoutOrder, secret: string) {
  const body = Buffer.from(
    JSON.stringify({
      order_id: order.orderId,
      amount: order.amount,
      currency: order.currency,
      method: order.method,
      location: order.location,
      destination: order.destination,
    }),
  );
  return {
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": order.key,
      "X-Signature": signatureOf(body, secret),
    },
    body,
  };
}

function signatureOf(body: Buffer, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function readOutcome(response: Response, text: string, order: PayoutOrder): PayoutOutcome {
  const { status } = response;
  if (status === 409) return { kind: "conflict" };
  if (status >= 400 && status < 500 && !UNDECIDED.has(status)) {
    return { kind: "refused", status, message: refusalText(text, order.destination) };
  }
  if (!response.ok) return { kind: "unknown", status, cause: statusError(status) };
  const parsed = parsePayoutAnswer(text);
  if (!parsed.ok) return { kind: "unknown", status, cause: parsed.error };
  return judgePayout(parsed.answer, order);
}

function readLookUp(response: Response, text: string): PayoutLookUp {
  if (response.status === 404) return { kind: "not_found" };
  if (!response.ok) return unreachable(statusError(response.status), response);
  const parsed = parsePayoutAnswer(text);
  return parsed.ok ? { kind: "found", answer: parsed.answer } : unreachable(parsed.error, response);
}

function statusError(status: number): Error {
  return new Error(`The payout gateway answered ${status}`);
}
