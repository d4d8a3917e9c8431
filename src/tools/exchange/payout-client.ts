import { createHmac } from "node:crypto";
import { type Unreachable, unreachable, wasNeverSent } from "./http-outcome.ts";
import {
  type AcceptedPayout,
  type AskedPayout,
  judgePayout,
  type PayoutAnswer,
  parsePayoutAnswer,
  refusalText,
} from "./payout-answer.ts";

export interface PayoutOrder extends AskedPayout {
  /** Sent as Idempotency-Key; the same key with the same order pays once. */
  key: string;
  method: string;
  location: string | null;
  destination: unknown;
}

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

export type PayoutLookUp =
  | { kind: "found"; answer: PayoutAnswer }
  | { kind: "not_found" }
  | Unreachable;

/** Neither call throws or retries: whether to send again is decided by whoever keeps the books. */
export interface PayoutClient {
  send(order: PayoutOrder, signal: AbortSignal): Promise<PayoutOutcome>;
  lookUp(key: string, signal: AbortSignal): Promise<PayoutLookUp>;
}

export interface PayoutClientOptions {
  baseUrl: string;
  secret: string;
  timeoutMs: number;
  fetch?: typeof fetch;
}

/** 409 is a conflict; a request timed out or throttled may still have been taken. */
const UNDECIDED = new Set([408, 429]);

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
    async send(order, signal) {
      if (signal.aborted) return { kind: "not_sent", cause: signal.reason };
      try {
        const response = await call("/payouts", signedPost(order, options.secret), signal);
        return await readOutcome(response, order);
      } catch (cause) {
        return { kind: wasNeverSent(cause) ? "not_sent" : "unknown", cause };
      }
    },
    async lookUp(key, signal) {
      try {
        // a gateway need not look at it; one that does tells a wrong secret before money is moved
        const headers = { "X-Signature": signatureOf(Buffer.alloc(0), options.secret) };
        const path = `/payouts/by-key/${encodeURIComponent(key)}`;
        const response = await call(path, { headers }, signal);
        return await readLookUp(response);
      } catch (cause) {
        return unreachable(cause);
      }
    },
  };
}

function signedPost(order: PayoutOrder, secret: string): RequestInit {
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
    method: "POST",
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

async function readOutcome(response: Response, order: PayoutOrder): Promise<PayoutOutcome> {
  const { status } = response;
  const text = await response.text();
  if (status === 409) return { kind: "conflict" };
  if (status >= 400 && status < 500 && !UNDECIDED.has(status)) {
    return { kind: "refused", status, message: refusalText(text) };
  }
  if (!response.ok) return { kind: "unknown", status, cause: statusError(status) };
  const parsed = parsePayoutAnswer(text);
  if (!parsed.ok) return { kind: "unknown", status, cause: parsed.error };
  return judgePayout(parsed.answer, order);
}

async function readLookUp(response: Response): Promise<PayoutLookUp> {
  const text = await response.text();
  if (response.status === 404) return { kind: "not_found" };
  if (!response.ok) return unreachable(statusError(response.status), response);
  const parsed = parsePayoutAnswer(text);
  return parsed.ok ? { kind: "found", answer: parsed.answer } : unreachable(parsed.error, response);
}

function statusError(status: number): Error {
  return new Error(`The payout gateway answered ${status}`);
}
