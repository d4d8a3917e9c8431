import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseModelsFile } from "../../src/model/broker/models-file.ts";
import { runToolLoop } from "../../src/model/broker/tool-loop.ts";
import { call, delta, events, startStream, stream } from "../support/model-endpoint.ts";
import { firstOf, keysOf } from "../support/model-keys.ts";
import { HELLO, openPool, QUOTE } from "../support/model-pool.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let one: ScriptedServer;
let two: ScriptedServer;
beforeAll(async () => {
  [one, two] = [await startScriptedServer(), await startScriptedServer()];
});
beforeEach(() => {
  for (const server of [one, two]) {
    server.seen.splice(0);
    server.answer((_, response) => json(response, 200, says(server === one ? "one" : "two")));
  }
});
afterAll(() => Promise.all([one.close(), two.close()]));

const says = (content: string) => ({
  choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
});
const bodyOf = (server: ScriptedServer, at = -1) => JSON.parse(String(server.seen.at(at)?.body));
const keyOf = (server: ScriptedServer) => server.seen.at(-1)?.headers.authorization;

/** The first is asked before the second as long as it can be. */
function open(over: object = {}, parts: Parameters<typeof openPool>[1] = {}) {
  const text = JSON.stringify({
    models: [
      {
        ...{ name: "one", base_url: `${one.url}/v1`, model: "m1", api_key_ref: "ONE_KEY" },
        ...{ weight: 1000, ...over },
      },
      { name: "two", base_url: `${two.url}/v1/`, model: "m2", api_key_ref: "TWO_KEY" },
    ],
  });
  const entries = parseModelsFile(text, "models.json");
  const keys = keysOf({ ONE_KEY: "key-one", TWO_KEY: "key-two" });
  return openPool(entries, { openClient: undefined, keys, random: () => 0, ...parts });
}

describe("on the wire", () => {
  it("the caller's fields win over those for tools, these over the rest", async () => {
    const params = { temperature: 0.1, top_p: 0.1, seed: 1 };
    const pool = open({ params, params_with_tools: { top_p: 0.2, seed: 2, tool_choice: "auto" } });
    await pool.broker.chat(HELLO, { tools: [QUOTE], params: { seed: 3 } });
    expect(bodyOf(one)).toMatchObject({
      ...{ model: "m1", temperature: 0.1, top_p: 0.2, seed: 3, tool_choice: "auto" },
    });
    await pool.broker.chat(HELLO);
    expect(bodyOf(one)).toMatchObject(params);
    expect(bodyOf(one)).not.toHaveProperty("tool_choice");
    await pool.broker.direct("one").chat(HELLO, { tools: [QUOTE], params: { seed: 3 } });
    expect(bodyOf(one)).toMatchObject({ temperature: 0.1, top_p: 0.2, seed: 3 });
  });

  it("each scope has its own key, and a rejected one is lost to its holder alone", async () => {
    const secrets = (name: string) => (name === "anna/ONE_KEY" ? "anna-key" : null);
    const shared = keysOf({ ONE_KEY: "key-one", TWO_KEY: "key-two" });
    const pool = open({}, { keys: firstOf(secrets, shared) });
    one.answer(({ headers }, response) =>
      headers.authorization === "Bearer anna-key"
        ? json(response, 401, { error: { message: "Incorrect API key provided: anna-key" } })
        : json(response, 200, says("one")),
    );
    const anna = pool.broker.forScope("anna");
    expect((await anna.chat(HELLO)).text).toBe("two");
    expect(keyOf(one)).toBe("Bearer anna-key");
    expect(keyOf(two)).toBe("Bearer key-two");
    expect((await pool.broker.forScope("bert").chat(HELLO)).text).toBe("one");
    expect(keyOf(one)).toBe("Bearer key-one");
    expect((await anna.chat(HELLO)).text).toBe("two");
    expect(one.seen).toHaveLength(2);
    expect(JSON.stringify(await pool.broker.calls())).not.toContain("anna-key");
  });

  it("Retry-After is what the model cools at least", async () => {
    const pool = open();
    one.answer((_, response) => {
      response.setHeader("Retry-After", "90");
      json(response, 429, { error: { message: "too many" } });
    });
    await pool.broker.chat(HELLO);
    const { models } = await pool.broker.snapshot();
    expect(models[0]).toMatchObject({ cooldownUntil: 1_090_000, cause: "HTTP 429 (rate limited)" });
  });

  it.each([
    ["a page in the place of JSON", "<html>Bad gateway</html>"],
    ["nothing", ""],
    ["an error with status 200", JSON.stringify({ error: { message: "overloaded", code: 503 } })],
  ])("%s sends the call to the next model", async (_, body) => {
    const pool = open();
    one.answer((_request, response) => response.end(body));
    expect((await pool.broker.chat(HELLO)).text).toBe("two");
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBe(1_002_000);
  });

  it("neither words nor calls does so, too, and others go first until it answers", async () => {
    const pool = open();
    const timeoutMs = 20_000;
    one.answer((_request, response) => response.end(JSON.stringify(says(""))));
    expect((await pool.broker.chat(HELLO, { timeoutMs })).text).toBe("two");
    // a client can bring that about: it must not stop the model for everybody
    expect((await pool.broker.snapshot()).models[0]?.cooldownUntil).toBeNull();
    one.answer((_request, response) => json(response, 200, says("one")));
    expect((await pool.broker.chat(HELLO, { timeoutMs })).text).toBe("two");
    expect(one.seen).toHaveLength(1);
  });
});

