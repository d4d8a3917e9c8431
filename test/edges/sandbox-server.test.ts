import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProductView } from "../../src/domain/product-view.ts";
import { createClock } from "../../src/lib/clock.ts";
import type { WorldEvent } from "../../src/sandbox/journal.ts";
import { createSandbox } from "../../src/sandbox/server.ts";
import type { World, WorldPart } from "../../src/sandbox/world.ts";

let dataDir: string;
let realNow: number;
let running: Awaited<ReturnType<typeof open>>;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sandbox-server-"));
  realNow = Date.parse("2026-03-01T10:00:00Z");
  running = await open();
});
afterEach(async () => {
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the sandbox refuses what is not from this machine", () => {
  test.each<[string, Record<string, string>]>([
    ["a proxy's header", { "x-forwarded-for": "1.2.3.4" }],
    ["a standard proxy header", { forwarded: "for=1.2.3.4" }],
    ["a foreign host", { host: "countersign.example" }],
    ["a rebound name", { host: "localhost.evil.example" }],
    ["a foreign origin", { origin: "https://evil.example" }],
    ["a page on another port", { origin: "http://127.0.0.1:1" }],
    ["a page without an origin", { origin: "null" }],
    ["a request that another site caused", { "sec-fetch-site": "cross-site" }],
  ])("%s", async (_, headers) => {
    for (const path of ["/sandbox", "/sandbox/api/info", "/sandbox/smtp/seen"]) {
      expect(await statusOf(path, headers)).toBe(403);
    }
  });

  test("but answers its own page", async () => {
    const origin = running.origin.replace("127.0.0.1", "localhost");
    const host = new URL(origin).host;
    expect(await statusOf("/sandbox", { host, origin, "sec-fetch-site": "same-origin" })).toBe(200);
  });

  test("also for upgrades, and closes those that nobody serves", async () => {
    expect(await upgrade("/sandbox/smtp/socket", "localhost")).toContain("101 Played");
    expect(await upgrade("/sandbox/smtp/socket", "evil.example")).toContain("403 Forbidden");
    expect(await upgrade("/sandbox/nobody/socket", "localhost")).toContain("404 Not Found");
  });
});

describe("the control API", () => {
  test("names the variables, and takes them from the parts", async () => {
    expect(await get("/sandbox/api/info")).toEqual({
      status: 200,
      body: { env: { SMTP_URL: `${running.origin}/smtp` } },
    });
  });

  test.each<[string, string, unknown, string]>([
    ["faults", "no service", { service: "fax", kind: "down", count: 1 }, "service"],
    ["faults", "an unknown field", { service: "smtp", kind: "down", count: 1, x: 1 }, ""],
    ["clock", "a step back", { advance_s: -1 }, "advance_s"],
  ])("%s says what is wrong with %s", async (path, _, body, field) => {
    const answer = await post(`/sandbox/api/${path}`, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_body", message: expect.any(String), path: field } },
    });
  });

  test("says that a body is no JSON", async () => {
    const response = await fetch(`${running.origin}/sandbox/api/clock`, {
      method: "POST",
      body: "{",
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "invalid_json" } },
    ]);
  });

  test("keeps faults over a restart and clears them with a count of 0", async () => {
    const fault = { service: "smtp", kind: "down", count: 2 };
    await post("/sandbox/api/faults", fault);
    await restart();
    expect((await get("/sandbox/api/faults")).body).toEqual([fault]);
    await post("/sandbox/api/faults", { ...fault, count: 0 });
    expect((await get("/sandbox/api/faults")).body).toEqual([]);
  });

  test("mounts the parts below their names and their roots beside them", async () => {
    expect((await get("/sandbox/smtp/seen")).status).toBe(200);
    expect((await get("/sandbox/api/smtp/list")).status).toBe(200);
    expect((await get("/sandbox/api/mail")).status).toBe(200);
  });

  test("streams what happens, and replays from where a reader stopped", async () => {
    await post("/sandbox/api/faults", { service: "smtp", kind: "down", count: 1 });
    const response = await fetch(`${running.origin}/sandbox/api/events?after=0`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await post("/sandbox/api/clock", { advance_s: 1 });
    let text = "";
    while (!text.includes("world.clock")) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    expect(text.match(/^id: \d+$/gm)).toEqual(["id: 1", "id: 2"]);
    expect(text).toContain("fault.set");
  });
});

describe("played time", () => {
  test("moves on demand, waits for the product, and survives a restart", async () => {
    running.product.moved = 0;
    const { body } = await post("/sandbox/api/clock", { advance_s: 90 });
    expect(body).toMatchObject({ now: realNow + 90_000, offset_ms: 90_000 });
    expect(running.product.moved).toBe(1);
    await restart();
    expect(running.sandbox.world.clock.now()).toBe(realNow + 90_000);
  });

  test("never goes back, even when the machine's clock does", async () => {
    const { body } = await post("/sandbox/api/clock", { advance_s: 10 });
    await post("/sandbox/api/faults", { service: "smtp", kind: "down", count: 0 });
    realNow -= 3_600_000;
    await restart();
    expect(running.sandbox.world.clock.now()).toBeGreaterThanOrEqual(Number(body.now));
  });

  test("stays where it is over a reset", async () => {
    const { body } = await post("/sandbox/api/clock", { advance_s: 10 });
    await post("/sandbox/api/reset", {});
    expect(running.sandbox.world.clock.now()).toBe(body.now);
    expect(running.product.resets).toBe(1);
    expect(running.part.events.at(-1)?.kind).toBe("world.reset");
  });
});

