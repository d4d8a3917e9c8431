import { createServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MOST_BODY_BYTES } from "../../src/model/lean-fetch.ts";
import {
  answerOf,
  clientOf,
  delta,
  events,
  request,
  startStream,
} from "../support/model-endpoint.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { startTlsServer } from "../support/tls-server.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(() => server.seen.splice(0));
afterAll(() => server.close());

const spoken = { choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] };
const modes = ["whole", "streamed"] as const;

/** A server of bare connections. */
async function rawServer(onConnection: (socket: Socket) => void) {
  const raw: Server = createServer((socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  const { port } = raw.address() as { port: number }; // listening on TCP
  return { url: `http://127.0.0.1:${port}`, close: () => raw.close() };
}

describe("a connection that fails is a failure of the network", () => {
  it("when nobody listens", async () => {
    const gone = await rawServer(() => {});
    gone.close();
    const outcome = await clientOf(gone).chat(request("whole"));
    expect(outcome).toMatchObject({
      ...{ kind: "failed", failure: "network", fault: "unreachable", retryable: true },
      error: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it.each(modes)("when it is reset (%s)", async (mode) => {
    const raw = await rawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const outcome = await clientOf(raw).chat(request(mode));
    raw.close();
    expect(outcome).toMatchObject({ kind: "failed", failure: "network", fault: "unreachable" });
  });

  it("when the body is shorter than it was said to be", async () => {
    server.answer((_, response) => {
      response.writeHead(200, { "Content-Length": 500 });
      response.write(JSON.stringify(spoken), () => response.destroy());
    });
    const outcome = await clientOf(server).chat(request("whole"));
    expect(outcome).toMatchObject({ kind: "failed", failure: "network" });
  });

  it("when a certificate is not to be trusted", async () => {
    const tls = await startTlsServer();
    const outcome = await clientOf({ url: `https://127.0.0.1:${tls.port}` }).chat(request("whole"));
    await tls.close();
    expect(outcome).toMatchObject({
      ...{ kind: "failed", failure: "network", error: expect.stringMatching(/SELF_SIGNED/) },
    });
    expect(tls.asked).toEqual([]);
  });

  it("when what listens there does not speak HTTP", async () => {
    const raw = await rawServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    const outcome = await clientOf(raw).chat(request("whole"));
    raw.close();
    expect(outcome).toMatchObject({ kind: "failed", retryable: true, fault: "unreachable" });
  });
});

describe("time and patience hold to the last byte", () => {
  const silences: [string, (text: string) => Parameters<ScriptedServer["answer"]>[0]][] = [
    ["before the headers", () => () => {}],
    ["in the body", (text) => (_, response) => void response.writeHead(200).write(text)],
    ["in an error's body", (text) => (_, response) => void response.writeHead(500).write(text)],
  ];
  it.each(silences)("when the endpoint falls silent %s", async (_name, script) => {
    for (const mode of modes) {
      server.answer(script(mode === "whole" ? '{"choices":' : events(delta({ content: "Hi " }))));
      expect(await clientOf(server).chat(request(mode, { timeoutMs: 200 }))).toMatchObject({
        ...{ kind: "failed", failure: "timeout", fault: "timeout" },
      });
    }
  });

  it.each(silences)("when the caller gives up while it is silent %s", async (_name, script) => {
    for (const mode of modes) {
      const caller = new AbortController();
      const answering = script(
        mode === "whole" ? '{"choices":' : events(delta({ content: "Hi " })),
      );
      server.answer((seen, response) => {
        answering(seen, response);
        setImmediate(() => caller.abort());
      });
      const asked = request(mode, { signal: caller.signal });
      expect(await clientOf(server).chat(asked)).toMatchObject({
        kind: "failed",
        fault: "aborted",
      });
    }
  });

  it("a caller who had given up before sends nothing", async () => {
    const asked = request("whole", { signal: AbortSignal.abort() });
    expect(await clientOf(server).chat(asked)).toMatchObject({ kind: "failed", fault: "aborted" });
    expect(server.seen).toEqual([]);
  });

  it("a body without end is not read without end", async () => {
    server.answer((_, response) => {
      startStream(response);
      const piece = `: ${"x".repeat(256 * 1024)}\n\n`;
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    });
    expect(await clientOf(server).chat(request("streamed"))).toMatchObject({
      ...{ kind: "failed", error: expect.stringContaining(String(MOST_BODY_BYTES)) },
    });
  });
});

describe("an answer is read", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("also when it is packed with %s, which nobody asked for", async (encoding, pack) => {
    server.answer((_, response) => {
      response.writeHead(200, { "Content-Encoding": encoding });
      response.end(pack(JSON.stringify(spoken)));
    });
    expect(answerOf(await clientOf(server).chat(request("whole"))).text).toBe("Hello");
    expect(server.seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("not when the packing is broken", async () => {
    server.answer((_, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" });
      response.end("no gzip");
    });
    expect(await clientOf(server).chat(request("whole"))).toMatchObject({ kind: "failed" });
  });

  it("over one connection, time after time", async () => {
    const ports = new Set<number | undefined>();
    const answering = await rawHttp((socket) => ports.add(socket.remotePort));
    const client = clientOf(answering);
    for (const mode of ["whole", "whole", "streamed", "whole"] as const)
      expect(answerOf(await client.chat(request(mode))).text).toBe("Hello");
    answering.close();
    expect(ports.size).toBe(1);
  });

  it.each(modes)("once: a kept connection that breaks is a failed attempt (%s)", async (mode) => {
    let requests = 0;
    const answering = await rawHttp((socket) => {
      requests += 1;
      if (requests === 2) socket.resetAndDestroy();
    });
    const client = clientOf(answering);
    await client.chat(request("whole"));
    expect(await client.chat(request(mode))).toMatchObject({
      ...{ kind: "failed", failure: "network", fault: "unreachable", retryable: true },
    });
    expect(requests).toBe(2);
    expect(answerOf(await client.chat(request("whole"))).text).toBe("Hello");
    answering.close();
    expect(requests).toBe(3);
  });

  it("over a new connection when the server had closed the idle one", async () => {
    let requests = 0;
    const closed: Promise<unknown>[] = [];
    const answering = await rawHttp((socket) => {
      requests += 1;
      closed.push(new Promise((resolve) => socket.once("close", resolve)));
      setImmediate(() => socket.end());
    });
    const client = clientOf(answering);
    await client.chat(request("whole"));
    await Promise.all(closed); // the client has closed its side, too
    expect(answerOf(await client.chat(request("whole"))).text).toBe("Hello");
    answering.close();
    expect(requests).toBe(2);
  });
});

/** Answers each request, and keeps the connection. */
function rawHttp(onRequest: (socket: Socket) => void) {
  const body = JSON.stringify(spoken);
  return rawServer((socket) =>
    socket.on("data", (data) => {
      if (!data.toString().includes("POST ")) return;
      onRequest(socket);
      if (!socket.destroyed)
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    }),
  );
}

it.each([301, 302, 307, 308])(
  "a redirect (%i) is not followed: the key is for one address",
  async (status) => {
    const other = await startScriptedServer();
    server.answer((_, response) => {
      response.writeHead(status, { Location: `${other.url}/v1/chat/completions` });
      response.end();
    });
    const outcome = await clientOf(server).chat(request("whole"));
    await other.close();
    expect(other.seen).toEqual([]);
    expect(outcome).toMatchObject({
      ...{ kind: "failed", retryable: false, status, error: expect.stringContaining(other.url) },
    });
  },
);

it("row 36: a refusal keeps its status, its reason and its wait", async () => {
  server.answer((_, response) => {
    response.setHeader("Retry-After", "7");
    json(response, 429, { error: { message: "slow down" } });
  });
  expect(await clientOf(server).chat(request("whole"))).toMatchObject({
    ...{ kind: "failed", failure: "rate_limited", status: 429, retryAfterMs: 7_000 },
    error: "429 slow down",
  });
});

it("the key goes with the request as a bearer", async () => {
  server.answer((_, response) => json(response, 200, spoken));
  await clientOf(server).chat(request("whole"));
  const [seen] = server.seen;
  expect([seen?.path, seen?.headers.authorization]).toEqual(["/v1/chat/completions", "Bearer key"]);
});
