import { TOKEN_DECIMALS, type Transaction, type TransferLog } from "./chain-state.ts";

const TRANSFER_TOPIC = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TYPICAL_FEE_SUN = 13_844_850;

/** `gettransactioninfobyid`; a failed call keeps its fee and has no logs. */
export function transactionInfo(transaction: Transaction): Record<string, unknown> {
  return {
    id: transaction.hash,
    fee: TYPICAL_FEE_SUN,
    blockNumber: transaction.block,
    blockTimeStamp: transaction.at,
    contractResult: [transaction.failed ? "" : "1".padStart(64, "0")],
    contract_address: transaction.logs[0]?.contract.hex ?? "",
    receipt: { energy_usage_total: 64_285, result: transaction.failed ? "REVERT" : "SUCCESS" },
    ...(transaction.failed
      ? { result: "FAILED", resMessage: Buffer.from("REVERT opcode executed").toString("hex") }
      : { log: transaction.logs.map(rawLog) }),
  };
}

function rawLog(log: TransferLog): Record<string, unknown> {
  return {
    address: log.contract.hex.slice(2),
    topics: [TRANSFER_TOPIC, topic(log.from.hex), topic(log.to.hex)],
    data: log.value.toString(16).padStart(64, "0"),
  };
}

function topic(hex: string): string {
  return hex.slice(2).padStart(64, "0");
}

/** `GET /v1/transactions/{id}/events`. */
export function transactionEvents(transaction: Transaction): unknown[] {
  if (transaction.failed) return [];
  return transaction.logs.map((log, index) => ({
    block_number: transaction.block,
    block_timestamp: transaction.at,
    caller_contract_address: log.contract.text,
    contract_address: log.contract.text,
    event_index: index,
    event_name: "Transfer",
    event: "Transfer(address indexed from, address indexed to, uint256 value)",
    result: {
      "0": `0x${log.from.hex.slice(2)}`,
      "1": `0x${log.to.hex.slice(2)}`,
      "2": String(log.value),
      from: `0x${log.from.hex.slice(2)}`,
      to: `0x${log.to.hex.slice(2)}`,
      value: String(log.value),
    },
    transaction_id: transaction.hash,
    ...(transaction.confirmed ? {} : { _unconfirmed: true }),
  }));
}

/**
 * Filters of the real endpoint; times in played milliseconds, `contract` and `address` in
 * Base58check.
 */
export interface TransferQuery {
  address: string;
  onlyConfirmed: boolean;
  onlyUnconfirmed: boolean;
  onlyTo: boolean;
  onlyFrom: boolean;
  contract?: string;
  minAt?: number;
  maxAt?: number;
}

/** The rows of `GET /v1/accounts/{address}/transactions/trc20`, before paging. */
export function accountTransfers(transactions: Transaction[], query: TransferQuery): unknown[] {
  return transactions
    .filter((transaction) => !transaction.failed && inTime(transaction, query))
    .flatMap((transaction) =>
      transaction.logs
        .filter((log) => concerns(log, query))
        .map((log) => transferRow(transaction, log)),
    );
}

function inTime(transaction: Transaction, query: TransferQuery): boolean {
  if (query.onlyConfirmed && !transaction.confirmed) return false;
  if (query.onlyUnconfirmed && transaction.confirmed) return false;
  return transaction.at >= (query.minAt ?? 0) && transaction.at <= (query.maxAt ?? Infinity);
}

function concerns(log: TransferLog, query: TransferQuery): boolean {
  if (query.contract && log.contract.text !== query.contract) return false;
  const received = log.to.text === query.address && !query.onlyFrom;
  const sent = log.from.text === query.address && !query.onlyTo;
  return received || sent;
}

function transferRow(transaction: Transaction, log: TransferLog): Record<string, unknown> {
  return {
    transaction_id: transaction.hash,
    token_info: {
      symbol: log.symbol,
      address: log.contract.text,
      decimals: TOKEN_DECIMALS,
      name: log.symbol === "USDT" ? "Tether USD" : log.symbol,
    },
    block_timestamp: transaction.at,
    from: log.from.text,
    to: log.to.text,
    type: "Transfer",
    value: String(log.value),
  };
}
