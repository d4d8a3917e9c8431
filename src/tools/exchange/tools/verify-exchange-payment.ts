import { z } from "zod";
import { isRetryable } from "../../../domain/failure.ts";
import { codeOfFailure } from "../../../policy/retry.ts";
import type { Tx } from "../../../store/db.ts";
import { lastOrder, type Order } from "../../../store/orders.ts";
import { quoteById } from "../../../store/quotes.ts";
import { orderPaidBy } from "../../../store/transfers.ts";
import type { RagTool, SettledWork, ToolCall, ToolWork } from "../../contract.ts";
import { argumentsOf, decimalText } from "../../results.ts";
import { failureOf, type Unreachable } from "../http-outcome.ts";
import { USDT_TRC20_CONTRACT } from "../tron-address.ts";
import { checkTransfer } from "../tron-check.ts";
import { findTxHashes } from "../tx-hash.ts";
import { type ExchangeDeps, hasRates } from "./exchange-deps.ts";
import {
  CHAIN,
  judgePayment,
  type PaymentProof,
  type PaymentVerdict,
  stateOf,
} from "./payment-verdict.ts";
import { settlePayment } from "./settle-payment.ts";

const parameters = z.strictObject({
  proof: z
    .string()
    .max(1000)
    .optional()
    .describe("what the client sent as proof: a transaction hash or a link that holds it"),
  sourceBank: z.string().max(80).optional(),
  receiptAmount: decimalText.optional().describe("the sum on a receipt"),
  payerName: z.string().max(120).optional(),
  paymentReference: z.string().max(120).optional(),
});
type Args = z.infer<typeof parameters>;

/**
 * Asks the chain outside any transaction and writes the verdict in one that looks at the order
 * again. Sets an order paid only for a final transfer of the exact sum.
 */
export function verifyExchangePayment(deps: ExchangeDeps): RagTool<Args> {
  return {
    name: "verify_exchange_payment",
    title: "Payment check",
    description: {
      does: "Checks the client's payment: coins on the chain, where a full, final transfer to the order's wallet sets the order paid; receipts of banks are always checked by a person.",
      when: "when the client says that they paid or sends a hash, a link or a receipt.",
      whenNot: "before payment details were given.",
      needs: "the hash or link as proof; for a receipt the sum, bank and payer that it shows.",
      limits: "only ok true means paid; may be called again while the transfer is unconfirmed.",
      returns: "ok, reason, needsOperator and the sum received.",
    },
    risk: "draft_only",
    sideEffectType: "internal_rows",
    parameters,
    output: z.object({
      ok: z.literal(true),
      orderId: z.string(),
      status: z.string(),
      asset: z.string(),
      amountReceived: decimalText.optional(),
      needsOperator: z.literal(false),
    }),
    offered: true,
    staged: true,
    prose: ["proof"],
    isAvailable: hasRates,
    async run(call) {
      const proof = readProof(argumentsOf(parameters, call));
      const order = await call.read((tx) => lastOrder(tx, call));
      const { verdict, unreachable } = await check(deps, call, { order, proof });
      const seen = order ? stateOf(order) : null;
      const settled: SettledWork = {
        kind: "write",
        apply: (tx) => settlePayment(tx, deps, { call, proof, verdict, seen }),
      };
      return unreachable ? askAgain(unreachable, settled) : settled;
    },
  };
}

/** A chain that does not answer is asked again in a moment; in the end an operator looks. */
function askAgain(unreachable: Unreachable, instead: SettledWork): ToolWork {
  const failure = failureOf(unreachable);
  if (!isRetryable(failure)) return instead;
  const message = "the chain could not be asked";
  const afterMs = unreachable.retryAfterMs ?? 0;
  return { kind: "retry", code: codeOfFailure(failure), failure, message, afterMs, instead };
}

function readProof(args: Args): PaymentProof {
  const { proof, ...receipt } = args;
  const text = proof?.trim() || null;
  const hashes = findTxHashes([proof, args.paymentReference].filter(Boolean).join(" "));
  const fields = Object.entries(receipt).filter(([, value]) => value !== undefined);
  return { text, hashes, receipt: Object.fromEntries(fields) };
}

interface Asked {
  order: Order | null;
  proof: PaymentProof;
}

interface Checked {
  verdict: PaymentVerdict;
  /** Why the chain told nothing. */
  unreachable?: Unreachable;
}

/** All reading from outside, before anything is written. */
async function check(
  deps: ExchangeDeps,
  call: ToolCall,
  { order, proof }: Asked,
): Promise<Checked> {
  const early = judgePayment(order, proof);
  if (early.kind !== "ask_chain") return { verdict: early };
  const { order: paid, hash, address } = early;
  const claimed = await call.read((tx) => claimedFor(tx, paid, hash));
  if (claimed) return { verdict: { kind: "reused", hash, by: claimed } };
  const nobodyTells: PaymentVerdict = { kind: "operator", reason: "chain_unavailable", hash };
  if (!deps.tronGrid) return { verdict: nobodyTells };
  const info = await deps.tronGrid.transactionInfo(hash, call.signal, call.outside);
  if (info.kind === "unreachable") return { verdict: nobodyTells, unreachable: info };
  if (info.kind === "unknown_hash")
    return { verdict: { kind: "not_yet", reason: "unknown_hash", hash } };
  const since = await call.read((tx) => heldSince(tx, paid));
  const transfer = checkTransfer(info.kind === "solidified" ? info.tx : null, {
    ourAddress: address,
    amount: paid.amountFrom,
    orderCreatedAt: since,
    quoteExpiresAt: paid.expiresAt,
    now: call.now,
    maxAgeMs: deps.txMaxAgeMs,
    contract: USDT_TRC20_CONTRACT,
  });
  return { verdict: { kind: "checked", hash, transfer, address } };
}

/** A revived order counts from the price it has now. */
async function heldSince(tx: Tx, order: Order): Promise<number> {
  const quote = await quoteById(tx, order.tenantId, order.quoteId);
  return Math.max(order.createdAt, quote?.createdAt ?? 0);
}

async function claimedFor(tx: Tx, order: Order, txHash: string) {
  const { tenantId } = order;
  const owner = await orderPaidBy(tx, { tenantId, chain: CHAIN, txHash });
  return owner && owner.id !== order.id ? owner : null;
}
