import { encodeTronAddress } from "./tron-address.ts";

/** One event of a transaction as TronGrid tells it: hex without 0x, addresses without 41. */
export interface TronLog {
  address: string;
  topics: readonly string[];
  data: string;
}

/**
 * An event as its contract wrote it: any contract can write any, so that `contract` is compared
 * first.
 */
export interface TokenTransfer {
  /** Place among all events of the transaction, counted from 0. */
  logIndex: number;
  /** Base58check. */
  contract: string;
  from: string;
  to: string;
  /** In the token's smallest unit. */
  units: bigint;
}

const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD = /^[0-9a-f]{64}$/;
const ADDRESS_WORD = /^0{24}([0-9a-f]{40})$/;
const ADDRESS = /^(?:41)?([0-9a-f]{40})$/;

/** The token transfers among a transaction's events. What is not exactly a transfer is left out. */
export function tokenTransfers(logs: readonly TronLog[]): TokenTransfer[] {
  return logs.flatMap((log, logIndex) => {
    const transfer = readTransfer(log);
    return transfer ? [{ logIndex, ...transfer }] : [];
  });
}

function readTransfer(log: TronLog): Omit<TokenTransfer, "logIndex"> | null {
  const [signature, fromWord, toWord, ...rest] = log.topics.map((topic) => topic.toLowerCase());
  if (signature !== TRANSFER || rest.length > 0) return null;
  const contract = ADDRESS.exec(log.address.toLowerCase())?.[1];
  const from = ADDRESS_WORD.exec(fromWord ?? "")?.[1];
  const to = ADDRESS_WORD.exec(toWord ?? "")?.[1];
  const data = log.data.toLowerCase();
  if (!contract || !from || !to || !WORD.test(data)) return null;
  return {
    contract: encodeTronAddress(`41${contract}`),
    from: encodeTronAddress(`41${from}`),
    to: encodeTronAddress(`41${to}`),
    units: BigInt(`0x${data}`),
  };
}
