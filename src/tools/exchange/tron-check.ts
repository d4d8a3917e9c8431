import { amount, compareAmounts } from "../../domain/money.ts";
import { type TokenTransfer, type TronLog, tokenTransfers } from "./tron-logs.ts";

/** A transaction out of the solidified state: what the chain will not take back. */
export interface SolidifiedTx {
  id: string;
  blockNumber?: number;
  /** Milliseconds since the epoch. */
  blockTimeStamp?: number;
  /** Hex of the contract that was called; absent for a plain TRX transfer. */
  contractAddress?: string;
  receiptResult?: string;
  /** "FAILED", or absent. */
  result?: string;
  log: readonly TronLog[];
}

/** What the order waits for. Times in milliseconds since the epoch, amounts decimal strings. */
export interface WantedTransfer {
  /** Base58check, compared to the letter. */
  ourAddress: string;
  amount: string;
  orderCreatedAt: number;
  quoteExpiresAt: number;
  now: number;
  maxAgeMs: number;
  /** Base58check of the only contract that counts. */
  contract: string;
  /** Of the token; 6 when absent. */
  decimals?: number;
}

/** One of the transfers to us; `amount` in whole tokens as decimal text, `from` in Base58check. */
export interface ReceivedTransfer {
  logIndex: number;
  amount: string;
  from: string;
}

/** Money that did reach us, whatever is wrong with it. */
export interface Receipt {
  /** Sum of all transfers to us in this transaction. */
  amountReceived: string;
  transfers: ReceivedTransfer[];
  blockTimeStamp: number;
}

/**
 * Those with a receipt are money that came in; of the others nothing reached us, as far as is
 * known.
 */
export type TransferCheck =
  | ({
      kind: "ok" | "too_old" | "before_order" | "late" | "underpaid" | "overpaid";
    } & Receipt)
  | { kind: "unconfirmed" | "unknown_time" | "failed" | "wrong_token" | "wrong_recipient" };

const USDT_DECIMALS = 6;

/**
 * Decides whether a transaction pays an order. Only `ok` lets the order go on without a person:
 * all the other kinds with a receipt are money that came but does not fit. Nothing is tolerated
 * on the amount; who sent it stays open (`transfers[].from`).
 */
export function checkTransfer(info: SolidifiedTx | null, want: WantedTransfer): TransferCheck {
  const state = finalState(info);
  if (!info || state === "unconfirmed") return { kind: "unconfirmed" };
  if (state === "failed") return { kind: "failed" };

  // anybody can make a token emit a transfer of nothing from any address
  const moved = tokenTransfers(info.log).filter((transfer) => transfer.units > 0n);
  const ours = moved.filter((transfer) => paysUs(transfer, want));
  if (ours.length === 0) return { kind: whyNotOurs(moved, want) };
  if (!info.blockTimeStamp) return { kind: "unknown_time" };

  const receipt = receiptOf(ours, info.blockTimeStamp, want.decimals ?? USDT_DECIMALS);
  return { kind: judge(receipt, want), ...receipt };
}

function finalState(info: SolidifiedTx | null): "unconfirmed" | "failed" | "done" {
  if (!info || info.blockNumber === undefined) return "unconfirmed";
  if (info.result === "FAILED") return "failed";
  if (info.receiptResult === "SUCCESS") return "done";
  if (info.receiptResult !== undefined) return "failed";
  // a plain TRX transfer runs no contract and has no result to wait for
  const isPlain = info.contractAddress === undefined && info.log.length === 0;
  return isPlain ? "done" : "unconfirmed";
}

function paysUs(transfer: TokenTransfer, want: WantedTransfer): boolean {
  const { contract, to, from } = transfer;
  return contract === want.contract && to === want.ourAddress && from !== want.ourAddress;
}

function whyNotOurs(
  moved: readonly TokenTransfer[],
  want: WantedTransfer,
): "wrong_token" | "wrong_recipient" {
  const foreignToUs = moved.some(
    (transfer) => transfer.to === want.ourAddress && transfer.contract !== want.contract,
  );
  const rightToken = moved.some((transfer) => transfer.contract === want.contract);
  return rightToken && !foreignToUs ? "wrong_recipient" : "wrong_token";
}

function receiptOf(ours: readonly TokenTransfer[], at: number, decimals: number): Receipt {
  const total = ours.reduce((sum, transfer) => sum + transfer.units, 0n);
  return {
    amountReceived: fromUnits(total, decimals),
    transfers: ours.map(({ logIndex, units, from }) => ({
      logIndex,
      amount: fromUnits(units, decimals),
      from,
    })),
    blockTimeStamp: at,
  };
}

/** The worst first: a transfer of another time is no payment of this order at all. */
function judge(receipt: Receipt, want: WantedTransfer) {
  const at = receipt.blockTimeStamp;
  if (want.now - at > want.maxAgeMs) return "too_old";
  if (at < want.orderCreatedAt) return "before_order";
  if (at > want.quoteExpiresAt) return "late";
  const difference = compareAmounts(receipt.amountReceived, want.amount);
  if (difference === 0) return "ok";
  return difference < 0 ? "underpaid" : "overpaid";
}

/** Exact: the units are whole and the divisor is a power of ten. */
function fromUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return amount(`${digits.slice(0, point)}.${digits.slice(point) || "0"}`).toFixed();
}
