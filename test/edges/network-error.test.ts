import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { neverLeft } from "../../src/bot/network-error.ts";

let server: Server | null = null;
const sockets: Socket[] = [];
afterEach(async () => {
  const open = server;
  server = null;
  for (const socket of sockets.splice(0)) socket.destroy();
  if (open?.listening) await new Promise((resolve) => open.close(resolve));
});

async function listens(answer: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    answer(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on TCP
}

async function failureOf(url: string): Promise<unknown> {
  return fetch(url, { method: "POST", body: "a message" }).then(
    () => null,
    (error: unknown) => error,
  );
}

describe("a call to a messenger certainly did not arrive when", () => {
  test("the connection was refused", async () => {
    const port = await listens(() => {});
    server?.close();
    expect(neverLeft(await failureOf(`http://127.0.0.1:${port}`))).toBe(true);
  });

  test("the name is not known", async () => {
    expect(neverLeft(await failureOf("http://countersign.invalid"))).toBe(true);
  });

  test("the connection ended before both sides spoke TLS", async () => {
    const port = await listens((socket) => socket.end());
    expect(neverLeft(await failureOf(`https://127.0.0.1:${port}`))).toBe(true);
  });

  test("the other side speaks no TLS", async () => {
    const port = await listens((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(neverLeft(await failureOf(`https://127.0.0.1:${port}`))).toBe(true);
  });

  test.each(["ECONNRESET", "ETIMEDOUT"])("%s came while it was being connected", (code) => {
    const cause = Object.assign(new Error("gone"), { code, syscall: "connect" });
    expect(neverLeft(new TypeError("fetch failed", { cause }))).toBe(true);
  });
});

describe("it may have arrived when", () => {
  test("the connection was reset after the request came", async () => {
    const port = await listens((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(neverLeft(await failureOf(`http://127.0.0.1:${port}`))).toBe(false);
  });

  test("the answer broke off", async () => {
    const port = await listens((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")),
    );
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "x" });
    const failure = await answer.text().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(neverLeft(failure)).toBe(false);
  });

  test.each(["ECONNRESET", "ETIMEDOUT", "EPIPE"])("%s came while reading or writing", (code) => {
    for (const syscall of ["read", "write", undefined])
      expect(neverLeft({ cause: { code, syscall, message: "socket hang up" } })).toBe(false);
  });

  test.each([null, undefined, "ECONNREFUSED", 5, {}, { code: 5 }])(
    "nothing is known: %j",
    (one) => {
      expect(neverLeft(one)).toBe(false);
    },
  );
});
