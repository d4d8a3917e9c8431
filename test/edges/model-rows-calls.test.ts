import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  answerOf,
  call,
  clientOf,
  delta,
  type Fields,
  fates,
  hear,
  MODES,
  request,
  stream,
} from "../support/model-endpoint.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

/** A stream of pieces of calls, closed by a finish reason. */
async function pieces(entries: Fields[][], finish: unknown = "tool_calls") {
  server.answer((_, response) =>
    stream(
      response,
      ...entries.map((tool_calls) => delta({ tool_calls })),
      delta({}, finish),
      "[DONE]",
    ),
  );
  return clientOf(server).chat(request("streamed"));
}
const piece = (args: unknown, over: Fields = {}, name?: string): Fields => ({
  index: 0,
  ...over,
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});

describe.each(MODES)("calls of an answer that is %s", (mode) => {
  const withArguments = (given: unknown) =>
    hear(server, mode, { message: { tool_calls: [call({ arguments: given })] } });

  it.each([
    ["row 1: empty text is an empty object", "", {}],
    ["row 2: null as text is an empty object", "null", {}],
    ["row 2: null is an empty object", null, {}],
    ["row 3: an object is taken", { a: 1 }, { a: 1 }],
    ["row 3: a list is refused", [1], "refused: type"],
    ["row 3: a number is refused", 5, "refused: type"],
    ["row 3: a number as text is refused", "5", "refused: type"],
    ["row 10: a number that was cut is not closed", '{"amount":2', "refused: json"],
  ])("%s", async (_name, given, fate) => {
    expect(fates(await withArguments(given))).toEqual([["quote", fate]]);
  });

  it("row 5: objects joined in one call are refused together, none is dropped", async () => {
    const outcome = await withArguments('{"a":1}{"a":2}');
    expect(fates(outcome)).toEqual([["quote", "refused: json"]]);
    expect(answerOf(outcome).calls[0]?.arguments).toBe('{"a":1}{"a":2}');
  });

  it("row 7: malformed JSON goes on as it came, its valid sibling runs", async () => {
    const tool_calls = [
      call({ arguments: "{a:1}" }, { index: 0 }),
      call({ name: "pay", arguments: '{"b":1}' }, { index: 1, id: "c2" }),
    ];
    expect(fates(await hear(server, mode, { message: { tool_calls } }))).toEqual([
      ["quote", "refused: json"],
      ["pay", { b: 1 }],
    ]);
  });

  it("row 8: cut by its length, also whole calls do not run", async () => {
    const said = { message: { tool_calls: [call({ arguments: '{"a":2}' })] }, finish: "length" };
    expect(fates(await hear(server, mode, said))).toEqual([["quote", "cut"]]);
  });

  it("row 9: a length cut that calls itself tool_calls is known by its count", async () => {
    const said = {
      message: { tool_calls: [call({ arguments: '{"a":2}' })] },
      ...{ finish: "tool_calls", usage: { prompt_tokens: 5, completion_tokens: 64 } },
    };
    const capped = await hear(server, mode, said, { params: { max_tokens: 64 } });
    expect(fates(capped)).toEqual([["quote", "cut"]]);
    const free = await hear(server, mode, said, { params: { max_tokens: 65 } });
    expect(fates(free)).toEqual([["quote", { a: 2 }]]);
  });

  it.each(["stop", "end_turn", "sensitive", "function_call"])(
    "row 11: calls count when the finish reason is %s and the content null",
    async (finish) => {
      const said = { message: { content: null, tool_calls: [call()] }, finish };
      expect(fates(await hear(server, mode, said))).toEqual([["quote", {}]]);
    },
  );

  it.each([null, "", undefined])("row 13: content may be %j beside calls", async (content) => {
    const outcome = await hear(server, mode, { message: { content, tool_calls: [call()] } });
    expect(answerOf(outcome)).toMatchObject({ text: "", calls: [{ name: "quote" }] });
  });

  it.each(["", undefined, null, 7])("row 16: an id may be %j", async (id) => {
    const outcome = await hear(server, mode, { message: { tool_calls: [call({}, { id })] } });
    expect(answerOf(outcome).calls).toEqual([{ providerId: "", name: "quote", arguments: "{}" }]);
  });

  it("row 17: parallel calls with the same id are all kept in order", async () => {
    const tool_calls = [
      call({ arguments: '{"a":1}' }, { index: 0 }),
      call({ name: "pay", arguments: '{"b":1}' }, { index: 1 }),
    ];
    expect(fates(await hear(server, mode, { message: { tool_calls } }))).toEqual([
      ["quote", { a: 1 }],
      ["pay", { b: 1 }],
    ]);
  });

  it("row 22: without a type they are functions", async () => {
    const message = { tool_calls: [call({}, { type: undefined })] };
    expect(fates(await hear(server, mode, { message }))).toEqual([["quote", {}]]);
  });

  it.each([
    ["quote<|channel|>commentary", "quote"],
    ["functions.quote", "quote"],
    ["functions.quote:0", "quote"],
    ["quot", "quot"],
    ["Quote", "Quote"],
    ["quote_", "quote_"],
  ])("row 25: the name %s is taken for %s: a list decides, likeness never", async (name, taken) => {
    const outcome = await hear(server, mode, { message: { tool_calls: [call({ name })] } });
    expect(answerOf(outcome).calls[0]?.name).toBe(taken);
  });

  it.each(["multi_tool_use.parallel", "parallel"])("row 26: %s holds real calls", async (name) => {
    const uses = [
      { recipient_name: "functions.quote", parameters: { a: 1 } },
      { recipient_name: "functions.pay", parameters: { b: 2 } },
    ];
    const message = {
      tool_calls: [call({ name, arguments: JSON.stringify({ tool_uses: uses }) })],
    };
    expect(fates(await hear(server, mode, { message }))).toEqual([
      ["quote", { a: 1 }],
      ["pay", { b: 2 }],
    ]);
  });

  it("row 26: a wrapper with a part that cannot be read stays one unknown call", async () => {
    const uses = [{ recipient_name: "functions.quote", parameters: {} }, { what: 1 }];
    const wrapper = { name: "parallel", arguments: JSON.stringify({ tool_uses: uses }) };
    const outcome = await hear(server, mode, { message: { tool_calls: [call(wrapper)] } });
    expect(answerOf(outcome).calls.map(({ name }) => name)).toEqual(["parallel"]);
  });

  it("row 27: a tool that nobody offers goes on by its name", async () => {
    const outcome = await hear(server, mode, { message: { tool_calls: [call({ name: "rm" })] } });
    expect(fates(outcome)).toEqual([["rm", {}]]);
  });

  it("row 27: more calls than anyone needs are capped, and none of them runs", async () => {
    const tool_calls = Array.from({ length: 500 }, (_, index) =>
      call({}, { index, id: `c${index}` }),
    );
    const outcome = answerOf(await hear(server, mode, { message: { tool_calls } }));
    expect([outcome.calls.length, outcome.cut]).toEqual([64, true]);
  });

  it("row 28: the same tool twice is two calls", async () => {
    const tool_calls = [
      call({ arguments: '{"a":1}' }, { index: 0 }),
      call({ arguments: '{"a":2}' }, { index: 1, id: "c2" }),
    ];
    expect(fates(await hear(server, mode, { message: { tool_calls } }))).toEqual([
      ["quote", { a: 1 }],
      ["quote", { a: 2 }],
    ]);
  });

  it.each([
    ["Hermes", '<tool_call>\n{"name":"pay","arguments":{"b":1}}\n</tool_call>'],
    ["Llama", '<|python_tag|>{"name":"pay","parameters":{"b":1}}'],
    ["Mistral", '[TOOL_CALLS] [{"name":"pay","arguments":{"b":1}}]'],
    ["Kimi", 'functions.pay:0<|tool_call_argument_begin|>{"b":1}'],
    ["bare JSON", '{"name":"pay","arguments":{"b":1}}'],
    ["a code block", '```json\n{"name":"pay","arguments":{"b":1}}\n```'],
    ["a spoken call", 'pay({"b":1})'],
  ])("row 29: a call as text (%s) is not shown and does not run", async (_name, content) => {
    const shown: string[] = [];
    const onDelta = mode === "streamed" ? (text: string) => shown.push(text) : undefined;
    const asked = onDelta ? { onDelta } : {};
    const split = [...content].map((char) => ({ content: char }));
    const outcome = await hear(server, mode, { message: { content }, pieces: split }, asked);
    expect(fates(outcome)).toEqual([["pay", "cut"]]);
    expect([answerOf(outcome).text, shown.join("")]).toEqual(["", ""]);
  });

  it("row 29: markup of a call of no known tool is no answer", async () => {
    const content = 'One moment. <tool_call>{"name":"rm","arguments":{}}</tool_call>';
    expect(await hear(server, mode, { message: { content } })).toMatchObject({
      ...{ kind: "failed", retryable: true, fault: "text_call" },
    });
  });

  it("row 29: words about tools are words", async () => {
    const content = "I may quote (a rate) or pay {you}; 2 < 3, `code`, [E1].";
    const outcome = answerOf(await hear(server, mode, { message: { content } }));
    expect([outcome.text, outcome.calls]).toEqual([content, []]);
  });
});

