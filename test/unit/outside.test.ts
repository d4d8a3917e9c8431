import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPayoutClient } from "../../src/tools/exchange/payout-client.ts";
import { createTronGrid } from "../../src/tools/exchange/tron-grid.ts";
import { keepOutsideCalls, type OutsideCalls } from "../../src/tools/outside.ts";
import { json, type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

const SECRET = "gateway-secret";
const API_KEY = "chain-api-key";
const ORDER = {
  ...{ key: "approval-1", orderId: "EX-1", amount: "10", currency: "THB", method: "office_cash" },
  ...{ location: null, destination: null },
};
const ANSWER = { id: "p-1", order_id: "EX-1", amount: "10", currency: "THB", status: "completed" };

let server: ScriptedServer;
let now: number;
let outside: OutsideCalls;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.seen.length = 0;
  now = 0;
  outside = keepOutsideCalls(() => now);
});
const signal = () => AbortSignal.timeout(5_000);
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const gateway = () => createPayoutClient({ baseUrl: server.url, secret: SECRET, timeoutMs: 5_000 });

describe("a request to a service outside", () => {
  it("is kept with hashes of what was asked and answered, its status and how long it took", async () => {
    server.answer((_, response) => {
      now = 42;
      json(response, 200, ANSWER);
    });
    await gateway().send(ORDER, signal(), outside);
    const [sent] = server.seen;
    expect(outside.list()).toEqual([
      {
        ...{ provider: "payout_gateway", method: "POST", endpoint: "/payouts", latencyMs: 42 },
        requestHash: sha256(sent?.body ?? ""),
        ...{ responseStatus: 200, responseHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
  });

  it("whose line goes dead is kept without an answer", async () => {
    server.answer((_, response) => response.destroy());
    expect(await gateway().send(ORDER, signal(), outside)).toMatchObject({ kind: "unknown" });
    expect(outside.list()).toMatchObject([{ responseStatus: null, responseHash: null }]);
  });

  it("names a template of the address, and never a key", async () => {
    server.answer((_, response) => json(response, 404, {}));
    await gateway().lookUp("approval-1", signal(), outside);
    const chain = createTronGrid({ baseUrl: server.url, apiKey: API_KEY, timeoutMs: 5_000 });
    server.answer((_, response) => json(response, 429, { Error: "slow down" }));
    await chain.transactionInfo("ab".repeat(32), signal(), outside);
    const [lookUp, asked] = outside.list();
    expect(lookUp).toMatchObject({ endpoint: "/payouts/by-key/{key}", responseStatus: 404 });
    expect(asked).toMatchObject({ provider: "trongrid", method: "POST", responseStatus: 429 });
    expect(asked?.endpoint).toBe("/walletsolidity/gettransactioninfobyid");
    for (const secret of [SECRET, API_KEY, "approval-1"])
      expect(JSON.stringify(outside.list())).not.toContain(secret);
  });

  it("has a hash that does not tell a payout's code", async () => {
    const hashWith = async (code: string | null) => {
      const calls = keepOutsideCalls(() => now);
      server.answer((_, response) => json(response, 200, { ...ANSWER, code }));
      await gateway().send(ORDER, signal(), calls);
      return calls.list()[0]?.responseHash;
    };
    expect(await hashWith("4821")).toBe(await hashWith("9035"));
    expect(await hashWith("4821")).toBe(await hashWith(null));
  });
});
