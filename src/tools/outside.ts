import { createHash } from "node:crypto";

/** One request to somebody else's service, as the log keeps it: hashes instead of what was said. */
export interface OutsideCall {
  provider: string;
  method: string;
  /** A template without secrets: `/payouts/by-key/{key}`. */
  endpoint: string;
  requestHash: string;
  /** null: no answer came, or none has a status (mail). */
  responseStatus: number | null;
  /** null: no answer that could be read. */
  responseHash: string | null;
  latencyMs: number;
}

/** `endpoint` is a template: what stands in a path may be a secret. */
export interface OutsideRequest {
  provider: string;
  method: string;
  endpoint: string;
  /** The body, or what stands for it; only its hash is kept. */
  body: string | Uint8Array;
}

/** `status`: null where the protocol has none. */
export interface OutsideAnswer {
  status: number | null;
  /** Without secrets that may be guessed from a hash (a payout's code); null: not kept. */
  body: string | null;
}

/**
 * Keeps the requests that one call of a tool makes. They are written together with what came of the
 * call, also when that is unknown.
 */
export interface Outside {
  /** Before the request leaves. Tell the answer when it comes; none is told when none came. */
  begin(request: OutsideRequest): (answer: OutsideAnswer) => void;
}

/** Of one execution; whoever ran the call writes the list when its outcome is recorded. */
export interface OutsideCalls extends Outside {
  /** All of them so far; what has no answer yet counts as unanswered. */
  list(): OutsideCall[];
}

/** `realNow`: milliseconds. */
export function keepOutsideCalls(realNow: () => number): OutsideCalls {
  const calls: { call: OutsideCall; startedAt: number; isOver: boolean }[] = [];
  return {
    begin({ body, ...request }) {
      const startedAt = realNow();
      const answer = { responseStatus: null, responseHash: null, latencyMs: 0 };
      const entry = {
        startedAt,
        isOver: false,
        call: { ...request, requestHash: hashOf(body), ...answer } as OutsideCall,
      };
      calls.push(entry);
      return (told) => {
        entry.isOver = true;
        entry.call.responseStatus = told.status;
        entry.call.responseHash = told.body === null ? null : hashOf(told.body);
        entry.call.latencyMs = Math.max(0, realNow() - startedAt);
      };
    },
    list: () =>
      calls.map(({ call, startedAt, isOver }) =>
        isOver ? { ...call } : { ...call, latencyMs: Math.max(0, realNow() - startedAt) },
      ),
  };
}

function hashOf(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