describe("calls that come in pieces", () => {
  it("row 4: an empty object before the real arguments is taken off", async () => {
    const outcome = await pieces([
      [piece("{}", { id: "a" }, "quote")],
      [piece('{"a"')],
      [piece(":1}")],
    ]);
    expect(fates(outcome)).toEqual([["quote", { a: 1 }]]);
  });

  it("row 4: an empty object that nothing follows stays", async () => {
    expect(fates(await pieces([[piece("{}", { id: "a" }, "quote")]]))).toEqual([["quote", {}]]);
  });

  it("row 5: another id at the same index is another call", async () => {
    const outcome = await pieces([
      [piece('{"a":1}', { id: "a" }, "quote")],
      [piece('{"b":1}', { id: "b" }, "pay")],
    ]);
    expect(fates(outcome)).toEqual([
      ["quote", { a: 1 }],
      ["pay", { b: 1 }],
    ]);
  });

  it("row 5: a name after a closed object is another call, also without an id", async () => {
    const outcome = await pieces([
      [piece('{"a":1}', {}, "quote")],
      [piece('{"a":2}', {}, "quote")],
    ]);
    expect(fates(outcome)).toEqual([
      ["quote", { a: 1 }],
      ["quote", { a: 2 }],
    ]);
  });

  it("row 5: a second object without a name is refused with the first", async () => {
    const outcome = await pieces([[piece('{"a":1}', { id: "a" }, "pay")], [piece('{"a":2}')]]);
    expect(fates(outcome)).toEqual([["pay", "refused: json"]]);
  });

  it("row 6: a prefix that is valid JSON is not the end", async () => {
    const outcome = await pieces([[piece("", { id: "a" }, "quote")], [piece("5")], [piece("0")]]);
    expect(answerOf(outcome).calls[0]?.arguments).toBe("50");
  });

  it("row 15: an empty id goes on with the call at its index", async () => {
    const outcome = await pieces([
      [piece('{"a"', { id: "a" }, "quote")],
      [piece(":1}", { id: "" }, "")],
    ]);
    expect(answerOf(outcome).calls).toEqual([
      { providerId: "a", name: "quote", arguments: '{"a":1}' },
    ]);
  });

  it("row 20: indexes may begin at one, have gaps and come mixed", async () => {
    const outcome = await pieces([
      [piece('{"a"', { id: "a", index: 1 }, "quote"), piece('{"b"', { id: "b", index: 7 }, "pay")],
      [piece(":2}", { index: 7 }), piece(":1}", { index: 1 })],
    ]);
    expect(fates(outcome)).toEqual([
      ["quote", { a: 1 }],
      ["pay", { b: 2 }],
    ]);
  });

  it("row 20: without any index, ids tell the calls apart", async () => {
    const bare = { index: undefined };
    const outcome = await pieces([
      [piece('{"a"', { ...bare, id: "a" }, "quote")],
      [piece(":1}", bare)],
      [piece('{"b":2}', { ...bare, id: "b" }, "pay")],
    ]);
    expect(fates(outcome)).toEqual([
      ["quote", { a: 1 }],
      ["pay", { b: 2 }],
    ]);
  });

  it.each([
    ["late", ["", "", "quote"]],
    ["in pieces", ["qu", "ot", "e"]],
    ["again and again", ["quote", "quote", "quote"]],
    ["growing", ["q", "quo", "quote"]],
    ["and then empty", ["quote", "", ""]],
  ])("row 21: a name may come %s", async (_name, names) => {
    const [first, second, third] = names;
    const outcome = await pieces([
      [piece("", { id: "a" }, first)],
      [piece('{"a"', {}, second)],
      [piece(":1}", {}, third)],
    ]);
    expect(fates(outcome)).toEqual([["quote", { a: 1 }]]);
  });

  it("row 23: an empty piece after a finished call is no second call", async () => {
    const outcome = await pieces([
      [piece('{"a":1}', { id: "a" }, "quote")],
      [piece("", { id: "" }, "")],
      [piece("")],
    ]);
    expect(fates(outcome)).toEqual([["quote", { a: 1 }]]);
  });

  it("row 24: pieces that hold all there is so far are not added up", async () => {
    const outcome = await pieces([
      [piece('{"a"', { id: "a" }, "quote")],
      [piece('{"a":1')],
      [piece('{"a":1}')],
      [piece('{"a":1}')],
    ]);
    expect(fates(outcome)).toEqual([["quote", { a: 1 }]]);
  });

  it("row 24: pieces that only look like it are added up", async () => {
    const outcome = await pieces([[piece('{"a":', { id: "a" }, "quote")], [piece('{"a":1}}')]]);
    expect(fates(outcome)).toEqual([["quote", { a: { a: 1 } }]]);
  });

  it("row 3: objects in pieces count once", async () => {
    const outcome = await pieces([[piece({ a: 1 }, { id: "a" }, "quote")], [piece({ a: 1 })]]);
    expect(fates(outcome)).toEqual([["quote", { a: 1 }]]);
  });
});
