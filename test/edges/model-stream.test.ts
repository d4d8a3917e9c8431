import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  answerOf,
  call,
  clientOf,
  delta,
  events,
  MODES,
  request,
  startStream,
  stream,
} from "../support/model-endpoint.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

const hello = [delta({ content: "Привет, " }), delta({ content: "Лея" }), delta({}, "stop")];
const whole = { choices: [{ message: { content: "Привет, Лея" }, finish_reason: "stop" }] };
const ask = (mode: (typeof MODES)[number] = "streamed") => clientOf(server).chat(request(mode));

/** A stream of these bytes, in pieces of `size`. */
function inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  server.answer((_, response) => {
    startStream(response);
    Readable.from(pieces).pipe(response);
  });
}

describe("a stream is read", () => {
  it.each([1, 2, 3, 7])("in pieces of %i bytes, through the middle of characters", async (size) => {
    inPieces(events(...hello, "[DONE]"), size);
    expect(answerOf(await ask())).toMatchObject({ text: "Привет, Лея", cut: false });
  });

  it.each([
    ["CRLF", events(...hello).replaceAll("\n", "\r\n")],
    ["CR", events(...hello).replaceAll("\n", "\r")],
    ["no [DONE]", events(...hello)],
    ["no last blank line", events(...hello).trimEnd()],
    ["no blank lines at all", events(...hello, "[DONE]").replaceAll("\n\n", "\n")],
    ["no space after the colon", events(...hello).replaceAll("data: ", "data:")],
    [
      "comments that keep it alive",
      `: ping\n\n${events(...hello).replaceAll("\n\n", "\n\n: p\n\n")}`,
    ],
    ["blank lines before it", `\n\n\n  \n${events(...hello)}`],
    ["a byte order mark", `\uFEFF${events(...hello)}`],
    ["ids and names of events", events(...hello).replaceAll("data:", "id: 7\nevent: x\ndata:")],
    ["a value over several lines", events(...hello).replaceAll('{"choices', '{\ndata: "choices')],
    ["something after [DONE]", events(...hello, "[DONE]", delta({ content: "more" }))],
    [
      "other choices between",
      events({ choices: [{ index: 1, delta: { content: "x" } }] }, ...hello),
    ],
    ["messages in the place of deltas", events(...hello).replaceAll('"delta"', '"message"')],
  ])("with %s", async (_name, text) => {
    for (const size of [1, 50, 5_000]) {
      inPieces(text, size);
      expect(answerOf(await ask())).toMatchObject({ text: "Привет, Лея", cut: false });
    }
  });

  it("also where one value was asked for", async () => {
    server.answer((_, response) => stream(response, ...hello, "[DONE]"));
    expect(answerOf(await ask("whole")).text).toBe("Привет, Лея");
  });

  it("to its end, when the connection stays open after it", async () => {
    server.answer((_, response) => {
      startStream(response);
      response.write(events(...hello, "[DONE]"));
    });
    expect(answerOf(await ask())).toMatchObject({ text: "Привет, Лея", cut: false });
  });

  it("when the connection is lost after its end", async () => {
    server.answer((_, response) => {
      startStream(response);
      response.write(events(...hello), () => response.destroy());
    });
    expect(answerOf(await ask())).toMatchObject({ text: "Привет, Лея", cut: false });
  });
});

it("texts that hold all there is so far are not added up", async () => {
  const texts = ["Good", "Good day", "Good day, Lea", "Good day, Lea"];
  server.answer((_, response) =>
    stream(response, ...texts.map((content) => delta({ content })), delta({}, "stop")),
  );
  expect(answerOf(await ask()).text).toBe("Good day, Lea");
});

describe("one value is read", () => {
  it.each([
    ["in answer to a wish for a stream", "application/json"],
    ["as text", "text/plain"],
    ["as what claims to be a stream", "text/event-stream"],
    ["without a type", ""],
  ])("%s", async (_name, type) => {
    for (const mode of MODES) {
      server.answer((_, response) => {
        response.writeHead(200, type === "" ? {} : { "Content-Type": type });
        response.end(JSON.stringify(whole));
      });
      expect(answerOf(await ask(mode)).text).toBe("Привет, Лея");
    }
  });

  it("after blank lines that kept the connection alive", async () => {
    server.answer((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.write("\n\n");
      response.write(" \n");
      response.end(`\uFEFF${JSON.stringify(whole)}`);
    });
    expect(answerOf(await ask("whole")).text).toBe("Привет, Лея");
  });
});

describe("text is passed on as it comes", () => {
  async function shown(...contents: string[]): Promise<{ pieces: string[]; text: string }> {
    const pieces: string[] = [];
    server.answer((_, response) =>
      stream(response, ...contents.map((content) => delta({ content })), delta({}, "stop")),
    );
    const asked = request("streamed", { onDelta: (text) => pieces.push(text) });
    return { pieces, text: answerOf(await clientOf(server).chat(asked)).text };
  }

  it("in whole words, and together they are the answer", async () => {
    const { pieces, text } = await shown("Good d", "ay, Lea. ", "How a", "re you?");
    expect(pieces).toEqual(["Good day, Lea. ", "How ", "are ", "you?"]);
    expect(pieces.join("")).toBe(text);
  });

  it("held back from what may be a call, given at the end when it was none", async () => {
    const { pieces, text } = await shown("It is ", "a < b, ", "truly");
    expect([pieces, text]).toEqual([["It is a ", "< b, truly"], "It is a < b, truly"]);
  });

  it("without thinking", async () => {
    const { pieces, text } = await shown("<think>", "a plan", "</think>", "Hello");
    expect([pieces, text]).toEqual([["Hello"], "Hello"]);
  });

  it("also when the answer came in one", async () => {
    const pieces: string[] = [];
    server.answer((_, response) => json(response, 200, whole));
    await clientOf(server).chat(request("streamed", { onDelta: (text) => pieces.push(text) }));
    expect(pieces).toEqual(["Привет, Лея"]);
  });
});

it("figures at the end of a stream are asked for, one value wants nothing", async () => {
  server.answer((_, response) => stream(response, ...hello));
  await ask();
  await ask("whole");
  const [streamed, plain] = server.seen.map(({ body }) => JSON.parse(String(body)));
  expect(streamed).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  expect(Object.keys(plain)).not.toContain("stream");
});

it("fields of a request win over those of the endpoint, neither says what it is about", async () => {
  server.answer((_, response) => json(response, 200, whole));
  const client = clientOf(server, { params: { temperature: 1, top_p: 0.5, model: "other" } });
  const params = { temperature: 0, messages: [], stream: true };
  await client.chat(request("whole", { params }));
  const sent = JSON.parse(String(server.seen[0]?.body));
  expect(sent).toMatchObject({ temperature: 0, top_p: 0.5, model: "small" });
  expect([sent.messages.length, sent.stream]).toEqual([1, undefined]);
});

it("an older function_call is a call", async () => {
  const function_call = call({ arguments: '{"a":1}' }).function;
  server.answer((_, response) =>
    json(response, 200, { choices: [{ message: { function_call } }] }),
  );
  expect(answerOf(await ask("whole")).calls).toEqual([
    { providerId: "", name: "quote", arguments: '{"a":1}' },
  ]);
});
