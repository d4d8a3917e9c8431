import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { JsonObject } from "../../domain/json.ts";
import { bytea } from "./bytea.ts";
import { id, instant, mac, tenantId } from "./columns.ts";

// All sums and rates are exact decimals: numeric here, decimal strings in code.

export const exchangeRates = pgTable(
  "exchange_rates",
  {
    id: id(),
    tenantId: tenantId(),
    asset: text("asset").notNull(),
    quoteAsset: text("quote_asset").notNull(),
    network: text("network").notNull(),
    quoteMode: text("quote_mode").$type<"multiply" | "divide">().notNull(),
    baseRate: numeric("base_rate").notNull(),
    marginPct: numeric("margin_pct").notNull(),
    feeFixed: numeric("fee_fixed").notNull(),
    minAmountFrom: numeric("min_amount_from"),
    maxAmountFrom: numeric("max_amount_from"),
    isActive: boolean("is_active").notNull(),
    autoUpdate: boolean("auto_update").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [uniqueIndex("exchange_rates_pair").on(t.tenantId, t.asset, t.quoteAsset, t.network)],
);

export const exchangeRateTiers = pgTable(
  "exchange_rate_tiers",
  {
    id: id(),
    tenantId: tenantId(),
    rateId: text("rate_id").notNull(),
    minAmount: numeric("min_amount").notNull(),
    maxAmount: numeric("max_amount"),
    displayRate: numeric("display_rate").notNull(),
    deviationPct: numeric("deviation_pct"),
    approvedBy: text("approved_by").notNull(),
    approvedAt: instant("approved_at").notNull(),
    isActive: boolean("is_active").notNull(),
  },
  (t) => [index("exchange_rate_tiers_rate").on(t.tenantId, t.rateId)],
);

export const exchangeSettings = pgTable(
  "exchange_settings",
  {
    tenantId: tenantId(),
    quoteAsset: text("quote_asset").notNull(),
    rateRefreshSec: integer("rate_refresh_sec").notNull(),
    feedStaleSec: integer("feed_stale_sec").notNull(),
    riskAmountThreshold: numeric("risk_amount_threshold"),
    riskFirstDealReview: boolean("risk_first_deal_review").notNull(),
    riskDailyLimit: numeric("risk_daily_limit"),
    /** method -> http | manual */
    payoutProviders: jsonb("payout_providers").$type<Record<string, "http" | "manual">>().notNull(),
    /** What one person may approve for payout a day, in `quoteAsset`; null: no cap. */
    operatorDailyCap: numeric("operator_daily_cap"),
    /** Payouts below it may be approved many at once, in `quoteAsset`; null: each by itself. */
    bulkApprovalLimit: numeric("bulk_approval_limit"),
    /** Over whom the money goes: providers and cap. */
    mac: mac(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId] })],
);

export const exchangeQuotes = pgTable(
  "exchange_quotes",
  {
    id: id(),
    tenantId: tenantId(),
    number: integer("number").notNull(),
    conversationId: text("conversation_id").notNull(),
    contactId: text("contact_id").notNull(),
    asset: text("asset").notNull(),
    network: text("network").notNull(),
    quoteAsset: text("quote_asset").notNull(),
    amountMode: text("amount_mode").$type<"source_amount" | "target_amount">().notNull(),
    amountAsked: numeric("amount_asked").notNull(),
    amountFrom: numeric("amount_from").notNull(),
    amountTo: numeric("amount_to").notNull(),
    rate: numeric("rate").notNull(),
    baseRate: numeric("base_rate").notNull(),
    marginPct: numeric("margin_pct").notNull(),
    feeFixed: numeric("fee_fixed").notNull(),
    status: text("status").$type<"open" | "used" | "superseded">().notNull(),
    expiresAt: instant("expires_at").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [index("exchange_quotes_conversation").on(t.tenantId, t.conversationId, t.createdAt)],
);

export const exchangeOrders = pgTable(
  "exchange_orders",
  {
    id: id(),
    tenantId: tenantId(),
    /** Spoken as EX-20418. */
    number: integer("number").notNull(),
    conversationId: text("conversation_id").notNull(),
    contactId: text("contact_id").notNull(),
    quoteId: text("quote_id").notNull(),
    idempotencyKey: text("idempotency_key"),
    status: text("status")
      .$type<
        "quote" | "awaiting_payment" | "paid" | "payout" | "completed" | "cancelled" | "expired"
      >()
      .notNull(),
    asset: text("asset").notNull(),
    network: text("network").notNull(),
    quoteAsset: text("quote_asset").notNull(),
    amountMode: text("amount_mode").$type<"source_amount" | "target_amount">().notNull(),
    amountFrom: numeric("amount_from").notNull(),
    amountTo: numeric("amount_to").notNull(),
    rate: numeric("rate").notNull(),
    paymentMethod: text("payment_method").notNull(),
    paymentRail: text("payment_rail"),
    sourceBank: text("source_bank"),
    payerName: text("payer_name"),
    thirdPartyApproved: boolean("third_party_approved").notNull().default(false),
    payoutMethod: text("payout_method"),
    payoutLocation: text("payout_location"),
    payoutDestinationJson: jsonb("payout_destination_json").$type<JsonObject>(),
    payoutCode: bytea("payout_code"),
    payoutCodeExpiresAt: instant("payout_code_expires_at"),
    /** Typed by an operator and not confirmed yet; sealed like `payoutCode`. */
    payoutCodeDraft: bytea("payout_code_draft"),
    /** Staff id of the person who typed it. */
    payoutCodeDraftBy: text("payout_code_draft_by"),
    requisitesJson: jsonb("requisites_json").$type<JsonObject>(),
    proofJson: jsonb("proof_json").$type<JsonObject>(),
    /** A proof was handed in and is not settled: neither re-quote nor cancel may kill the order. */
    proofReceivedAt: instant("proof_received_at"),
    riskJson: jsonb("risk_json").$type<JsonObject>(),
    verificationId: text("verification_id"),
    amountReceived: numeric("amount_received"),
    /** Less than `amountTo` when an approver lowered it: the rest is still owed. null: nothing yet. */
    amountPaidOut: numeric("amount_paid_out"),
    expiresAt: instant("expires_at").notNull(),
    quoteLockedAt: instant("quote_locked_at"),
    paidAt: instant("paid_at"),
    lastReminderAt: instant("last_reminder_at"),
    completedAt: instant("completed_at"),
    /** Over the terms: who gets how much of what, where, by which requisites. */
    mac: mac(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("exchange_orders_number").on(t.tenantId, t.number),
    uniqueIndex("exchange_orders_key")
      .on(t.tenantId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    index("exchange_orders_conversation").on(t.tenantId, t.conversationId, t.createdAt),
    index("exchange_orders_contact").on(t.tenantId, t.contactId),
  ],
);

/**
 * Transfers that paid an order. Used once on this machine, whatever tenant: two tenants
 * must not both be paid by one transfer, so the index has no tenant.
 */
export const exchangeTransfers = pgTable(
  "exchange_transfers",
  {
    id: id(),
    tenantId: tenantId(),
    orderId: text("order_id").notNull(),
    chain: text("chain").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    amount: numeric("amount").notNull(),
    fromAddress: text("from_address").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (t) => [uniqueIndex("exchange_transfers_log").on(t.chain, t.txHash, t.logIndex)],
);
