import { Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatOutcome } from "../../src/domain/chat-model.ts";
import { FINAL_FAILURES, RETRYABLE_FAILURES } from "../../src/domain/failure.ts";
import {
  call,
  clientOf,
  delta,
  events,
  type Fields,
  fates,
  MODES,
  type Mode,
  request,
} from "../support/model-endpoint.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());

interface Answer {
  body: Uint8Array;
  status: number;
  headers: Record<string, string>;
  /** Sizes of the pieces, over and over. */
  sizes: readonly number[];
  mode: Mode;
}

function piecesOf(body: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

async function outcomeOf({ body, status, headers, sizes, mode }: Answer): Promise<ChatOutcome> {
  server.answer((_, response) => {
    response.writeHead(status, headers);
    Readable.from(piecesOf(body, sizes)).pipe(response);
  });
  return clientOf(server).chat(request(mode));
}

const FAILURES: readonly string[] = [...RETRYABLE_FAILURES, ...FINAL_FAILURES];

/** Every field of it is what the port says, and goes into any store. */
function expectTyped(outcome: ChatOutcome): void {
  const { journal } = outcome;
  for (const count of [journal.inputTokens, journal.outputTokens])
    expect(count === null || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
  const texts = [journal.modelId, journal.finishReason ?? ""];
  if (outcome.kind === "failed") {
    texts.push(outcome.error);
    expect(FAILURES).toContain(outcome.failure);
    expect(outcome.retryable).toBe(RETRYABLE_FAILURES.some((one) => one === outcome.failure));
    const { retryAfterMs: wait } = outcome;
    expect(wait === null || (Number.isSafeInteger(wait) && wait >= 0)).toBe(true);
  } else {
    texts.push(outcome.text);
    expect(outcome.text.trim() !== "" || outcome.calls.length > 0).toBe(true);
    expect(outcome.calls.length).toBeLessThanOrEqual(64);
    for (const one of outcome.calls)
      expect([typeof one.name, typeof one.arguments, typeof one.providerId]).toEqual(STRINGS);
  }
  for (const text of texts) expect(text.isWellFormed() && !text.includes("\0")).toBe(true);
}
const STRINGS = ["string", "string", "string"];

const bytes = (text: string): Uint8Array => Buffer.from(text);
const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 });
const mode = fc.constantFrom(...MODES);
const status = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  fc.constantFrom(201, 307, 400, 401, 404, 413, 429, 500, 503, 529),
);
const type = fc.constantFrom("application/json", "text/event-stream", "text/html", "");
const headers = fc
  .record({ type, after: fc.constantFrom("", "3", "-1", "soon", "1e999", "Sun, 31 May 2026 1") })
  .map(({ type: contentType, after }) => ({
    ...(contentType === "" ? {} : { "Content-Type": contentType }),
    ...(after === "" ? {} : { "Retry-After": after, "x-ratelimit-reset-tokens": after }),
  }));

/** Anything, and mostly nearly what an answer holds. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("", "stop", "quote", '{"a":1}', "{}", "<tool_call>", "a\0b\ud800", -1, 1e300),
);
/** What belongs there, four times of five. */
const mostly = <T>(sound: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: sound as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd });
const words = fc.constantFrom("Hello", "", "{", '{"a":1}', "<think>", "</think>x", "quote({})");
const oddCall = fc.record(
  {
    ...{ id: odd, index: odd, type: odd, extra_content: odd },
    function: mostly(fc.record({ name: mostly(fc.constantFrom("quote", "rm")), arguments: odd })),
  },
  { requiredKeys: [] },
);
const oddMessage = fc.record(
  {
    ...{ role: odd, content: mostly(fc.oneof(words, fc.array(fc.record({ text: odd })))) },
    ...{
      refusal: mostly(fc.constant(null)),
      reasoning_content: odd,
      reasoning_details: odd,
      function_call: odd,
    },
    tool_calls: mostly(fc.array(oddCall, { minLength: 1, maxLength: 4 })),
  },
  { requiredKeys: [] },
);
const finish = mostly(fc.constantFrom("stop", "length", "tool_calls", null, "content_filter"));
const oddChoice = fc.oneof(
  fc.record({ message: mostly(oddMessage), finish_reason: finish }),
  fc.record({ index: fc.constant(0), delta: mostly(oddMessage), finish_reason: finish }),
  fc.record({ index: odd, delta: odd, message: odd, error: odd }, { requiredKeys: [] }),
);
const oddBody = fc.oneof(
  odd,
  fc.record({ error: fc.oneof(odd, fc.record({ message: odd, code: odd, type: odd })) }),
  fc.record({ choices: fc.array(oddChoice, { minLength: 1, maxLength: 2 }) }),
  fc.record(
    {
      choices: mostly(fc.array(oddChoice, { maxLength: 2 })),
      usage: mostly(fc.record({ prompt_tokens: odd, completion_tokens: odd })),
      ...{ model: odd, object: odd },
    },
    { requiredKeys: ["choices"] },
  ),
);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 200 }).map(bytes),
  { weight: 6, arbitrary: oddBody.map((value) => bytes(JSON.stringify(value))) },
  {
    weight: 6,
    arbitrary: fc
      .array(oddBody, { maxLength: 4 })
      .map((values) => bytes(events(...values, "[DONE]"))),
  },
  fc.constantFrom("", " \n", "<html>502</html>", "[".repeat(50_000), "data:", "null").map(bytes),
);

