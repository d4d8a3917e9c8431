-- Why: the first tables: tenants, chats, runs, tool calls, approvals, exchange orders, knowledge.
CREATE TABLE "approval_cards" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"approval_id" text NOT NULL,
	"outbox_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"chat_id" text NOT NULL,
	"external_id" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "approval_queue" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"number" integer NOT NULL,
	"run_id" text,
	"conversation_id" text NOT NULL,
	"candidate_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"requested_action" text NOT NULL,
	"risk_level" text NOT NULL,
	"payload_summary" text NOT NULL,
	"requested_by" text NOT NULL,
	"client_says" text,
	"status" text NOT NULL,
	"proposed_action_json" jsonb NOT NULL,
	"approved_action_json" jsonb,
	"effective_action_json" jsonb,
	"material_json" jsonb NOT NULL,
	"action_digest" text NOT NULL,
	"business_key" text,
	"schema_version" integer NOT NULL,
	"policy_id" text,
	"approvals_required" integer NOT NULL,
	"approver_role" text NOT NULL,
	"expires_at" timestamptz(3),
	"approver" text,
	"decided_via" text,
	"approved_at" timestamptz(3),
	"decided_at" timestamptz(3),
	"rejected_reason" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "approval_votes" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"approval_id" text NOT NULL,
	"staff_id" text NOT NULL,
	"decision" text NOT NULL,
	"reason" text,
	"via" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contact_identities" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"messenger" text NOT NULL,
	"team_id" text DEFAULT '' NOT NULL,
	"user_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contacts" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"blocked_at" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"messenger" text NOT NULL,
	"chat_id" text NOT NULL,
	"stage" text DEFAULT 'exchange_request' NOT NULL,
	"mode" text DEFAULT 'bot' NOT NULL,
	"language" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL,
	"updated_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "handoffs" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"reason" text NOT NULL,
	"order_id" text,
	"summary" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL,
	"closed_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"event_key" text NOT NULL,
	"kind" text NOT NULL,
	"payload" jsonb NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"answer" jsonb,
	"received_at" timestamptz(3) NOT NULL,
	"done_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "messages_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"conversation_id" text NOT NULL,
	"author" text NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"media" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"status" text DEFAULT 'kept' NOT NULL,
	"run_id" text,
	"external_id" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "outbox_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel_id" text NOT NULL,
	"chat_id" text NOT NULL,
	"thread_id" text,
	"purpose" text NOT NULL,
	"content" jsonb NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamptz(3) NOT NULL,
	"lease_token" text,
	"lease_until" timestamptz(3),
	"external_ids" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"conversation_id" text,
	"message_id" text,
	"approval_id" text,
	"last_error" text,
	"created_at" timestamptz(3) NOT NULL,
	"sent_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "exchange_orders" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"number" integer NOT NULL,
	"conversation_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"quote_id" text NOT NULL,
	"idempotency_key" text,
	"status" text NOT NULL,
	"asset" text NOT NULL,
	"network" text NOT NULL,
	"quote_asset" text NOT NULL,
	"amount_mode" text NOT NULL,
	"amount_from" numeric NOT NULL,
	"amount_to" numeric NOT NULL,
	"rate" numeric NOT NULL,
	"payment_method" text NOT NULL,
	"payment_rail" text,
	"source_bank" text,
	"payer_name" text,
	"third_party_approved" boolean DEFAULT false NOT NULL,
	"payout_method" text,
	"payout_location" text,
	"payout_destination_json" jsonb,
	"payout_code" "bytea",
	"payout_code_expires_at" timestamptz(3),
	"requisites_json" jsonb,
	"proof_json" jsonb,
	"proof_received_at" timestamptz(3),
	"risk_json" jsonb,
	"verification_id" text,
	"amount_received" numeric,
	"expires_at" timestamptz(3) NOT NULL,
	"quote_locked_at" timestamptz(3),
	"paid_at" timestamptz(3),
	"last_reminder_at" timestamptz(3),
	"completed_at" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL,
	"updated_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_quotes" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"number" integer NOT NULL,
	"conversation_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"asset" text NOT NULL,
	"network" text NOT NULL,
	"quote_asset" text NOT NULL,
	"amount_mode" text NOT NULL,
	"amount_asked" numeric NOT NULL,
	"amount_from" numeric NOT NULL,
	"amount_to" numeric NOT NULL,
	"rate" numeric NOT NULL,
	"base_rate" numeric NOT NULL,
	"margin_pct" numeric NOT NULL,
	"fee_fixed" numeric NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamptz(3) NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_rate_tiers" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"rate_id" text NOT NULL,
	"min_amount" numeric NOT NULL,
	"max_amount" numeric,
	"display_rate" numeric NOT NULL,
	"deviation_pct" numeric,
	"approved_by" text NOT NULL,
	"approved_at" timestamptz(3) NOT NULL,
	"is_active" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_rates" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"asset" text NOT NULL,
	"quote_asset" text NOT NULL,
	"network" text NOT NULL,
	"quote_mode" text NOT NULL,
	"base_rate" numeric NOT NULL,
	"margin_pct" numeric NOT NULL,
	"fee_fixed" numeric NOT NULL,
	"min_amount_from" numeric,
	"max_amount_from" numeric,
	"is_active" boolean NOT NULL,
	"auto_update" boolean NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "exchange_settings" (
	"tenant_id" text NOT NULL,
	"quote_asset" text NOT NULL,
	"rate_refresh_sec" integer NOT NULL,
	"feed_stale_sec" integer NOT NULL,
	"risk_amount_threshold" numeric,
	"risk_first_deal_review" boolean NOT NULL,
	"risk_daily_limit" numeric,
	"payout_providers" jsonb NOT NULL,
	"updated_at" timestamptz(3) NOT NULL,
	CONSTRAINT "exchange_settings_tenant_id_pk" PRIMARY KEY("tenant_id")
);
--> statement-breakpoint
CREATE TABLE "exchange_transfers" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"order_id" text NOT NULL,
	"chain" text NOT NULL,
	"tx_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"amount" numeric NOT NULL,
	"from_address" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kb_chunks" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"document_id" text NOT NULL,
	"revision" integer NOT NULL,
	"position" integer NOT NULL,
	"heading_path" text NOT NULL,
	"body" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kb_documents" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"source" text NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"revision" integer NOT NULL,
	"created_at" timestamptz(3) NOT NULL,
	"updated_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_tool_calls" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"message_id" text,
	"outbound_id" text,
	"candidate_id" text NOT NULL,
	"source" text NOT NULL,
	"tool_name" text NOT NULL,
	"args" jsonb,
	"result" jsonb,
	"is_error" boolean NOT NULL,
	"cycle" integer NOT NULL,
	"tool_call_index" integer NOT NULL,
	"latency_ms" integer,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "error_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"tool_name" text,
	"component" text NOT NULL,
	"error_code" text NOT NULL,
	"error_message" text NOT NULL,
	"retryable" boolean NOT NULL,
	"attempt" integer NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "model_call_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"operation" text NOT NULL,
	"provider" text NOT NULL,
	"model_id" text NOT NULL,
	"prompt_version" text NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"status" text NOT NULL,
	"finish_reason" text,
	"had_tool_call" boolean NOT NULL,
	"error" text,
	"latency_ms" integer NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"seen_seq" bigint DEFAULT 0 NOT NULL,
	"cycle" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"restarts" integer DEFAULT 0 NOT NULL,
	"model_failures" integer DEFAULT 0 NOT NULL,
	"superseded_drafts" integer DEFAULT 0 NOT NULL,
	"active_ms" integer DEFAULT 0 NOT NULL,
	"approval_id" text,
	"due_at" timestamptz(3) NOT NULL,
	"first_message_at" timestamptz(3) NOT NULL,
	"lease_owner" text,
	"lease_token" text,
	"lease_until" timestamptz(3),
	"outcome" text,
	"created_at" timestamptz(3) NOT NULL,
	"ended_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"tenant_id" text,
	"staff_id" text,
	"token_hash" text NOT NULL,
	"expires_at" timestamptz(3),
	"revoked_at" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_state" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"conversation_id" text,
	"candidate_id" text,
	"user_id" text,
	"event_type" text NOT NULL,
	"tool_name" text,
	"decision" text,
	"summary" text NOT NULL,
	"refs" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "channels" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"messenger" text NOT NULL,
	"bot_user_id" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"value" integer NOT NULL,
	CONSTRAINT "counters_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "destinations" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"messenger" text NOT NULL,
	"chat_id" text NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "staff" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "staff_identities" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"staff_id" text NOT NULL,
	"messenger" text NOT NULL,
	"team_id" text DEFAULT '' NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenant_secrets" (
	"tenant_id" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"ciphertext" "bytea" NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamptz(3) NOT NULL,
	CONSTRAINT "tenant_secrets_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"state" text DEFAULT 'setup' NOT NULL,
	"agent_role" text DEFAULT 'support' NOT NULL,
	"language" text DEFAULT 'en' NOT NULL,
	"opened_at" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"run_id" text,
	"tool_name" text NOT NULL,
	"arguments_hash" text NOT NULL,
	"status" text NOT NULL,
	"result_ref" text,
	"created_at" timestamptz(3) NOT NULL,
	"expires_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "policy_gate_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"candidate_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"user_id" text,
	"role" text NOT NULL,
	"policy_result" text NOT NULL,
	"matched_policy_id" text,
	"requires_approval" boolean NOT NULL,
	"block_reason" text,
	"facts_json" jsonb NOT NULL,
	"moment" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_argument_checks" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"candidate_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"schema_version" integer NOT NULL,
	"is_valid" boolean NOT NULL,
	"errors_json" jsonb NOT NULL,
	"normalized_arguments_json" jsonb,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_call_candidates" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"conversation_id" text NOT NULL,
	"message_id" text,
	"ordinal" integer NOT NULL,
	"cycle" integer NOT NULL,
	"model_call_id" text,
	"source" text NOT NULL,
	"maker" text NOT NULL,
	"tool_name" text NOT NULL,
	"arguments_raw" text NOT NULL,
	"arguments_json" jsonb,
	"arguments_hash" text NOT NULL,
	"action_json" jsonb,
	"action_digest" text,
	"business_key" text,
	"schema_version" integer NOT NULL,
	"confidence" text,
	"status" text NOT NULL,
	"code" text,
	"reply" jsonb,
	"created_at" timestamptz(3) NOT NULL,
	"settled_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "tool_execution_queue" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"conversation_id" text NOT NULL,
	"candidate_id" text NOT NULL,
	"approval_id" text,
	"tool_name" text NOT NULL,
	"payload_json" jsonb NOT NULL,
	"action_digest" text NOT NULL,
	"idempotency_key" text,
	"business_key" text,
	"has_side_effect" boolean NOT NULL,
	"status" text NOT NULL,
	"attempts" integer NOT NULL,
	"look_ups" integer DEFAULT 0 NOT NULL,
	"resent" boolean DEFAULT false NOT NULL,
	"run_after" timestamptz(3) NOT NULL,
	"lease_owner" text,
	"lease_token" text,
	"lease_until" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL,
	"started_at" timestamptz(3),
	"finished_at" timestamptz(3)
);
--> statement-breakpoint
CREATE TABLE "tool_policy" (
	"tenant_id" text NOT NULL,
	"id" text NOT NULL,
	"tool_name" text NOT NULL,
	"role" text NOT NULL,
	"condition_json" jsonb NOT NULL,
	"allow_call" boolean NOT NULL,
	"requires_approval" boolean NOT NULL,
	"approvals_required" integer NOT NULL,
	"approver_role" text NOT NULL,
	"approval_ttl_s" integer,
	"max_calls_per_run" integer NOT NULL,
	"max_payload_size" integer NOT NULL,
	"is_active" boolean NOT NULL,
	CONSTRAINT "tool_policy_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "tool_registry" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"display_name" text NOT NULL,
	"description" text NOT NULL,
	"tool_type" text NOT NULL,
	"risk_level" text NOT NULL,
	"side_effect_type" text NOT NULL,
	"owner" text NOT NULL,
	"is_active" boolean NOT NULL,
	"created_at" timestamptz(3) NOT NULL,
	"updated_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_result_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"execution_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"status" text NOT NULL,
	"result_json" jsonb,
	"result_summary" text NOT NULL,
	"external_id" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_retry_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"execution_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"attempt" integer NOT NULL,
	"retry_reason" text NOT NULL,
	"next_run_at" timestamptz(3) NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_schema_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"tool_name" text NOT NULL,
	"schema_version" integer NOT NULL,
	"schema_hash" text NOT NULL,
	"input_schema_json" jsonb NOT NULL,
	"output_schema_json" jsonb NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE INDEX "approval_cards_approval" ON "approval_cards" USING btree ("tenant_id","approval_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approval_queue_number" ON "approval_queue" USING btree ("tenant_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "approval_queue_business_key" ON "approval_queue" USING btree ("tenant_id","business_key") WHERE business_key is not null and status in ('pending', 'frozen');--> statement-breakpoint
CREATE INDEX "approval_queue_open" ON "approval_queue" USING btree ("expires_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "approval_queue_conversation" ON "approval_queue" USING btree ("tenant_id","conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "approval_votes_person" ON "approval_votes" USING btree ("tenant_id","approval_id","staff_id");--> statement-breakpoint
CREATE UNIQUE INDEX "contact_identities_user" ON "contact_identities" USING btree ("tenant_id","messenger","team_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_chat" ON "conversations" USING btree ("tenant_id","channel_id","chat_id");--> statement-breakpoint
CREATE INDEX "conversations_contact" ON "conversations" USING btree ("tenant_id","contact_id");--> statement-breakpoint
CREATE INDEX "handoffs_conversation" ON "handoffs" USING btree ("tenant_id","conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "inbox_event" ON "inbox" USING btree ("channel_id","event_key");--> statement-breakpoint
CREATE INDEX "inbox_new" ON "inbox" USING btree ("received_at") WHERE status = 'new';--> statement-breakpoint
CREATE INDEX "messages_conversation" ON "messages" USING btree ("tenant_id","conversation_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_external" ON "messages" USING btree ("tenant_id","conversation_id","external_id") WHERE external_id is not null and author = 'lead';--> statement-breakpoint
CREATE INDEX "outbox_open" ON "outbox" USING btree ("channel_id","chat_id","seq") WHERE status in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "outbox_approval" ON "outbox" USING btree ("tenant_id","approval_id");--> statement-breakpoint
CREATE UNIQUE INDEX "exchange_orders_number" ON "exchange_orders" USING btree ("tenant_id","number");--> statement-breakpoint
CREATE UNIQUE INDEX "exchange_orders_key" ON "exchange_orders" USING btree ("tenant_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "exchange_orders_conversation" ON "exchange_orders" USING btree ("tenant_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "exchange_orders_contact" ON "exchange_orders" USING btree ("tenant_id","contact_id");--> statement-breakpoint
CREATE INDEX "exchange_quotes_conversation" ON "exchange_quotes" USING btree ("tenant_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "exchange_rate_tiers_rate" ON "exchange_rate_tiers" USING btree ("tenant_id","rate_id");--> statement-breakpoint
CREATE UNIQUE INDEX "exchange_rates_pair" ON "exchange_rates" USING btree ("tenant_id","asset","quote_asset","network");--> statement-breakpoint
CREATE UNIQUE INDEX "exchange_transfers_log" ON "exchange_transfers" USING btree ("chain","tx_hash","log_index");--> statement-breakpoint
CREATE INDEX "kb_chunks_document" ON "kb_chunks" USING btree ("tenant_id","document_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "kb_documents_source" ON "kb_documents" USING btree ("tenant_id","source");--> statement-breakpoint
CREATE INDEX "agent_tool_calls_conversation" ON "agent_tool_calls" USING btree ("tenant_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "model_call_log_run" ON "model_call_log" USING btree ("tenant_id","run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_queued_message" ON "runs" USING btree ("tenant_id","conversation_id") WHERE status = 'queued' and kind = 'message';--> statement-breakpoint
CREATE UNIQUE INDEX "runs_continuation" ON "runs" USING btree ("tenant_id","approval_id") WHERE approval_id is not null;--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("due_at") WHERE status in ('queued', 'running', 'waiting_retry');--> statement-breakpoint
CREATE INDEX "runs_conversation" ON "runs" USING btree ("tenant_id","conversation_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_hash" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "audit_log_conversation" ON "audit_log" USING btree ("tenant_id","conversation_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_time" ON "audit_log" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "destinations_chat" ON "destinations" USING btree ("tenant_id","messenger","chat_id","purpose");--> statement-breakpoint
CREATE UNIQUE INDEX "staff_identities_user" ON "staff_identities" USING btree ("tenant_id","messenger","team_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_keys_live" ON "idempotency_keys" USING btree ("tenant_id","idempotency_key") WHERE status <> 'freed';--> statement-breakpoint
CREATE INDEX "policy_gate_log_candidate" ON "policy_gate_log" USING btree ("tenant_id","candidate_id");--> statement-breakpoint
CREATE INDEX "argument_checks_candidate" ON "tool_argument_checks" USING btree ("tenant_id","candidate_id");--> statement-breakpoint
CREATE INDEX "candidates_conversation" ON "tool_call_candidates" USING btree ("tenant_id","conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "candidates_run" ON "tool_call_candidates" USING btree ("tenant_id","run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "candidates_call" ON "tool_call_candidates" USING btree ("tenant_id","message_id","ordinal") WHERE message_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "executions_candidate" ON "tool_execution_queue" USING btree ("tenant_id","candidate_id");--> statement-breakpoint
CREATE UNIQUE INDEX "executions_business_key" ON "tool_execution_queue" USING btree ("tenant_id","business_key") WHERE has_side_effect and business_key is not null and status in ('queued', 'running', 'unknown', 'waiting_approval', 'retry_scheduled', 'completed');--> statement-breakpoint
CREATE INDEX "executions_open" ON "tool_execution_queue" USING btree ("run_after") WHERE status in ('queued', 'running', 'unknown', 'retry_scheduled');--> statement-breakpoint
CREATE UNIQUE INDEX "tool_registry_name" ON "tool_registry" USING btree ("tenant_id","tool_name");--> statement-breakpoint
CREATE INDEX "tool_result_log_execution" ON "tool_result_log" USING btree ("tenant_id","execution_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tool_schema_versions_number" ON "tool_schema_versions" USING btree ("tool_name","schema_version");