describe("a stream", () => {
  it("that fails before its first words comes from the next model", async () => {
    const pool = open();
    one.answer((_, response) => stream(response, { error: { message: "overloaded", code: 503 } }));
    two.answer((_, response) =>
      stream(response, delta({ content: "Hello " }), delta({ content: "you" }, "stop"), "[DONE]"),
    );
    const heard: string[] = [];
    const said = await pool.broker.chat(HELLO, { onDelta: (text) => heard.push(text) });
    expect([said.text, said.llmName, heard.join("")]).toEqual(["Hello you", "two", "Hello you"]);
  });

  it("that breaks off after its first words is cut, and nobody else is asked", async () => {
    const pool = open();
    one.answer((_, response) => {
      startStream(response);
      const half = events(delta({ content: "Half " }), delta({ content: "a word" }));
      response.write(half, () => response.destroy());
    });
    const said = await pool.broker.chat(HELLO, { onDelta: () => {} });
    expect(said).toMatchObject({ text: "Half a word", cut: true, llmName: "one" });
    expect(two.seen).toEqual([]);
    expect(await pool.broker.calls()).toMatchObject([{ llmName: "one", cut: true }]);
  });
});

describe("an abort", () => {
  it("ends the request that is under way, and asks nobody else", async () => {
    const pool = open();
    const giving = new AbortController();
    const closed = new Promise((resolve) => {
      one.answer((_, response) => {
        response.on("close", () => resolve("closed"));
        giving.abort(new Error("a newer message came"));
      });
    });
    const asked = pool.broker.chat(HELLO, { signal: giving.signal });
    await expect(asked).rejects.toThrow("a newer message came");
    expect(await closed).toBe("closed");
    expect(two.seen).toEqual([]);
    expect(await pool.broker.calls()).toMatchObject([{ status: "superseded", fault: "aborted" }]);
  });
});

describe("a tool loop", () => {
  it("that began with one model goes on with another when that one is gone", async () => {
    const pool = open();
    one.answer((_, response) => {
      const message = { content: null, tool_calls: [call(), call({}, { id: "c1" })] };
      json(response, 200, { choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
      one.answer((_next, refused) => json(refused, 503, {}));
    });
    const dispatch = { quote: () => ({ rate: "61000" }) };
    const said = await runToolLoop(pool.broker, HELLO, { tools: [QUOTE], dispatch });
    expect(said).toMatchObject({ text: "two", llmName: "two", cycles: 2 });
    const { messages } = bodyOf(two);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      ...["user", "assistant", "tool", "tool"],
    ]);
    const ids = messages[1].tool_calls.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(2);
    const answered = messages.slice(2).map((one: { tool_call_id: string }) => one.tool_call_id);
    expect(answered).toEqual(ids);
    const rows = await pool.broker.calls({ traceId: said.traceId });
    expect(rows.map(({ llmName, status }) => [llmName, status])).toEqual([
      ["two", "ok"],
      ["one", "failed"],
      ["one", "ok"],
    ]);
  });
});

