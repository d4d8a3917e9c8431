import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createChainPart } from "../../src/sandbox/chain.ts";
import { playedHex, tronAddress, tronHex } from "../../src/sandbox/tron-address.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const OFFICIAL = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const HASH = "ab".repeat(32);

let chain: PlayedPart;
beforeEach(async () => {
  chain = await playPart(createChainPart);
});
afterEach(() => chain.close());

async function transfer(fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await chain.control("/chain/transfers", {
    network: "TRC20",
    contract: "USDT",
    from: "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy",
    to: WALLET,
    amount: "2000",
    ...fields,
  });
  expect(answer.status).toBe(200);
  return (answer.body as { tx_hash: string }).tx_hash;
}

interface Info {
  blockTimeStamp: number;
  log: { address: string; topics: string[]; data: string }[];
}

interface Page {
  data: { value: string; token_info: object }[];
  meta: { fingerprint?: string };
}

async function info(hash: string, state = "walletsolidity"): Promise<Info> {
  const answer = await fetch(`${chain.env.TRONGRID_URL}/${state}/gettransactioninfobyid`, {
    method: "POST",
    headers: { "TRON-PRO-API-KEY": "any" },
    body: JSON.stringify({ value: hash }),
  });
  return (await answer.json()) as Info; // or {}, which the tests tell apart
}

async function get(path: string) {
  const answer = await fetch(`${chain.env.TRONGRID_URL}${path}`);
  return { status: answer.status, body: (await answer.json()) as Page };
}

describe("Tron addresses", () => {
  test("base58check and hex are two spellings of one address", () => {
    expect(tronHex(OFFICIAL)).toBe("41a614f803b6fd780986a42c78ec9c7f77e6ded13c");
    expect(tronAddress("41a614f803b6fd780986a42c78ec9c7f77e6ded13c")).toBe(OFFICIAL);
    expect(tronHex(WALLET.toLowerCase())).toBeUndefined();
    expect(tronHex("0".repeat(34))).toBeUndefined();
  });

  test("an address differing in case is another address", () => {
    expect(playedHex(WALLET.replace("J", "j"))).not.toBe(playedHex(WALLET));
  });
});

