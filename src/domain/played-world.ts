import { z } from "zod";

/** What the sandbox plays; the names stand in paths, faults and the journal. */
export const PLAYED_SERVICES = ["telegram", "slack", "model", "chain", "payout", "smtp"] as const;

/**
 * `lose_first`: the first delivery of an event to the bot is lost; `delay_ms` is real time,
 * `retry_after` seconds; `count` 0 takes such faults back.
 */
export const playedFault = z.strictObject({
  service: z.enum(PLAYED_SERVICES),
  kind: z.enum([
    "down",
    "status",
    "timeout",
    "latency",
    "drop_response_after_effect",
    "lose_first",
  ]),
  status: z.int().min(100).max(599).optional(),
  retry_after: z.int().min(0).optional(),
  delay_ms: z.int().min(0).max(600_000).optional(),
  count: z.int().min(0).max(100_000),
});

/** A transfer on the played chain. `at`: product time. */
export const playedTransfer = z.strictObject({
  network: z.string().default("trc20"),
  /** Base58check or hex; left out or "USDT" is the official contract, other text a foreign token. */
  contract: z.string().default("USDT"),
  symbol: z.string().optional(),
  from: z.string().default("played sender"),
  to: z.string().min(1),
  amount: z.string().regex(/^\d+(\.\d{1,6})?$/, "a decimal string with at most six decimals"),
  tx_hash: z
    .string()
    .regex(/^(0[xX])?[0-9a-fA-F]{64}$/, "64 hex digits")
    .transform((hash) => hash.replace(/^0x/i, "").toLowerCase())
    .optional(),
  confirmed: z.boolean().default(true),
  failed: z.boolean().default(false),
  at: z.union([z.number(), z.iso.datetime({ offset: true })]).optional(),
});
