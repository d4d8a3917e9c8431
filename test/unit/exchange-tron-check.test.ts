import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeTronAddress,
  encodeTronAddress,
  isTronAddress,
  USDT_TRC20_CONTRACT,
} from "../../src/tools/exchange/tron-address.ts";
import {
  checkTransfer,
  type SolidifiedTx,
  type WantedTransfer,
} from "../../src/tools/exchange/tron-check.ts";
import type { TronLog } from "../../src/tools/exchange/tron-logs.ts";

const OURS = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const PAYER = encodeTronAddress(`41${"11".repeat(20)}`);
const STRANGER = encodeTronAddress(`41${"22".repeat(20)}`);
const FAKE_TOKEN = encodeTronAddress(`41${"33".repeat(20)}`);
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const MINUTE = 60_000;
const CREATED = 1_760_000_000_000;

function hex20(address: string): string {
  return (decodeTronAddress(address) ?? "").slice(2);
}

function word(hex: string): string {
  return hex.padStart(64, "0");
}

interface LogFacts {
  contract?: string;
  from?: string;
  to?: string;
  units?: bigint;
}

function transfer(facts: LogFacts = {}): TronLog {
  const { contract = USDT_TRC20_CONTRACT, from = PAYER, to = OURS, units = 450_000_000n } = facts;
  return {
    address: hex20(contract),
    topics: [TRANSFER, word(hex20(from)), word(hex20(to))],
    data: word(units.toString(16)),
  };
}

function tx(log: TronLog[], over: Partial<SolidifiedTx> = {}): SolidifiedTx {
  return {
    id: "a".repeat(64),
    blockNumber: 70_000_000,
    blockTimeStamp: CREATED + 5 * MINUTE,
    contractAddress: decodeTronAddress(USDT_TRC20_CONTRACT) ?? "",
    receiptResult: "SUCCESS",
    log,
    ...over,
  };
}

function want(over: Partial<WantedTransfer> = {}): WantedTransfer {
  return {
    ourAddress: OURS,
    amount: "450",
    orderCreatedAt: CREATED,
    quoteExpiresAt: CREATED + 15 * MINUTE,
    now: CREATED + 7 * MINUTE,
    maxAgeMs: 24 * 60 * MINUTE,
    contract: USDT_TRC20_CONTRACT,
    ...over,
  };
}

describe("a Tron address", () => {
  it("is the contract's published hex and back", () => {
    const hex = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c";
    expect(decodeTronAddress(USDT_TRC20_CONTRACT)).toBe(hex);
    expect(encodeTronAddress(hex)).toBe(USDT_TRC20_CONTRACT);
  });

  it("comes back from every 20 bytes", () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(bytes, (raw) => {
        const hex = `41${Buffer.from(raw).toString("hex")}`;
        return decodeTronAddress(encodeTronAddress(hex)) === hex;
      }),
    );
  });

  it.each([
    ["another case", OURS.toLowerCase()],
    ["one letter's case", OURS.replace("ALUA", "ALUa")],
    ["a changed character", OURS.replace("TJ", "TK")],
    ["a missing character", OURS.slice(0, -1)],
    ["a space", ` ${OURS}`],
    ["a letter outside base58", OURS.replace("J", "0")],
    ["hex", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"],
    ["nothing", ""],
  ])("is not %s", (_, text) => {
    expect(isTronAddress(text)).toBe(false);
  });

  it("is not made of anything but 41 and 20 bytes", () => {
    expect(() => encodeTronAddress(`42${"0".repeat(40)}`)).toThrow("41 and 40 hex digits");
  });
});

