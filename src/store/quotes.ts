import { and, desc, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import { canonicalDecimal } from "../domain/money.ts";
import { nextNumber } from "./counters.ts";
import type { Tx } from "./db.ts";
import type { ConversationRef } from "./orders.ts";
import { exchangeQuotes } from "./schema/exchange.ts";

/** Sums are canonical decimal strings. `rate` is exact, not rounded for people. */
export type QuoteRow = typeof exchangeQuotes.$inferSelect;
export type NewQuote = Omit<QuoteRow, "id" | "number" | "status">;

/** As people say it. */
export function quoteName(quote: { number: number }): string {
  return `Q-${quote.number}`;
}

/** Earlier offers of the conversation that nobody took are over with a new one. */
export async function insertQuote(tx: Tx, quote: NewQuote): Promise<QuoteRow> {
  await supersedeQuotes(tx, quote);
  const number = await nextNumber(tx, quote.tenantId, { name: "quote", first: 1 });
  const rows = await tx
    .insert(exchangeQuotes)
    .values({ id: newId(), ...quote, number, status: "open" })
    .returning();
  if (!rows[0]) throw new Error("a quote could not be written");
  return canonical(rows[0]);
}

/** Open ones only: used ones belong to their orders. */
export async function supersedeQuotes(tx: Tx, of: ConversationRef): Promise<void> {
  await tx
    .update(exchangeQuotes)
    .set({ status: "superseded" })
    .where(and(ofConversation(of), eq(exchangeQuotes.status, "open")));
}

/** Newest first. */
export async function recentQuotes(tx: Tx, of: ConversationRef, limit = 20): Promise<QuoteRow[]> {
  const rows = await tx
    .select()
    .from(exchangeQuotes)
    .where(ofConversation(of))
    .orderBy(desc(exchangeQuotes.number))
    .limit(limit);
  return rows.map(canonical);
}

/** Also one that is over. */
export async function quoteById(tx: Tx, tenantId: string, id: string): Promise<QuoteRow | null> {
  const rows = await tx
    .select()
    .from(exchangeQuotes)
    .where(and(eq(exchangeQuotes.tenantId, tenantId), eq(exchangeQuotes.id, id)));
  return rows[0] ? canonical(rows[0]) : null;
}

/** In the transaction that makes the order of it. */
export async function markQuoteUsed(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx
    .update(exchangeQuotes)
    .set({ status: "used" })
    .where(and(eq(exchangeQuotes.tenantId, tenantId), eq(exchangeQuotes.id, id)));
}

function ofConversation(of: ConversationRef) {
  return and(
    eq(exchangeQuotes.tenantId, of.tenantId),
    eq(exchangeQuotes.conversationId, of.conversationId),
  );
}

function canonical(row: QuoteRow): QuoteRow {
  return {
    ...row,
    amountAsked: canonicalDecimal(row.amountAsked),
    amountFrom: canonicalDecimal(row.amountFrom),
    amountTo: canonicalDecimal(row.amountTo),
    rate: canonicalDecimal(row.rate),
    feeFixed: canonicalDecimal(row.feeFixed),
  };
}
