import { describe, expect, it } from "vitest";
import { classifyError, parsedBody, readEndpointError } from "../../src/model/endpoint-error.ts";

const classify = (status: number, body: unknown) =>
  classifyError(status, readEndpointError(typeof body === "string" ? parsedBody(body) : body));

describe("row +: a request that is too long is known by any server's words", () => {
  it.each([
    [400, { error: { code: "context_length_exceeded", message: "x" } }],
    [400, { error: { message: "This model's maximum context length is 8192 tokens." } }],
    [400, { object: "error", message: "This model's maximum context length is 4096", code: 400 }],
    [400, { error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } }],
    [400, [{ error: { code: 400, message: "The input token count (9) exceeds the maximum" } }]],
    [400, { error: { type: "exceed_context_size_error", message: "request exceeds" } }],
    [500, { error: { message: "the request exceeds the available context size" } }],
    [422, { error: "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000" }],
    [413, { error: { message: "Request too large for model `x` on tokens per minute" } }],
    [429, { error: { message: "Request too large for gpt-4o: Limit 30000, Requested 35000" } }],
    [
      400,
      { message: "Prompt contains 9 tokens, too large for model with 8 maximum context length" },
    ],
    [400, { error: { message: "Range of input length should be [1, 6000]" } }],
    [400, { detail: [{ msg: "This model's maximum prompt length is 131072" }] }],
    [200, { error: { code: 400, message: "Please reduce the length of the messages" } }],
    [400, "Input is too long for requested model."],
  ])("%i %j", (status, body) => {
    expect(classify(status, body)).toEqual({
      ...{ failure: "schema_invalid", fault: "context_overflow" },
    });
  });

  it.each([
    [429, { error: { message: "Too many tokens, please wait before trying again." } }],
    [429, { error: { message: "Rate limit reached for tokens per min: context length" } }],
    [401, { error: { message: "context length" } }],
    [400, { error: { message: "Invalid value for temperature" } }],
    [400, { error: { message: "too long" } }],
  ])("%i %j is something else", (status, body) => {
    expect(classify(status, body).fault).not.toBe("context_overflow");
  });
});

describe("row 36: a used-up account is no limit that passes", () => {
  it.each([
    [429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }],
    [429, { error: { type: "insufficient_quota", code: null, message: "x" } }],
    [402, { error: { message: "Payment required" } }],
    [403, { error: { message: "Insufficient balance" } }],
    [400, { error: { message: "Your credit balance is too low to access the API" } }],
  ])("%i %j", (status, body) => {
    expect(classify(status, body)).toEqual({ failure: "insufficient_funds", fault: "quota" });
  });

  it("Google's daily quota passes, however late", () => {
    const body = { error: { code: 429, message: "You exceeded your current quota", details: [] } };
    expect(classify(429, body)).toEqual({ failure: "rate_limited", fault: "status" });
  });
});

describe("a status says what the failure is, its body only what was wrong", () => {
  it.each([
    [307, "", "invalid_resource"],
    [400, "", "schema_invalid"],
    [401, "<html>rate limit</html>", "access_denied"],
    [404, { error: "model not found" }, "invalid_resource"],
    [408, "", "timeout"],
    [429, { error: { message: "slow down" } }, "rate_limited"],
    [502, "<html><title>502 Bad Gateway</title></html>", "transient"],
    [503, { detail: "loading" }, "unavailable"],
    [529, { error: { type: "overloaded_error" } }, "transient"],
  ])("%i %j: %s", (status, body, failure) => {
    expect(classify(status, body)).toEqual({ failure, fault: "status" });
  });

  it("a filter's refusal of the request is a refusal", () => {
    const body = { error: { code: "content_filter", message: "filtered" } };
    expect(classify(400, body)).toEqual({ failure: "policy_block", fault: "refused" });
  });
});

describe("a request that is refused says nothing of the key", () => {
  const flagged = (metadata: object) => ({ error: { code: 403, message: "no", metadata } });
  it.each([
    [403, { error: { code: 403, message: "Your input was flagged" } }],
    [403, flagged({ reasons: ["violence"], provider_name: "x" })],
    [403, flagged({ flagged_input: "the words" })],
    [200, flagged({ reasons: ["violence"] })],
    [403, { code: "No permission", error: "Content violates usage guidelines. Failed check: X" }],
    [400, { error: { code: "invalid_prompt", message: "your prompt was flagged as" } }],
    [400, { error: { code: "content_policy_violation", message: "x" } }],
    [400, { error: { code: "data_inspection_failed", message: "x" } }],
    [400, { error: { message: "Input data may contain inappropriate content." } }],
    [401, { error: { message: "The prompt was filtered due to Azure content management policy" } }],
  ])("moderation: %i %j", (status, body) => {
    expect(classify(status, body)).toEqual({ failure: "policy_block", fault: "refused" });
  });

  it.each([
    "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1234.",
    "Prompt tokens limit exceeded: 12345 > 2000.",
  ])("too dear for what the account has left: %s", (message) => {
    expect(classify(402, { error: { code: 402, message } })).toEqual({
      ...{ failure: "schema_invalid", fault: "refused" },
    });
  });

  it.each([
    [402, "You requested up to 65536 tokens, but can only afford 3.", "insufficient_funds"],
    [402, "Insufficient credits. Add more.", "insufficient_funds"],
    [401, "Your account was deactivated: content violates our usage policies", "access_denied"],
    [403, "Your request violates policy; your account has been suspended", "access_denied"],
    [403, "Country, region, or territory not supported", "access_denied"],
    [403, "Key limit exceeded", "access_denied"],
    [403, "You are not allowed to sample from this model", "access_denied"],
    [429, "Too many requests were flagged", "rate_limited"],
  ])("the rest stays what its status says: %i %s", (status, message, failure) => {
    expect(classify(status, { error: { message } }).failure).toBe(failure);
  });
});

describe("what an endpoint said can be read", () => {
  it.each([
    [{ error: { message: "no" } }, "no"],
    [{ error: "no" }, "no"],
    [{ detail: "no" }, "no"],
    [{ detail: [{ msg: "no" }] }, '[{"msg":"no"}]'],
    [{ error: { message: "upstream", metadata: { raw: "too busy" } } }, "upstream: too busy"],
    [[{ error: { message: "no" } }], "no"],
    ["<html><style>p{}</style><p>Bad\n Gateway</p></html>", "Bad Gateway"],
    ["", "it gave no reason"],
    [null, "it gave no reason"],
  ])("%j", (body, message) => {
    expect(readEndpointError(body).message).toBe(message);
  });
});