describe("a payment on the chain", () => {
  it("is right when token, recipient, sum and time are", () => {
    expect(checkTransfer(tx([transfer()]), want())).toEqual({
      kind: "ok",
      amountReceived: "450",
      transfers: [{ logIndex: 0, amount: "450", from: PAYER }],
      blockTimeStamp: CREATED + 5 * MINUTE,
    });
  });

  it("in a fake token named USDT is the wrong token (T1)", () => {
    expect(checkTransfer(tx([transfer({ contract: FAKE_TOKEN })]), want())).toEqual({
      kind: "wrong_token",
    });
  });

  it("to an address that differs from ours in case only is the wrong recipient (T2)", () => {
    const mixed = OURS.replace("ALUA", "ALUa");
    expect(checkTransfer(tx([transfer()]), want({ ourAddress: mixed }))).toEqual({
      kind: "wrong_recipient",
    });
  });

  it("to somebody else is the wrong recipient", () => {
    expect(checkTransfer(tx([transfer({ to: STRANGER })]), want())).toEqual({
      kind: "wrong_recipient",
    });
  });

  it("in two transfers of 300 and 150 counts as 450 (T3)", () => {
    const logs = [
      transfer({ units: 300_000_000n }),
      transfer({ to: STRANGER }),
      transfer({ units: 150_000_000n, from: STRANGER }),
    ];
    expect(checkTransfer(tx(logs), want())).toMatchObject({
      kind: "ok",
      amountReceived: "450",
      transfers: [
        { logIndex: 0, amount: "300", from: PAYER },
        { logIndex: 2, amount: "150", from: STRANGER },
      ],
    });
  });

  it.each<[string, SolidifiedTx | null]>([
    ["nothing is known", null],
    ["the block is absent", tx([transfer()], { blockNumber: undefined })],
    ["the result of the contract is absent", tx([transfer()], { receiptResult: undefined })],
  ])("is unconfirmed while %s (T4)", (_, info) => {
    expect(checkTransfer(info, want())).toEqual({ kind: "unconfirmed" });
  });

  it("of no known time goes to a person", () => {
    const info = tx([transfer()], { blockTimeStamp: undefined });
    expect(checkTransfer(info, want())).toEqual({ kind: "unknown_time" });
  });

  it.each(["REVERT", "OUT_OF_ENERGY", "success", ""])(
    "whose contract ended with %j has failed",
    (receiptResult) => {
      expect(checkTransfer(tx([transfer()], { receiptResult }), want())).toEqual({
        kind: "failed",
      });
    },
  );

  it("marked FAILED has failed whatever the receipt says", () => {
    expect(checkTransfer(tx([transfer()], { result: "FAILED" }), want())).toEqual({
      kind: "failed",
    });
  });

  it("in plain TRX is the wrong token", () => {
    const plain = tx([], { contractAddress: undefined, receiptResult: undefined });
    expect(checkTransfer(plain, want())).toEqual({ kind: "wrong_token" });
  });

  it.each([
    ["a millisecond before the order (T5)", -1, "before_order"],
    ["at the very start of the order", 0, "ok"],
    ["at the last moment of the quote", 15 * MINUTE, "ok"],
    ["a millisecond after the quote (T6)", 15 * MINUTE + 1, "late"],
  ])("made %s", (_, offset, kind) => {
    const info = tx([transfer()], { blockTimeStamp: CREATED + offset });
    expect(checkTransfer(info, want({ now: CREATED + 16 * MINUTE }))).toMatchObject({
      kind,
      amountReceived: "450",
    });
  });

  it("older than a day is too old, even where the order is older still", () => {
    const late = want({
      now: CREATED + 5 * MINUTE + 24 * 60 * MINUTE + 1,
      quoteExpiresAt: CREATED + 9e9,
    });
    expect(checkTransfer(tx([transfer()]), late)).toMatchObject({
      kind: "too_old",
      amountReceived: "450",
    });
  });

  it.each([
    ["98 % of the sum (T7)", 441_000_000n, "underpaid", "441"],
    ["one millionth less", 449_999_999n, "underpaid", "449.999999"],
    ["one millionth more", 450_000_001n, "overpaid", "450.000001"],
    ["120 % of the sum (T8)", 540_000_000n, "overpaid", "540"],
    [
      "more than a double can hold",
      2n ** 200n,
      "overpaid",
      "1606938044258990275541962092341162602522202993782792835.301376",
    ],
  ])("of %s", (_, units, kind, amountReceived) => {
    expect(checkTransfer(tx([transfer({ units })]), want())).toMatchObject({
      kind,
      amountReceived,
    });
  });

  it("of an amount with zeros at its end is the same sum", () => {
    expect(checkTransfer(tx([transfer()]), want({ amount: "450.000000" }))).toMatchObject({
      kind: "ok",
    });
  });

  it("beside a fake token to us counts the true one only", () => {
    const logs = [transfer({ contract: FAKE_TOKEN, units: 10n ** 12n }), transfer()];
    expect(checkTransfer(tx(logs), want())).toMatchObject({
      kind: "ok",
      transfers: [{ logIndex: 1 }],
    });
  });

  it("from our own wallet to itself pays nothing", () => {
    expect(checkTransfer(tx([transfer({ from: OURS })]), want()).kind).not.toBe("ok");
  });

  it("of nothing, which anybody can forge, is no transfer", () => {
    expect(checkTransfer(tx([transfer({ units: 0n })]), want())).toEqual({ kind: "wrong_token" });
  });

  it("is read from addresses with the prefix 41 and in upper case too", () => {
    const log = transfer();
    const upper = {
      ...log,
      address: `41${log.address}`.toUpperCase(),
      data: log.data.toUpperCase(),
    };
    expect(checkTransfer(tx([upper]), want())).toMatchObject({ kind: "ok" });
  });

  const good = transfer();
  const [signature = "", from = "", to = ""] = good.topics;
  it.each<[string, Partial<TronLog>]>([
    ["an approval instead of a transfer", { topics: [APPROVAL, from, to] }],
    ["no topics", { topics: [] }],
    ["a missing recipient", { topics: [signature, from] }],
    ["a topic too many, as of an NFT", { topics: [signature, from, to, word("1")] }],
    ["a recipient with bytes above the address", { topics: [signature, from, `1${to.slice(1)}`] }],
    ["a short recipient", { topics: [signature, from, to.slice(2)] }],
    ["no amount", { data: "" }],
    ["an amount of two words", { data: good.data + good.data }],
    ["an amount that is no hex", { data: "z".repeat(64) }],
    ["a short contract address", { address: "a614" }],
  ])("does not count an event with %s", (_, over) => {
    expect(checkTransfer(tx([{ ...good, ...over }]), want())).toEqual({ kind: "wrong_token" });
    expect(checkTransfer(tx([{ ...good, ...over }, good]), want())).toMatchObject({
      kind: "ok",
      transfers: [{ logIndex: 1 }],
    });
  });

  it("is the exact sum of its parts, however it is split", () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, (units) => {
        const total = units
          .reduce((sum, part) => sum + part, 0n)
          .toString()
          .padStart(7, "0");
        const amount = `${total.slice(0, -6)}.${total.slice(-6)}`;
        const logs = units.map((part) => transfer({ units: part }));
        return checkTransfer(tx(logs), want({ amount })).kind === "ok";
      }),
    );
  });
});
