import { z } from "zod";
import type { Outside } from "../outside.ts";
import { type Unreachable, unreachable } from "./http-outcome.ts";
import type { SolidifiedTx } from "./tron-check.ts";

/** Only `solidified` may pay an order: anything earlier can still be taken back. */
export type TransactionInfo =
  | { kind: "solidified"; tx: SolidifiedTx }
  /** In a block that the chain may still drop. */
  | { kind: "unconfirmed" }
  /** In no block: never sent, dropped, or seconds old. */
  | { kind: "unknown_hash" }
  | Unreachable;

/** Reads one chain; it holds no key that could move anything. */
export interface TronGrid {
  /** `hash`: 64 lower-case hex digits. Never throws; two requests at most, no retry. */
  transactionInfo(hash: string, signal: AbortSignal, outside?: Outside): Promise<TransactionInfo>;
}

/** The name in logs of outside calls and in the table of prices. */
export const CHAIN_PROVIDER = "trongrid";

/** `timeoutMs` is real time. */
export interface TronGridOptions {
  /** Taken as it is; with or without a slash at the end. */
  baseUrl: string;
  apiKey?: string;
  fetch?: typeof fetch;
  /** For each request. */
  timeoutMs: number;
}

const logSchema = z.object({
  address: z.string(),
  topics: z.array(z.string()).default([]),
  data: z.string().default(""),
});

const infoSchema = z.object({
  id: z.string(),
  blockNumber: z.int().nonnegative().optional(),
  blockTimeStamp: z.int().positive().optional(),
  contract_address: z.string().optional(),
  receipt: z.object({ result: z.string().optional() }).optional(),
  result: z.string().optional(),
  log: z.array(logSchema).default([]),
});

/** How the chain says that it knows no such transaction. */
const nothingSchema = z.strictObject({});

type Answer = { kind: "found"; tx: SolidifiedTx } | { kind: "absent" } | Unreachable;

/** Asks for the final state first and for the recent one only when there is none. */
export function createTronGrid(options: TronGridOptions): TronGrid {
  return {
    async transactionInfo(hash, signal, outside) {
      const query = { hash, signal, outside };
      const final = await ask(options, "walletsolidity", query);
      if (final.kind === "found") return { kind: "solidified", tx: final.tx };
      if (final.kind === "unreachable") return final;
      const recent = await ask(options, "wallet", query);
      if (recent.kind === "unreachable") return recent;
      return { kind: recent.kind === "found" ? "unconfirmed" : "unknown_hash" };
    },
  };
}

async function ask(
  options: TronGridOptions,
  state: "walletsolidity" | "wallet",
  query: { hash: string; signal: AbortSignal; outside?: Outside },
): Promise<Answer> {
  const endpoint = `/${state}/gettransactioninfobyid`;
  const url = `${options.baseUrl.replace(/\/+$/, "")}${endpoint}`;
  const body = JSON.stringify({ value: query.hash });
  const asked = { provider: CHAIN_PROVIDER, method: "POST", endpoint, body };
  const tell = query.outside?.begin(asked);
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (options.apiKey) headers["TRON-PRO-API-KEY"] = options.apiKey;
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method: "POST",
      headers,
      body,
      redirect: "error",
      signal: AbortSignal.any([query.signal, AbortSignal.timeout(options.timeoutMs)]),
    });
    const { status } = response;
    tell?.({ status, body: null });
    const text = await response.text();
    tell?.({ status, body: text });
    if (response.ok) return readAnswer(JSON.parse(text), query.hash);
    return unreachable(new Error(`The chain API answered ${response.status}`), response);
  } catch (cause) {
    return unreachable(cause);
  }
}

function readAnswer(body: unknown, hash: string): Answer {
  if (nothingSchema.safeParse(body).success) return { kind: "absent" };
  const parsed = infoSchema.safeParse(body);
  if (!parsed.success) return unreachable(new Error("The chain API answered something else"));
  const info = parsed.data;
  if (info.id.toLowerCase() !== hash.toLowerCase()) {
    return unreachable(new Error("The chain API answered about another transaction"));
  }
  const { contract_address: contractAddress, receipt, ...rest } = info;
  return { kind: "found", tx: { ...rest, contractAddress, receiptResult: receipt?.result } };
}
