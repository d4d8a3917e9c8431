import { describe, expect, it } from "vitest";
import {
  assetDecimals,
  assetKind,
  networkOf,
  normalizeNetwork,
  orderTtlMin,
} from "../../src/tools/exchange/assets.ts";
import {
  normalizePayoutMethod,
  PAYOUT_METHODS,
  payoutMethodRules,
} from "../../src/tools/exchange/payout-methods.ts";
import { pickRate, pickTiers } from "../../src/tools/exchange/rate-lookup.ts";
import { findTxHashes } from "../../src/tools/exchange/tx-hash.ts";

describe("assets and networks", () => {
  it.each([
    ["USDT", undefined, "trc20"],
    [" usdc ", "", "erc20"],
    ["ETH", null, "erc20"],
    ["TRX", undefined, "tron"],
    ["TON", undefined, "ton"],
    ["BTC", undefined, ""],
    ["USDT", " ERC-20 ", "erc20"],
    ["RUB", "trc20", ""],
    ["EUR", undefined, ""],
  ])("%s on %j runs on %j", (asset, network, expected) => {
    expect(networkOf(asset, network)).toBe(expected);
  });

  it("reads every kind of dash in a network's name", () => {
    expect(normalizeNetwork("TRC–20")).toBe("trc20");
  });

  it.each([
    ["USDT", "crypto", 6, 15],
    ["btc", "crypto", 8, 15],
    ["ETH", "crypto", 18, 15],
    ["DOGE", "crypto", 8, 15],
    ["RUB", "fiat", 2, 20],
    ["eur", "fiat", 2, 20],
  ])("%s is %s with %i places and waits %i minutes", (asset, kind, decimals, ttl) => {
    expect([assetKind(asset), assetDecimals(asset), orderTtlMin(asset)]).toEqual([
      kind,
      decimals,
      ttl,
    ]);
  });
});

describe("the rate of an asset", () => {
  const row = (asset: string, network: string, baseRate: string) => ({
    asset,
    network,
    baseRate,
    quoteMode: "multiply" as const,
    marginPct: "0",
    feeFixed: "0",
    minAmountFrom: null,
    maxAmountFrom: null,
    quoteAsset: "THB",
  });
  const rows = [row("USDT", "", "30"), row("USDT", "TRC-20", "32"), row("RUB", "", "2.4")];

  it.each([
    [{ asset: "usdt" }, "32"],
    [{ asset: "USDT", network: "erc20" }, "30"],
    [{ asset: "RUB", network: "sbp" }, "2.4"],
    [{ asset: "DOGE" }, undefined],
  ])("for %j is %s", (query, expected) => {
    expect(pickRate(rows, query)?.baseRate).toBe(expected);
  });

  it("has the tiers of its network, or else those without one, never both", () => {
    const tier = (network: string, displayRate: string) => ({
      asset: "USDT",
      network,
      min: "0",
      max: null,
      displayRate,
    });
    const tiers = [tier("", "30"), tier("trc20", "31"), tier("trc20", "32")];
    const rates = (network: string) =>
      pickTiers(tiers, { asset: "USDT", network }).map((found) => found.displayRate);
    expect(rates("trc20")).toEqual(["31", "32"]);
    expect(rates("bep20")).toEqual(["30"]);
  });
});

describe("a transaction hash in what a lead writes", () => {
  const hash = "0123456789abcdef".repeat(4);
  const other = "f".repeat(64);
  it.each([
    ["alone", hash, [hash]],
    ["in a sentence", `Отправил: ${hash}.`, [hash]],
    ["stuck to Russian letters", `хеш${hash}вот`, [hash]],
    ["in a link", `https://tronscan.org/#/transaction/${hash}`, [hash]],
    ["in a link's query", `https://x.example/tx?hash=${hash}&lang=ru`, [hash]],
    ["in upper case", hash.toUpperCase(), [hash]],
    ["with 0x (T15)", `0x${hash}`, [hash]],
    ["with 0X in a link (T15)", `https://x.example/0X${hash.toUpperCase()}`, [hash]],
    ["in brackets", `<${hash}>`, [hash]],
    ["twice the same", `${hash} ${hash.toUpperCase()}`, [hash]],
    ["with a 65th digit (T15)", `${hash}0`, []],
    ["with a digit before it (T15)", `1${hash}`, []],
    ["with 0x and a 65th digit (T15)", `0x${hash}a`, []],
    ["with a letter after it", `${hash}z`, []],
    ["one digit short", hash.slice(1), []],
    ["split by a space", `${hash.slice(0, 30)} ${hash.slice(30)}`, []],
    ["beside another one", `${hash} ${other}`, [hash, other]],
    ["not at all", "paid, check please", []],
  ])("%s", (_, text, expected) => {
    expect(findTxHashes(text)).toEqual(expected);
  });

  it("lists all hashes of a text once each, in order", () => {
    expect(findTxHashes(`${other} 0x${hash} ${other}`)).toEqual([other, hash]);
  });
});

describe("payout methods", () => {
  it.each([
    ["office_cash", "office_cash"],
    [" Office-Cash ", "office_cash"],
    ["courier cash", "courier_cash"],
    ["cardless ATM", "cardless_atm"],
    ["Thai bank transfer", "thai_bank_transfer"],
    ["ATM", "atm"],
    ["constructor", null],
    ["paypal", null],
    ["", null],
  ])("%j is %s", (text, expected) => {
    expect(normalizePayoutMethod(text)).toBe(expected);
  });

  it("ends with the gateway only where no person hands over cash", () => {
    const completing = PAYOUT_METHODS.filter(
      (m) => payoutMethodRules(m).afterGateway === "completed",
    );
    expect(completing).toEqual(["thai_bank_transfer"]);
  });

  it("needs an office or an address for cash, and an account for a bank", () => {
    expect(payoutMethodRules("office_cash").location).toBe("office");
    expect(payoutMethodRules("courier_cash").location).toBe("delivery");
    expect(payoutMethodRules("thai_bank_transfer")).toMatchObject({
      location: "none",
      needsDestination: true,
    });
  });
});