describe("a key", () => {
  const KEY = "sk-very-secret/0123456789";
  const withKey = (key: string) => open({}, { keys: keysOf({ ONE_KEY: key, TWO_KEY: "key-two" }) });
  const told = async (pool: ReturnType<typeof open>) =>
    JSON.stringify([await pool.broker.calls(), await pool.broker.snapshot(), pool.lines]);

  it("with space around it is sent without, and known again in what its endpoint says", async () => {
    const pool = withKey(` ${KEY}\r\n`);
    one.answer((_, response) => json(response, 401, { error: { message: `wrong key ${KEY}` } }));
    expect((await pool.broker.chat(HELLO)).text).toBe("two");
    expect(keyOf(one)).toBe(`Bearer ${KEY}`);
    expect(await told(pool)).toContain("wrong key [key]");
    expect(await told(pool)).not.toContain("very-secret");
    const direct = pool.broker.direct("one").chat(HELLO);
    await expect(direct).rejects.toThrow("wrong key [key]");
  });

  it("of nothing but space is none", async () => {
    const pool = withKey(" \n");
    expect((await pool.broker.chat(HELLO)).text).toBe("two");
    expect(one.seen).toEqual([]);
  });

  it.each(["whole", "streamed"])("is in no field of a good answer (%s)", async (mode) => {
    const pool = withKey(KEY);
    const said = { ...says(`Hi ${KEY} you`), model: `m ${KEY}` };
    one.answer((_, response) =>
      mode === "whole"
        ? json(response, 200, { ...said, choices: [{ ...said.choices[0], finish_reason: KEY }] })
        : stream(
            response,
            delta({ content: `Hi ${KEY} ` }),
            delta({ content: "you" }, KEY),
            "[DONE]",
          ),
    );
    const heard: string[] = [];
    const onDelta = mode === "whole" ? {} : { onDelta: (text: string) => heard.push(text) };
    const answer = await pool.broker.chat(HELLO, onDelta);
    expect(answer).toMatchObject({ text: "Hi [key] you", journal: { finishReason: "[key]" } });
    expect(`${JSON.stringify(answer)}${heard.join("")}${await told(pool)}`).not.toContain("secret");
  });

  it.each([
    ["of an error", (text: string) => JSON.stringify({ error: { message: text } })],
    ["of a page", (text: string) => `<p>${text}</p>`],
  ])("is not cut in two by the end %s", async (_, bodyWith) => {
    for (let before = 180; before < 520; before += 5) {
      const pool = withKey(KEY);
      one.answer((_request, response) => {
        response.writeHead(400);
        response.end(bodyWith("x".repeat(before) + KEY));
      });
      await pool.broker.chat(HELLO);
      expect(await told(pool)).not.toContain("sk-v");
    }
  });

  it("that no header can carry stops its holder alone, and nobody is asked with it", async () => {
    for (const key of ["sk-\u200Bsecret", "ключ-secret", "sk\nsecret", "sk\u0001secret"]) {
      one.seen.splice(0);
      const secrets = (name: string) => (name === "anna/ONE_KEY" ? key : null);
      const shared = keysOf({ ONE_KEY: "key-one", TWO_KEY: "key-two" });
      const pool = open({}, { keys: firstOf(secrets, shared) });
      const anna = pool.broker.forScope("anna");
      expect((await anna.chat(HELLO)).text).toBe("two");
      expect(one.seen).toEqual([]);
      const [, row] = await anna.calls();
      expect(row).toMatchObject({ failure: "access_denied", fault: null, httpStatus: null });
      expect(row?.error).toContain("no header can carry");
      expect((await pool.broker.forScope("bert").chat(HELLO)).text).toBe("one");
      expect(await told(pool)).not.toContain("secret");
    }
  });
});

describe("a refusal of one request", () => {
  it.each([
    [403, { message: "Your input was flagged", metadata: { reasons: ["x"], flagged_input: "y" } }],
    [402, { message: "requires more credits, or fewer max_tokens. can only afford 1234" }],
  ])("(%i) asks another model, and the key stays in use", async (status, error) => {
    const pool = open();
    one.answer((_, response) => json(response, status, { error: { code: status, ...error } }));
    expect((await pool.broker.chat(HELLO)).text).toBe("two");
    one.answer((_, response) => json(response, 200, says("one")));
    expect((await pool.broker.chat(HELLO)).text).toBe("one");
  });
});