describe("TronGrid", () => {
  test("a confirmed transfer of the official contract is a final Transfer log", async () => {
    const hash = await transfer();
    const found = await info(hash);
    expect(found).toMatchObject({ id: hash, receipt: { result: "SUCCESS" } });
    expect(found).not.toHaveProperty("result");
    expect(found.log).toHaveLength(1);
    const log = found.log[0];
    expect(log?.address).toBe("a614f803b6fd780986a42c78ec9c7f77e6ded13c");
    expect(log?.topics[0]).toMatch(/^ddf252ad/);
    expect(`41${log?.topics[2]?.slice(24)}`).toBe(tronHex(WALLET));
    expect(BigInt(`0x${log?.data}`)).toBe(2_000_000_000n);
    expect(log?.data).toHaveLength(64);
  });

  test("an unconfirmed transfer is unknown to the solidified state and seen by the full node", async () => {
    const hash = await transfer({ confirmed: false });
    expect(await info(hash)).toEqual({});
    expect(await info(hash, "wallet")).toMatchObject({ id: hash });
    await chain.control(`/chain/transfers/${hash}/confirm`, {});
    expect(await info(hash)).toMatchObject({ id: hash });
  });

  test("playing the same transfer as confirmed later does not double it", async () => {
    await transfer({ tx_hash: HASH, confirmed: false });
    await transfer({ tx_hash: HASH, confirmed: true });
    expect((await info(HASH)).log).toHaveLength(1);
  });

  test("transfers with one hash are logs of one transaction, to the last decimal", async () => {
    await transfer({ tx_hash: HASH, amount: "300.000001" });
    await transfer({ tx_hash: `0x${HASH.toUpperCase()}`, amount: "150" });
    const { log } = await info(HASH);
    expect(log.map((entry) => BigInt(`0x${entry.data}`))).toEqual([300_000_001n, 150_000_000n]);
  });

  test("a failed call has a REVERT receipt, no logs, and is in no list of transfers", async () => {
    const hash = await transfer({ failed: true });
    expect(await info(hash)).toMatchObject({ result: "FAILED", receipt: { result: "REVERT" } });
    expect(await info(hash)).not.toHaveProperty("log");
    expect((await get(`/v1/accounts/${WALLET}/transactions/trc20`)).body.data).toEqual([]);
  });

  test("unknown hashes and other networks are an empty answer", async () => {
    expect(await info("cd".repeat(32))).toEqual({});
    expect(await info("not a hash")).toEqual({});
    expect(await info(await transfer({ network: "ERC20" }), "wallet")).toEqual({});
  });

  test("a foreign token named USDT has another contract under the same symbol", async () => {
    await transfer({ contract: "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj" });
    const { body } = await get(`/v1/accounts/${WALLET}/transactions/trc20`);
    expect(body.data[0]?.token_info).toMatchObject({
      symbol: "USDT",
      address: "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj",
      decimals: 6,
    });
    const official = await get(
      `/v1/accounts/${WALLET}/transactions/trc20?contract_address=${OFFICIAL}`,
    );
    expect(official.body).toMatchObject({ data: [], success: true });
  });

  test("lists are paged by fingerprint, newest first", async () => {
    const at = chain.world.clock.now();
    for (const n of [1, 2, 3]) await transfer({ amount: String(n), at: at + n });
    const path = `/v1/accounts/${WALLET}/transactions/trc20?only_confirmed=true&limit=2`;
    const first = await get(path);
    expect(first.body.data.map((row) => row.value)).toEqual(["3000000", "2000000"]);
    const second = await get(`${path}&fingerprint=${first.body.meta.fingerprint}`);
    expect(second.body.data).toHaveLength(1);
    expect(second.body.meta).not.toHaveProperty("fingerprint");
    const both = await get(`${path}&only_unconfirmed=true`);
    expect(both.status).toBe(400);
  });

  test("events name both sides in hex and mark what is not final", async () => {
    const hash = await transfer({ confirmed: false });
    const { body } = await get(`/v1/transactions/${hash}/events`);
    expect(body.data[0]).toMatchObject({
      event_name: "Transfer",
      contract_address: OFFICIAL,
      transaction_id: hash,
      result: { to: `0x${tronHex(WALLET)?.slice(2)}`, value: "2000000000" },
      _unconfirmed: true,
    });
  });

  test("the time of a transfer is played time unless it is given", async () => {
    chain.world.clock.setOffset(3_600_000);
    const now = chain.world.clock.now();
    expect((await info(await transfer())).blockTimeStamp).toBeGreaterThanOrEqual(now);
    expect((await info(await transfer({ at: 1_700_000_000 }))).blockTimeStamp).toBe(1.7e12);
    const iso = await transfer({ at: "2026-01-01T00:00:00Z" });
    expect((await info(iso)).blockTimeStamp).toBe(Date.UTC(2026, 0, 1));
  });

  test("more than six decimals or no number is refused by the control", async () => {
    for (const amount of ["1.0000001", "-5", "1e3", "abc"]) {
      const answer = await chain.control("/chain/transfers", { to: WALLET, amount });
      expect(answer.status).toBe(400);
    }
  });

  test("transfers outlive the process and end with a reset", async () => {
    const hash = await transfer();
    chain = await chain.restart();
    expect(await info(hash)).toMatchObject({ id: hash });
    chain.world.journal.append("world.reset", {});
    expect(await info(hash)).toEqual({});
  });

  test("a played fault answers like TronGrid once", async () => {
    chain.fault({ service: "chain", kind: "status", status: 429, count: 1 });
    const path = `/v1/accounts/${WALLET}/transactions/trc20`;
    expect(await get(path)).toMatchObject({ status: 429, body: { success: false } });
    expect((await get(path)).status).toBe(200);
  });
});
