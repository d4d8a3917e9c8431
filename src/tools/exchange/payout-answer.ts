import { z } from "zod";
import { sameAmount } from "../../domain/money.ts";
import { foreignLine } from "../foreign-line.ts";

/** What the answer is compared with. `amount` is a decimal string. */
export interface AskedPayout {
  orderId: string;
  amount: string;
  currency: string;
}

/** What the gateway has taken on. `pending` is no end: it is asked by key until it says so. */
export interface AcceptedPayout {
  id: string;
  status: "completed" | "pending";
  /** Secret: goes to the lead alone, never into a log or a prompt. */
  code?: string;
  /** Milliseconds since the epoch. */
  codeExpiresAt?: number;
}

/**
 * The gateway's own word of a payout, of the right form but not yet compared with what was asked.
 */
export interface PayoutAnswer extends AskedPayout, Omit<AcceptedPayout, "status"> {
  status: "completed" | "pending" | "failed";
}

/**
 * `refused`: nothing was paid. `mismatch`: something else may have been, and no code of it goes
 * out.
 */
export type JudgedPayout =
  | ({ kind: "accepted" } & AcceptedPayout)
  | { kind: "refused"; message: string }
  | { kind: "mismatch"; answer: PayoutAnswer };

const answerSchema = z.object({
  id: z.string().min(1),
  order_id: z.string(),
  amount: z
    .union([z.string(), z.number().transform(String)])
    .pipe(z.string().regex(/^\d{1,30}(\.\d{1,18})?$/)),
  currency: z.string(),
  status: z.enum(["completed", "pending", "failed"]),
  code: z.string().min(1).nullish(),
  code_expires_at: z.iso.datetime({ offset: true }).nullish(),
});

const refusalSchema = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform((body) => body.error.message),
  z.object({ message: z.string() }).transform((body) => body.message),
  z.object({ error: z.string() }).transform((body) => body.error),
]);

/** The error names fields only: the answer may hold a code. */
export function parsePayoutAnswer(
  text: string,
): { ok: true; answer: PayoutAnswer } | { ok: false; error: Error } {
  const parsed = answerSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join(".") || "body");
    return { ok: false, error: new Error(`The payout gateway's answer is wrong in: ${fields}`) };
  }
  const { order_id: orderId, code, code_expires_at: expires, ...rest } = parsed.data;
  return {
    ok: true,
    answer: {
      ...rest,
      orderId,
      code: code ?? undefined,
      codeExpiresAt: expires ? Date.parse(expires) : undefined,
    },
  };
}

/** Serves the answer to a sent payout and that to a look-up alike. */
export function judgePayout(answer: PayoutAnswer, asked: AskedPayout): JudgedPayout {
  const isSame =
    answer.orderId === asked.orderId &&
    sameAmount(answer.amount, asked.amount) &&
    answer.currency.toUpperCase() === asked.currency.toUpperCase();
  if (!isSame) return { kind: "mismatch", answer };
  const { id, status, code, codeExpiresAt } = answer;
  if (status === "failed") return { kind: "refused", message: "status failed" };
  return { kind: "accepted", id, status, code, codeExpiresAt };
}

/**
 * One short line out of an error body; written by others, so only ever shown to people, as a
 * quotation. `sent`: what the gateway may say back.
 */
export function refusalText(body: string, sent: unknown): string {
  const parsed = refusalSchema.safeParse(jsonOf(body));
  const text = parsed.success ? parsed.data : body;
  return foreignLine(text, textsIn(sent)) || "no reason given";
}

/** All texts in a piece of JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
