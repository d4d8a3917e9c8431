import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTronGrid } from "../../src/tools/exchange/tron-grid.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const HASH = "ab".repeat(32);
const SOLID = "/walletsolidity/gettransactioninfobyid";
const RECENT = "/wallet/gettransactioninfobyid";
const INFO = {
  id: HASH,
  fee: 13_844_850,
  blockNumber: 70_000_000,
  blockTimeStamp: 1_760_000_000_000,
  contractResult: ["0".repeat(64)],
  contract_address: "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
  receipt: { energy_usage_total: 64_285, result: "SUCCESS" },
  log: [{ address: "a614f803b6fd780986a42c78ec9c7f77e6ded13c", topics: ["aa"], data: "01" }],
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
const grid = (over: { apiKey?: string; timeoutMs?: number; baseUrl?: string } = {}) =>
  createTronGrid({ baseUrl: server.url, timeoutMs: 5_000, ...over });

function answerByPath(answers: Record<string, unknown>): void {
  server.answer((request, response) => json(response, 200, answers[request.path] ?? {}));
}

describe("a transaction asked of the chain", () => {
  it("is solidified when the final state knows it, with one request", async () => {
    answerByPath({ [SOLID]: INFO });
    expect(await grid().transactionInfo(HASH, never())).toEqual({
      kind: "solidified",
      tx: {
        id: HASH,
        blockNumber: 70_000_000,
        blockTimeStamp: 1_760_000_000_000,
        contractAddress: INFO.contract_address,
        receiptResult: "SUCCESS",
        log: INFO.log,
      },
    });
    expect(server.seen.map((request) => request.path)).toEqual([SOLID]);
    expect(server.seen[0]?.body.toString()).toBe(JSON.stringify({ value: HASH }));
  });

  it("carries the API key only when there is one", async () => {
    answerByPath({ [SOLID]: INFO });
    await grid({ apiKey: "key-1", baseUrl: `${server.url}/` }).transactionInfo(HASH, never());
    await grid().transactionInfo(HASH, never());
    expect(server.seen.map((request) => request.headers["tron-pro-api-key"])).toEqual([
      "key-1",
      undefined,
    ]);
  });

  it("is unconfirmed when only the recent state knows it", async () => {
    answerByPath({ [RECENT]: INFO });
    expect(await grid().transactionInfo(HASH, never())).toEqual({ kind: "unconfirmed" });
  });

  it("is unknown when neither state knows it", async () => {
    answerByPath({});
    expect(await grid().transactionInfo(HASH, never())).toEqual({ kind: "unknown_hash" });
    expect(server.seen.map((request) => request.path)).toEqual([SOLID, RECENT]);
  });

  it("may lack events and a receipt", async () => {
    answerByPath({ [SOLID]: { id: HASH, blockNumber: 1 } });
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({
      kind: "solidified",
      tx: { log: [], receiptResult: undefined },
    });
  });

  it.each([400, 403, 429, 500, 503])("is unreachable at status %i", async (status) => {
    server.answer((_, response) => {
      response.setHeader("Retry-After", "3");
      json(response, status, { Error: "no" });
    });
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({
      kind: "unreachable",
      status,
      retryAfterMs: 3000,
    });
  });

  it("is unreachable when only the second question fails", async () => {
    server.answer((request, response) => json(response, request.path === SOLID ? 200 : 502, {}));
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({
      kind: "unreachable",
      status: 502,
    });
  });

  it.each([
    ["an error in a good answer", { Error: "INVALID hex String" }],
    ["a list", []],
    ["another transaction", { ...INFO, id: "cd".repeat(32) }],
    ["a block time in text", { ...INFO, blockTimeStamp: "yesterday" }],
    ["null", null],
  ])("is unreachable when the answer is %s", async (_, body) => {
    server.answer((_request, response) => json(response, 200, body));
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({ kind: "unreachable" });
  });

  it("is unreachable when the answer is no JSON, is cut off or never comes", async () => {
    server.answer((_, response) => response.end("<html>"));
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({ kind: "unreachable" });
    server.answer((_, response) => response.destroy());
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({ kind: "unreachable" });
    server.answer(() => undefined);
    const slow = await grid({ timeoutMs: 50 }).transactionInfo(HASH, never());
    expect(slow).toMatchObject({ kind: "unreachable", cause: { name: "TimeoutError" } });
  });

  it("follows no redirect", async () => {
    server.answer((request, response) => {
      if (request.path !== SOLID) return json(response, 200, INFO);
      response.writeHead(302, { Location: RECENT }).end();
    });
    expect(await grid().transactionInfo(HASH, never())).toMatchObject({ kind: "unreachable" });
    expect(server.seen).toHaveLength(1);
  });

  it("ends at once when the caller gives up", async () => {
    const caller = new AbortController();
    server.answer(() => caller.abort(new Error("superseded")));
    expect(await grid().transactionInfo(HASH, caller.signal)).toMatchObject({
      kind: "unreachable",
      cause: { message: "superseded" },
    });
  });

  it("is unreachable when nobody listens", async () => {
    const gone = await startScriptedServer();
    await gone.close();
    expect(await grid({ baseUrl: gone.url }).transactionInfo(HASH, never())).toMatchObject({
      kind: "unreachable",
    });
  });
});