describe("the page's language", () => {
  test("becomes the staff's, and no other is taken", async () => {
    const { status } = await post("/sandbox/api/language", { language: "ru" });
    expect([status, running.product.spoken]).toEqual([200, ["ru"]]);
    expect((await post("/sandbox/api/language", { language: "fr" })).status).toBe(400);
    expect(running.product.spoken).toEqual(["ru"]);
  });
});

describe("idle", () => {
  test("waits for the world and for the product, and says when something is due next", async () => {
    running.part.waiting = ["a mail"];
    const answer = get("/sandbox/api/idle?timeout_ms=20000");
    running.part.waiting = [];
    running.product.waiting = ["run 1"];
    running.product.change();
    running.product.waiting = [];
    running.product.nextDueAt = 5;
    running.product.change();
    expect(await answer).toEqual({ status: 200, body: { idle: true, next_due_at: 5 } });
  });

  test("names what keeps it waiting when the time is over", async () => {
    running.part.waiting = ["a mail"];
    running.product.waiting = ["run 1"];
    expect(await get("/sandbox/api/idle?timeout_ms=0")).toEqual({
      status: 408,
      body: { idle: false, waiting: ["a mail", "run 1"] },
    });
    expect((await get("/sandbox/api/idle?timeout_ms=soon")).status).toBe(400);
  });
});

describe("the journal", () => {
  test("forgets the half line of a write that was killed, and keeps its numbers growing", async () => {
    await post("/sandbox/api/clock", { advance_s: 1 });
    appendFileSync(join(dataDir, "sandbox", "journal.jsonl"), '{"seq":2,"at":1,"ki');
    await restart();
    await post("/sandbox/api/clock", { advance_s: 1 });
    await restart();
    const seen = running.part.events.map(({ seq, kind }) => [seq, kind]);
    expect(seen).toEqual([
      [1, "world.clock"],
      [2, "world.clock"],
    ]);
  });
});

async function open() {
  const part = createPart();
  const product = createProduct();
  let origin = "";
  const sandbox = createSandbox({
    dataDir,
    clock: createClock(() => realNow),
    origin: () => origin,
    makeParts: (world) => [part.make(world)],
  });
  sandbox.attachProduct(product.view);
  const server = createAdaptorServer({ fetch: sandbox.app.fetch });
  server.on("upgrade", sandbox.handleUpgrade);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await sandbox.start();
  const close = async () => {
    await sandbox.stop();
    await new Promise((resolve) => {
      server.close(resolve);
      if ("closeAllConnections" in server) server.closeAllConnections();
    });
  };
  return { sandbox, part, product, origin, close };
}

async function restart(): Promise<void> {
  await running.close();
  running = await open();
}

/** A service as small as can be, which shows what it was told. */
function createPart() {
  const part = {
    events: [] as WorldEvent[],
    waiting: [] as string[],
    make(_: World): WorldPart {
      return {
        name: "smtp",
        apply: (event) => part.events.push(event),
        routes: new Hono().get("/seen", (context) => context.json(part.events)),
        control: new Hono().get("/list", (context) => context.json([])),
        rootControl: new Hono().get("/mail", (context) => context.json([])),
        upgrade: (_request, socket) => socket.end("HTTP/1.1 101 Played\r\n\r\n"),
        waiting: () => part.waiting,
        env: (origin) => ({ SMTP_URL: `${origin}/smtp` }),
      };
    },
  };
  return part;
}

function createProduct() {
  const listeners = new Set<() => void>();
  const told = {
    moved: 0,
    resets: 0,
    spoken: [] as string[],
    waiting: [] as string[],
    nextDueAt: null as number | null,
  };
  const product = Object.assign(told, {
    change() {
      for (const listener of listeners) listener();
    },
    view: {
      async pending(): Promise<{ waiting: string[]; nextDueAt: number | null }> {
        return { waiting: told.waiting, nextDueAt: told.nextDueAt };
      },
      trace: async () => ({}),
      conversations: async () => [],
      async speak(language) {
        told.spoken.push(language);
      },
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async clockMoved() {
        told.moved += 1;
      },
      async reset() {
        told.resets += 1;
      },
    } satisfies ProductView,
  });
  return product;
}

async function get(path: string) {
  const response = await fetch(running.origin + path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function post(path: string, body: unknown) {
  const response = await fetch(running.origin + path, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** With headers that fetch does not let a caller set. */
function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(running.origin + path, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end();
  });
}

function upgrade(path: string, host: string): Promise<string> {
  const socket = connect(Number(new URL(running.origin).port), "127.0.0.1");
  const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  socket.end(head);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}
