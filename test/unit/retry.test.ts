import { describe, expect, it } from "vitest";
import {
  FINAL_FAILURES,
  failureOfError,
  failureOfStatus,
  isRetryable,
  RETRYABLE_FAILURES,
} from "../../src/domain/failure.ts";
import { TOOL_ERROR_CODES } from "../../src/domain/tool.ts";
import {
  backOffMs,
  CALL_RETRIES,
  codeOfFailure,
  EFFECT_RETRIES,
  failureOfCode,
  MODEL_RETRIES,
  nextTry,
} from "../../src/policy/retry.ts";

const first = { attempt: 1, retryAfterMs: 0 };

describe("a failed attempt", () => {
  it.each(RETRYABLE_FAILURES)("of class %s is made again", (failure) => {
    expect(nextTry({ failure, ...first }, EFFECT_RETRIES)).toEqual({ kind: "retry", waitMs: 2000 });
  });

  it.each(FINAL_FAILURES)("of class %s is never made again", (failure) => {
    for (const limits of [EFFECT_RETRIES, MODEL_RETRIES])
      expect(nextTry({ failure, ...first }, limits)).toEqual({ kind: "stop", reason: "final" });
  });

  it("is followed by longer and longer waits, up to a limit", () => {
    const waits = [1, 2, 3, 4].map((attempt) => backOffMs(attempt, EFFECT_RETRIES));
    expect(waits).toEqual([2_000, 10_000, 50_000, 60_000]);
    expect([1, 2, 3, 9].map((attempt) => backOffMs(attempt, CALL_RETRIES))).toEqual([
      500, 1_500, 4_500, 5_000,
    ]);
  });

  it("waits as long as the other side asked for, and no shorter", () => {
    const failure = "rate_limited";
    const asked = (retryAfterMs: number) =>
      nextTry({ failure, attempt: 1, retryAfterMs }, EFFECT_RETRIES);
    expect(asked(7_000)).toEqual({ kind: "retry", waitMs: 7_000 });
    expect(asked(500)).toEqual({ kind: "retry", waitMs: 2_000 });
    expect(asked(3_600_001)).toEqual({ kind: "stop", reason: "wait" });
  });

  it("was the last one when all attempts are used, or no time is left to wait", () => {
    const { attempts } = EFFECT_RETRIES;
    expect(nextTry({ ...first, failure: "network", attempt: attempts }, EFFECT_RETRIES)).toEqual({
      ...{ kind: "stop", reason: "attempts" },
    });
    expect(
      nextTry({ ...first, failure: "network" }, { ...CALL_RETRIES, longestWaitMs: 499 }),
    ).toEqual({ kind: "stop", reason: "wait" });
  });
});

describe("the class of a failure", () => {
  it.each([
    [400, "schema_invalid"],
    [401, "access_denied"],
    [402, "insufficient_funds"],
    [403, "access_denied"],
    [404, "invalid_resource"],
    [408, "timeout"],
    [422, "schema_invalid"],
    [429, "rate_limited"],
    [500, "transient"],
    [502, "transient"],
    [503, "unavailable"],
    [504, "timeout"],
    [200, null],
  ] as const)("of status %i is %s", (status, failure) => {
    expect(failureOfStatus(status)).toBe(failure);
  });

  it("of a code agrees with the code of the class about trying again", () => {
    for (const code of TOOL_ERROR_CODES) {
      const failure = failureOfCode(code);
      expect(isRetryable(failureOfCode(codeOfFailure(failure))), code).toBe(isRetryable(failure));
    }
    const again = TOOL_ERROR_CODES.filter((code) => isRetryable(failureOfCode(code)));
    expect(again.toSorted()).toEqual(["PROVIDER_ERROR", "RATE_LIMITED", "TIMEOUT"]);
  });

  it("of a thrown error is that of the connection or of time; a bug has none", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(failureOfError(new TypeError("fetch failed", { cause: refused }))).toBe("network");
    expect(failureOfError(new DOMException("late", "TimeoutError"))).toBe("timeout");
    expect(failureOfError(new TypeError("x is undefined"))).toBeNull();
    expect(failureOfError("text")).toBeNull();
  });
});
