import type { WorldEvent } from "./journal.ts";
import { playedHex, tronAddress } from "./tron-address.ts";

/** The real contract on the main net, so that the product's default needs no setting. */
export const OFFICIAL_USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
/** Of every token that is played here. */
export const TOKEN_DECIMALS = 6;
const TRON_BLOCK_MS = 3000;
const TRON_FIRST_BLOCK_AT = 1_529_891_469_000;

/** One played transfer as the journal holds it; `value` is in units of the token's last decimal. */
export interface TransferEvent {
  hash: string;
  network: string;
  contract: string;
  symbol: string;
  from: string;
  to: string;
  value: string;
  confirmed: boolean;
  failed: boolean;
  at: number;
}

/** `value` in the token's smallest unit. */
export interface TransferLog {
  contract: PlayedAddress;
  from: PlayedAddress;
  to: PlayedAddress;
  symbol: string;
  value: bigint;
}

/** `text` is printed in base58 lists as it was played, `hex` is what stands in the log. */
export interface PlayedAddress {
  text: string;
  hex: string;
}

/** `at`: played time, milliseconds; `block` is reckoned from it. */
export interface Transaction {
  hash: string;
  at: number;
  block: number;
  confirmed: boolean;
  failed: boolean;
  logs: TransferLog[];
}

/** A fold over the journal: the same events always make the same chain. */
export interface Chain {
  apply(event: WorldEvent): void;
  get(hash: string): Transaction | undefined;
  /** Newest first. */
  list(): Transaction[];
}

/** Empty; transfers are played by the control API. */
export function createChain(): Chain {
  const transactions = new Map<string, Transaction>();
  return {
    apply(event) {
      if (event.kind === "world.reset") transactions.clear();
      if (event.kind === "chain.transfer") addTransfer(transactions, event.data as TransferEvent);
      if (event.kind === "chain.confirmed") {
        const found = transactions.get((event.data as { hash: string }).hash);
        if (found) found.confirmed = true;
      }
    },
    get: (hash) => transactions.get(hash.toLowerCase()),
    list: () => [...transactions.values()].sort((a, b) => b.at - a.at),
  };
}

/** The same transfer once more only tells that the transaction is confirmed now; any other is a further log. */
function addTransfer(transactions: Map<string, Transaction>, transfer: TransferEvent): void {
  if (!isTron(transfer.network)) return;
  const log: TransferLog = {
    contract: played(transfer.contract),
    from: played(transfer.from),
    to: played(transfer.to),
    symbol: transfer.symbol,
    value: BigInt(transfer.value),
  };
  const known = transactions.get(transfer.hash);
  if (!known) {
    transactions.set(transfer.hash, {
      hash: transfer.hash,
      at: transfer.at,
      block: Math.max(1, Math.floor((transfer.at - TRON_FIRST_BLOCK_AT) / TRON_BLOCK_MS)),
      confirmed: transfer.confirmed,
      failed: transfer.failed,
      logs: [log],
    });
    return;
  }
  const confirmsNow =
    transfer.confirmed && !known.confirmed && known.logs.some((l) => same(l, log));
  known.confirmed = transfer.confirmed;
  known.failed ||= transfer.failed;
  if (!confirmsNow) known.logs.push(log);
}

function isTron(network: string): boolean {
  return ["", "trc20", "tron", "trx"].includes(network.toLowerCase().replaceAll("-", ""));
}

function played(text: string): PlayedAddress {
  const hex = playedHex(text);
  const looksBase58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text);
  return { text: looksBase58 ? text : tronAddress(hex), hex };
}

function same(left: TransferLog, right: TransferLog): boolean {
  return (
    left.to.text === right.to.text &&
    left.from.text === right.from.text &&
    left.contract.text === right.contract.text &&
    left.value === right.value
  );
}
