import { randomBytes } from "node:crypto";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { playedTransfer } from "../domain/played-world.ts";
import { accountTransfers, transactionEvents, transactionInfo } from "./chain-answers.ts";
import {
  type Chain,
  createChain,
  OFFICIAL_USDT,
  TOKEN_DECIMALS,
  type TransferEvent,
} from "./chain-state.ts";
import { playFaults } from "./faults.ts";
import type { World, WorldPart } from "./world.ts";

const HASH = /^[0-9a-f]{64}$/i;
const SECONDS_UNTIL_MS = 100_000_000_000;

/** Plays TronGrid: what the wallet nodes and the v1 index say about played TRC20 transfers. */
export function createChainPart(world: World): WorldPart {
  const chain = createChain();
  return {
    name: "chain",
    apply: chain.apply,
    routes: tronGrid(world, chain),
    control: control(world, chain),
    waiting: () => [],
    env: (origin) => ({
      TRONGRID_URL: `${origin}/sandbox/chain`,
      TRONGRID_API_KEY: "sandbox-trongrid-key",
    }),
  };
}

function tronGrid(world: World, chain: Chain): Hono {
  const routes = new Hono();
  routes.use(
    playFaults({
      faults: world.faults,
      service: "chain",
      errorBody: (status) => ({ success: false, error: faultText(status), statusCode: status }),
    }),
  );
  routes.post("/walletsolidity/gettransactioninfobyid", (c) => infoById(c, chain, true));
  routes.post("/wallet/gettransactioninfobyid", (c) => infoById(c, chain, false));
  routes.get("/v1/accounts/:address/transactions/trc20", (c) => listTransfers(c, world, chain));
  routes.get("/v1/transactions/:hash/events", (c) => listEvents(c, world, chain));
  return routes;
}

function faultText(status: number): string {
  if (status === 429) return "The key exceeds the frequency limit, please try again later";
  return status === 403 ? "Forbidden" : "The service is unavailable, please try again later";
}

/** The solidified node knows final transactions only: anything else is `{}`. */
async function infoById(c: Context, chain: Chain, solidified: boolean): Promise<Response> {
  const body = z.object({ value: z.string() }).safeParse(await readJson(c));
  if (!body.success) return c.json({ Error: "class java.lang.NullPointerException : null" });
  const transaction = HASH.test(body.data.value) ? chain.get(body.data.value) : undefined;
  if (!transaction || (solidified && !transaction.confirmed)) return c.json({});
  return c.json(transactionInfo(transaction));
}

function listTransfers(c: Context, world: World, chain: Chain): Response {
  const limit = Math.floor(Number(c.req.query("limit") ?? 20));
  const onlyConfirmed = c.req.query("only_confirmed") === "true";
  const onlyUnconfirmed = c.req.query("only_unconfirmed") === "true";
  if (!(limit >= 1)) return badRequest(c, "limit must be a positive number");
  if (onlyConfirmed && onlyUnconfirmed)
    return badRequest(c, "only_confirmed and only_unconfirmed exclude each other");
  const rows = accountTransfers(chain.list(), {
    address: c.req.param("address") ?? "",
    onlyConfirmed,
    onlyUnconfirmed,
    onlyTo: c.req.query("only_to") === "true",
    onlyFrom: c.req.query("only_from") === "true",
    contract: c.req.query("contract_address"),
    minAt: numberOf(c.req.query("min_timestamp")),
    maxAt: numberOf(c.req.query("max_timestamp")),
  });
  if (c.req.query("order_by") === "block_timestamp,asc") rows.reverse();
  return page(c, world, { rows, limit: Math.min(limit, 200) });
}

function page(c: Context, world: World, list: { rows: unknown[]; limit: number }): Response {
  const start = offsetOf(c.req.query("fingerprint"));
  const data = list.rows.slice(start, start + list.limit);
  const next = start + data.length;
  const meta: Record<string, unknown> = { at: world.clock.now(), page_size: data.length };
  if (next < list.rows.length) {
    meta.fingerprint = Buffer.from(`after:${next}`).toString("base64url");
    const url = new URL(c.req.url);
    url.searchParams.set("fingerprint", String(meta.fingerprint));
    meta.links = { next: url.href };
  }
  return c.json({ data, success: true, meta });
}

function offsetOf(fingerprint: string | undefined): number {
  const text = Buffer.from(fingerprint ?? "", "base64url").toString();
  return Number(/^after:(\d+)$/.exec(text)?.[1] ?? 0);
}

function listEvents(c: Context, world: World, chain: Chain): Response {
  const hash = c.req.param("hash") ?? "";
  if (!HASH.test(hash)) return badRequest(c, "invalid transaction id");
  const transaction = chain.get(hash);
  const hidden = c.req.query("only_confirmed") === "true" && !transaction?.confirmed;
  const data = transaction && !hidden ? transactionEvents(transaction) : [];
  return c.json({ data, success: true, meta: { at: world.clock.now(), page_size: data.length } });
}

function badRequest(c: Context, error: string): Response {
  return c.json({ success: false, error, statusCode: 400 }, 400);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text);
}

function control(world: World, chain: Chain): Hono {
  const routes = new Hono();
  routes.post("/transfers", async (c) => {
    const parsed = playedTransfer.safeParse(await readJson(c));
    if (!parsed.success)
      return c.json({ error: { code: "invalid", message: z.prettifyError(parsed.error) } }, 400);
    const transfer = transferEvent(parsed.data, world.clock.now());
    world.journal.append("chain.transfer", transfer);
    return c.json({ tx_hash: transfer.hash });
  });
  routes.post("/transfers/:hash/confirm", (c) => {
    const transaction = chain.get(c.req.param("hash"));
    if (!transaction) return c.json({ error: { code: "not_found", message: "no such hash" } }, 404);
    world.journal.append("chain.confirmed", { hash: transaction.hash });
    return c.json({ tx_hash: transaction.hash });
  });
  return routes;
}

function transferEvent(input: z.infer<typeof playedTransfer>, now: number): TransferEvent {
  const official = input.contract === "" || input.contract.toUpperCase() === "USDT";
  const isName = /^[A-Z]{2,10}$/i.test(input.contract);
  return {
    hash: input.tx_hash ?? randomBytes(32).toString("hex"),
    network: input.network,
    contract: official ? OFFICIAL_USDT : input.contract,
    symbol: input.symbol ?? (isName ? input.contract.toUpperCase() : "USDT"),
    from: input.from,
    to: input.to,
    value: lastDecimalUnits(input.amount),
    confirmed: input.confirmed,
    failed: input.failed,
    at: playedTime(input.at) ?? now,
  };
}

/** "2000.5" → "2000500000": exact, no floating point. */
function lastDecimalUnits(amount: string): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return String(BigInt(whole + fraction.padEnd(TOKEN_DECIMALS, "0")));
}

/** Accepts ISO text, milliseconds, and seconds as block explorers print them. */
function playedTime(at: number | string | undefined): number | undefined {
  if (at === undefined) return undefined;
  if (typeof at === "string") return Date.parse(at);
  return at < SECONDS_UNTIL_MS ? at * 1000 : at;
}

async function readJson(c: Context): Promise<unknown> {
  try {
    return await c.req.json();
  } catch {
    return undefined;
  }
}