describe("whatever an endpoint answers", () => {
  it("it is a typed outcome, never a crash", async () => {
    const seen = new Map<string | undefined, number>();
    const note = (outcome: ChatOutcome) => {
      const proposed = outcome.kind === "answer" && outcome.calls.length > 0;
      const said = proposed ? (outcome.cut ? "cut calls" : "calls") : "words";
      const what = outcome.kind === "failed" ? outcome.fault : said;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    };
    const answer = fc.record({ body, status, headers, sizes, mode });
    await fc.assert(
      fc.asyncProperty(answer, async (given) => {
        const outcome = await outcomeOf(given);
        expectTyped(outcome);
        note(outcome);
      }),
      { numRuns: 1_000 },
    );
    // it met what it is about
    for (const one of [
      "words",
      "calls",
      "cut calls",
      "unreadable",
      "error_body",
      "empty",
      "status",
    ])
      expect(seen.get(one), one).toBeGreaterThan(0);
  });

  it("what holds no call proposes none", async () => {
    const text = fc
      .string({ unit: "binary", maxLength: 60 })
      .filter((one) => !/quote|pay/.test(one));
    await fc.assert(
      fc.asyncProperty(text, sizes, mode, async (content, pieceSizes, asked) => {
        const chunks = [delta({ content }), delta({}, "stop")];
        const whole = JSON.stringify({ choices: [{ message: { content } }] });
        for (const said of [content, whole, events(...chunks)]) {
          const answer = { body: bytes(said), status: 200, headers: {}, sizes: pieceSizes };
          const outcome = await outcomeOf({ ...answer, mode: asked });
          expect(outcome.kind === "answer" ? outcome.calls : []).toEqual([]);
        }
      }),
    );
  });
});

describe("an answer that is cut anywhere", () => {
  const args = '{"amount":"250","to":"Лея"}';
  const tool_calls = [
    call({ arguments: args }, { index: 0 }),
    call({ name: "pay" }, { index: 1, id: "b" }),
  ];
  const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

  it("runs no call when it was one value", async () => {
    const whole = bytes(JSON.stringify({ choices: [{ message: { tool_calls } }] }));
    await fc.assert(
      fc.asyncProperty(share, sizes, mode, async (at, pieceSizes, asked) => {
        const cut = whole.subarray(0, Math.floor(at * whole.length));
        const answer = { body: cut, status: 200, headers: {}, sizes: pieceSizes, mode: asked };
        expect(await outcomeOf(answer)).toMatchObject({ kind: "failed", retryable: true });
      }),
    );
  });

  it("runs no call when it was a stream, until its finish reason has come", async () => {
    const deltas: Fields[] = [
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "quote", arguments: "" } }] }),
      ...[...args].map((char) =>
        delta({ tool_calls: [{ index: 0, function: { arguments: char } }] }),
      ),
      delta({ tool_calls: [tool_calls[1]] }),
    ];
    const said = bytes(events({ choices: [] }, ...deltas));
    await fc.assert(
      fc.asyncProperty(share, sizes, mode, async (at, pieceSizes, asked) => {
        const cut = said.subarray(0, Math.ceil(at * said.length));
        const answer = { body: cut, status: 200, headers: {}, sizes: pieceSizes, mode: asked };
        const outcome = await outcomeOf(answer);
        if (outcome.kind === "failed") expect(outcome.retryable).toBe(true);
        else expect(fates(outcome).map(([, fate]) => fate)).toEqual(outcome.calls.map(() => "cut"));
      }),
    );
  });

  it("is the same answer in whatever pieces its bytes come", async () => {
    const said = bytes(
      events(delta({ content: "Лея 👍" }), delta({ tool_calls }), delta({}, "stop")),
    );
    await fc.assert(
      fc.asyncProperty(sizes, mode, async (pieceSizes, asked) => {
        const answer = { body: said, status: 200, headers: {}, sizes: pieceSizes, mode: asked };
        expect(await outcomeOf(answer)).toMatchObject({
          ...{ kind: "answer", text: "Лея 👍", cut: false },
          calls: [{ name: "quote", arguments: args }, { name: "pay" }],
        });
      }),
    );
  });
});
