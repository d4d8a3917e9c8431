import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMsOf } from "../../src/model/retry-after.ts";

const NOW = Date.parse("2026-05-31T12:00:00Z");

function wait(over: { headers?: Record<string, string>; body?: unknown; status?: number | null }) {
  const headers = new Headers(over.headers);
  return retryAfterMsOf({ status: 429, body: null, now: NOW, ...over, headers });
}

describe("row 36: the least time to wait is read from a header", () => {
  it.each([
    [{ "retry-after": "20" }, 20_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "2m30s" }, 150_000],
    [{ "retry-after": "Sun, 31 May 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 31 May 2026 11:00:00 GMT" }, 0],
    [
      {
        "retry-after": "Sun, 31 May 2026 10:00:30 GMT",
        date: "Sun, 31 May 2026 10:00:00 GMT",
      },
      30_000,
    ],
    [{ "retry-after-ms": "1250", "retry-after": "2" }, 1_250],
    [{ "x-ratelimit-reset-requests": "6m0s" }, 360_000],
    [{ "x-ratelimit-reset-tokens": "88ms" }, 88],
    [{ "x-ratelimit-reset-requests": "1h2m3.5s" }, 3_723_500],
    [{ "x-ratelimit-reset": String(NOW / 1000 + 5) }, 5_000],
    [{ "x-ratelimit-reset": String(NOW + 7_000) }, 7_000],
    [{ "retry-after": "1", "x-ratelimit-reset-requests": "6m0s" }, 1_000],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ])("%j: %s ms", (headers, ms) => {
    expect(wait({ headers: headers as Record<string, string> })).toBe(ms);
  });

  it("of two limits the one that is used up counts", () => {
    const headers = {
      ...{ "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "40" },
      ...{ "x-ratelimit-reset-tokens": "9s", "x-ratelimit-remaining-tokens": "0" },
    };
    expect(wait({ headers })).toBe(9_000);
  });

  it("resets of limits say nothing of another failure", () => {
    expect(wait({ status: 500, headers: { "x-ratelimit-reset-requests": "6m0s" } })).toBeNull();
    expect(wait({ status: 503, headers: { "retry-after": "3" } })).toBe(3_000);
  });
});

describe("row 36: the least time to wait is read from a body", () => {
  const google = {
    error: {
      code: 429,
      details: [
        { "@type": "type.googleapis.com/google.rpc.Help" },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s" },
      ],
    },
  };
  it.each([
    [google, 34_400],
    [[google], 34_400],
    [{ error: { message: "Limit reached. Please try again in 6m0s. Contact us" } }, 360_000],
    [{ error: { message: "Please try again in 450ms." } }, 450],
    [{ error: { message: "Please retry in 34.4s." } }, 34_400],
    [{ error: { message: "retry after 2 minutes 5 seconds" } }, 125_000],
    [{ error: { message: "Quota exceeded, resets in 3h." } }, 10_800_000],
    [{ error: { message: "Rate limited, try again later" } }, null],
    [{ retry_after: 3 }, 3_000],
    [{ error: { retry_after_ms: 30 } }, 30],
    [{ error: { metadata: { headers: { "X-RateLimit-Reset": String(NOW + 2_000) } } } }, 2_000],
    ["please wait 5 seconds", 5_000],
    [null, null],
  ])("%j: %s ms", (body, ms) => {
    expect(wait({ body })).toBe(ms);
  });

  it("a header is a lower bound: what the body says may be longer", () => {
    const body = { error: { message: "try again in 2h" } };
    expect(wait({ headers: { "retry-after": "1" }, body })).toBe(7_200_000);
  });
});

it("whatever stands there, the answer is a sound number or nothing", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("1e400", "99999999999999999999", "NaN", "0x10"),
  );
  fc.assert(
    fc.property(text, fc.jsonValue(), text, (said, body, message) => {
      const value = said.replace(/[^\x20-\x7e]/g, "");
      const headers = { "retry-after": value, "x-ratelimit-reset": value };
      for (const one of [body, { error: { message, retry_after: said } }]) {
        const ms = wait({ headers, body: one });
        expect(ms === null || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true);
      }
    }),
  );
});
