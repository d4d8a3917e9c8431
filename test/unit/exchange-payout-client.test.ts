import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { judgePayout } from "../../src/tools/exchange/payout-answer.ts";
import { createPayoutClient, type PayoutOrder } from "../../src/tools/exchange/payout-client.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const SECRET = "payout-test-secret";
const ORDER: PayoutOrder = {
  key: "A-17/1",
  orderId: "order-1",
  amount: "62600",
  currency: "THB",
  method: "office_cash",
  location: "Офис, Beach Road 1",
  destination: null,
};
const ANSWER = {
  id: "p-1",
  order_id: "order-1",
  amount: "62600",
  currency: "THB",
  status: "completed",
};

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.seen.length = 0;
});

const never = () => new AbortController().signal;
const client = (over: { baseUrl?: string; timeoutMs?: number } = {}) =>
  createPayoutClient({ baseUrl: server.url, secret: SECRET, timeoutMs: 5_000, ...over });

function answer(status: number, body: unknown): void {
  server.answer((_, response) => json(response, status, body));
}

describe("a payout that is sent", () => {
  it("is one signed request whose signature is over the very bytes of the body", async () => {
    answer(200, ANSWER);
    await client({ baseUrl: `${server.url}/` }).send(ORDER, never());
    const [request] = server.seen;
    expect(request).toMatchObject({ method: "POST", path: "/payouts" });
    expect(JSON.parse(request?.body.toString() ?? "")).toEqual({
      order_id: "order-1",
      amount: "62600",
      currency: "THB",
      method: "office_cash",
      location: "Офис, Beach Road 1",
      destination: null,
    });
    expect(request?.headers).toMatchObject({
      "idempotency-key": "A-17/1",
      "x-signature": createHmac("sha256", SECRET)
        .update(request?.body ?? "")
        .digest("hex"),
    });
  });

  it("is the same bytes each time it is sent", async () => {
    answer(200, ANSWER);
    await client().send(ORDER, never());
    await client().send({ ...ORDER }, never());
    expect(server.seen[0]?.body.equals(server.seen[1]?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it("is accepted with its code and the code's expiry", async () => {
    answer(200, { ...ANSWER, code: "4821", code_expires_at: "2026-01-02T03:04:05+07:00" });
    expect(await client().send(ORDER, never())).toEqual({
      kind: "accepted",
      id: "p-1",
      status: "completed",
      code: "4821",
      codeExpiresAt: Date.UTC(2026, 0, 1, 20, 4, 5),
    });
  });

  it.each([
    ["pending", { ...ANSWER, status: "pending", code: null, code_expires_at: null }, "pending"],
    ["the amount written otherwise", { ...ANSWER, amount: "62600.00" }, "completed"],
    ["the amount as a number", { ...ANSWER, amount: 62600 }, "completed"],
    ["fields nobody asked for", { ...ANSWER, fee: "1" }, "completed"],
  ])("is accepted with %s", async (_, body, status) => {
    answer(201, body);
    expect(await client().send(ORDER, never())).toMatchObject({ kind: "accepted", status });
  });

  it.each([
    ["another amount", { ...ANSWER, amount: "62601" }],
    ["another order", { ...ANSWER, order_id: "order-2" }],
    ["another currency", { ...ANSWER, currency: "USD" }],
    ["another order that failed", { ...ANSWER, order_id: "order-2", status: "failed" }],
  ])("is a mismatch when the answer names %s", async (_, body) => {
    answer(200, body);
    expect(await client().send(ORDER, never())).toMatchObject({
      kind: "mismatch",
      answer: { id: "p-1" },
    });
  });

  it.each([
    [400, { error: { code: "bad", message: "no such  method" } }, "no such method"],
    [401, { message: "bad signature" }, "bad signature"],
    [403, { error: "closed" }, "closed"],
    [404, "", '""'],
    [422, { message: "x".repeat(900) }, "x".repeat(200)],
  ])("is refused for good at status %i", async (status, body, message) => {
    answer(status, body);
    expect(await client().send(ORDER, never())).toEqual({ kind: "refused", status, message });
  });

  it("is refused when the gateway says that it failed", async () => {
    answer(200, { ...ANSWER, status: "failed" });
    expect(await client().send(ORDER, never())).toEqual({
      kind: "refused",
      message: "status failed",
    });
  });

  it("is a conflict when its key was used for something else", async () => {
    answer(409, { error: { message: "key reused" } });
    expect(await client().send(ORDER, never())).toEqual({ kind: "conflict" });
  });

  it.each([408, 429, 500, 502, 503, 504])("is unknown at status %i", async (status) => {
    answer(status, {});
    expect(await client().send(ORDER, never())).toMatchObject({ kind: "unknown", status });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ["no JSON", "<html>"],
    ["no id", { ...ANSWER, id: undefined }],
    ["an unheard-of status", { ...ANSWER, status: "done" }],
    ["an amount that is no decimal", { ...ANSWER, amount: "6e4" }],
    ["a broken expiry of the code", { ...ANSWER, code: "48213377", code_expires_at: "soon" }],
  ])("is unknown when the answer has %s, and the error holds no code", async (_, body) => {
    answer(200, body);
    const outcome = await client().send(ORDER, never());
    expect(outcome).toMatchObject({ kind: "unknown", cause: expect.any(Error) });
    expect(String(outcome.kind === "unknown" && outcome.cause)).not.toContain("48213377");
  });

  it("is unknown when the connection breaks after it was sent", async () => {
    server.answer((_, response) => response.destroy());
    expect(await client().send(ORDER, never())).toMatchObject({ kind: "unknown" });
    server.answer((_, response) => {
      response.writeHead(200, { "Content-Length": "500" });
      response.write("{");
      response.destroy();
    });
    expect(await client().send(ORDER, never())).toMatchObject({ kind: "unknown" });
    expect(server.seen).toHaveLength(2);
  });

  it("is unknown when no answer comes in time or the caller gives up", async () => {
    server.answer(() => undefined);
    expect(await client({ timeoutMs: 50 }).send(ORDER, never())).toMatchObject({
      kind: "unknown",
      cause: { name: "TimeoutError" },
    });
    const caller = new AbortController();
    server.answer(() => caller.abort(new Error("stopping")));
    expect(await client().send(ORDER, caller.signal)).toMatchObject({
      kind: "unknown",
      cause: { message: "stopping" },
    });
  });

  it("is unknown behind a redirect, which is not followed", async () => {
    server.answer((_, response) => response.writeHead(307, { Location: "/elsewhere" }).end());
    expect(await client().send(ORDER, never())).toMatchObject({ kind: "unknown", status: 307 });
    expect(server.seen).toHaveLength(1);
  });

  it("is not sent when nobody listens, the name is not known or the caller gave up before", async () => {
    const gone = await startScriptedServer();
    await gone.close();
    const port = new URL(gone.url).port;
    for (const baseUrl of [gone.url, `http://localhost:${port}`, "http://gateway.invalid"]) {
      expect(await client({ baseUrl }).send(ORDER, never())).toMatchObject({ kind: "not_sent" });
    }
    expect(await client().send(ORDER, AbortSignal.abort())).toMatchObject({ kind: "not_sent" });
    expect(server.seen).toHaveLength(0);
  });
});

describe("a payout that is looked up", () => {
  it("is found under its key, whatever characters the key has", async () => {
    answer(200, { ...ANSWER, status: "pending" });
    const found = await client().lookUp("A-17/1", never());
    expect(found).toMatchObject({
      kind: "found",
      answer: { orderId: "order-1", status: "pending" },
    });
    expect(server.seen[0]).toMatchObject({ method: "GET", path: "/payouts/by-key/A-17%2F1" });
  });

  it("is judged against what was asked like the answer to a sent one", async () => {
    answer(200, ANSWER);
    const found = await client().lookUp(ORDER.key, never());
    if (found.kind !== "found") throw new Error(found.kind);
    expect(judgePayout(found.answer, ORDER)).toMatchObject({ kind: "accepted", id: "p-1" });
    expect(judgePayout(found.answer, { ...ORDER, amount: "1" })).toMatchObject({
      kind: "mismatch",
    });
  });

  it("is not found only at 404", async () => {
    answer(404, {});
    expect(await client().lookUp("k", never())).toEqual({ kind: "not_found" });
  });

  it.each([302, 401, 408, 429, 500])("cannot be told at status %i", async (status) => {
    answer(status, {});
    expect(await client().lookUp("k", never())).toMatchObject({ kind: "unreachable", status });
  });

  it("cannot be told from a broken answer, a broken connection, or none", async () => {
    answer(200, { id: "p-1" });
    expect(await client().lookUp("k", never())).toMatchObject({ kind: "unreachable" });
    server.answer((_, response) => response.destroy());
    expect(await client().lookUp("k", never())).toMatchObject({ kind: "unreachable" });
    server.answer(() => undefined);
    expect(await client({ timeoutMs: 50 }).lookUp("k", never())).toMatchObject({
      kind: "unreachable",
    });
  });
});
