-- Why: every check, cost and decision of a call is written down and sealed; rows that give power carry a keyed hash; approvals are reminded of, escalated, frozen and edited.
CREATE TABLE "approval_digests" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"items_json" jsonb NOT NULL,
	"cards_json" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"posted_at" timestamptz(3),
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contact_attributes" (
	"tenant_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"name" text NOT NULL,
	"value" text NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamptz(3) NOT NULL,
	CONSTRAINT "contact_attributes_tenant_id_contact_id_name_pk" PRIMARY KEY("tenant_id","contact_id","name")
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"number" integer NOT NULL,
	"conversation_id" text NOT NULL,
	"contact_id" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"priority" text NOT NULL,
	"due_date" text,
	"status" text NOT NULL,
	"candidate_id" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cost_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"cost_type" text NOT NULL,
	"provider" text NOT NULL,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "external_api_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"execution_id" text,
	"tool_name" text,
	"provider" text NOT NULL,
	"endpoint" text NOT NULL,
	"method" text NOT NULL,
	"request_hash" text NOT NULL,
	"response_status" integer,
	"response_hash" text,
	"latency_ms" integer NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "latency_log" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"run_id" text,
	"component" text NOT NULL,
	"operation" text NOT NULL,
	"latency_ms" bigint NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_eval_cases" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"case_name" text NOT NULL,
	"input_json" jsonb NOT NULL,
	"expected_tool" text,
	"expected_arguments_json" jsonb,
	"forbidden_tools_json" jsonb NOT NULL,
	"expected_policy_result" text,
	"risk_level" text,
	"is_active" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tool_eval_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"eval_case_id" text NOT NULL,
	"agent_version" text NOT NULL,
	"model_id" text NOT NULL,
	"actual_tool" text,
	"actual_arguments_json" jsonb,
	"policy_result" text,
	"passed" boolean NOT NULL,
	"failure_reason" text,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_seals" (
	"tenant_id" text NOT NULL,
	"seal_number" integer NOT NULL,
	"first_index" integer NOT NULL,
	"row_ids" jsonb NOT NULL,
	"row_macs" jsonb NOT NULL,
	"previous_mac" text NOT NULL,
	"mac" text NOT NULL,
	"sealed_at" timestamptz(3) NOT NULL,
	CONSTRAINT "audit_seals_tenant_id_seal_number_pk" PRIMARY KEY("tenant_id","seal_number")
);
--> statement-breakpoint
CREATE TABLE "heartbeats" (
	"boot_id" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"started_at" timestamptz(3) NOT NULL,
	"beat_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "row_lists" (
	"tenant_id" text NOT NULL,
	"table_name" text NOT NULL,
	"rows" jsonb NOT NULL,
	"mac" text DEFAULT '' NOT NULL,
	CONSTRAINT "row_lists_tenant_id_table_name_pk" PRIMARY KEY("tenant_id","table_name")
);
--> statement-breakpoint
DROP INDEX "approval_queue_open";--> statement-breakpoint
DROP INDEX "approval_votes_person";--> statement-breakpoint
ALTER TABLE "approval_queue" ALTER COLUMN "conversation_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "tool_call_candidates" ALTER COLUMN "conversation_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "tool_execution_queue" ALTER COLUMN "conversation_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_tool_calls" ALTER COLUMN "latency_ms" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "next_step_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "reminders_sent" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "escalated_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "frozen_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "frozen_reason" text;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "editable_fields" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "edited_by" text;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "approves_itself_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "audit_head" text;--> statement-breakpoint
ALTER TABLE "approval_queue" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_votes" ADD COLUMN "action_digest" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_votes" ALTER COLUMN "action_digest" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "approval_votes" ADD COLUMN "voided_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "approval_votes" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "email_verified_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "inbox" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sent_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "exchange_orders" ADD COLUMN "amount_paid_out" numeric;--> statement-breakpoint
ALTER TABLE "exchange_orders" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "exchange_settings" ADD COLUMN "operator_daily_cap" numeric;--> statement-breakpoint
ALTER TABLE "exchange_settings" ADD COLUMN "bulk_approval_limit" numeric;--> statement-breakpoint
ALTER TABLE "exchange_settings" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "error_log" ADD COLUMN "execution_id" text;--> statement-breakpoint
ALTER TABLE "error_log" ADD COLUMN "error_class" text DEFAULT 'transient' NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "spent" numeric DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_tokens" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "seal_number" integer;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "staff" ADD COLUMN "suspended_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "staff" ADD COLUMN "suspended_by" text;--> statement-breakpoint
ALTER TABLE "staff" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "staff_identities" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "orders_stopped_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "orders_stopped_reason" text;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tool_policy" ADD COLUMN "mac" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "approval_digests_posted" ON "approval_digests" USING btree ("tenant_id","posted_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_number" ON "tasks" USING btree ("tenant_id","number");--> statement-breakpoint
CREATE INDEX "tasks_conversation" ON "tasks" USING btree ("tenant_id","conversation_id");--> statement-breakpoint
CREATE INDEX "cost_log_time" ON "cost_log" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "external_api_log_execution" ON "external_api_log" USING btree ("tenant_id","execution_id");--> statement-breakpoint
CREATE INDEX "latency_log_time" ON "latency_log" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tool_eval_cases_name" ON "tool_eval_cases" USING btree ("tenant_id","case_name");--> statement-breakpoint
CREATE INDEX "tool_eval_runs_case" ON "tool_eval_runs" USING btree ("tenant_id","eval_case_id","created_at");--> statement-breakpoint
CREATE INDEX "error_log_time" ON "error_log" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_log_unsealed" ON "audit_log" USING btree ("tenant_id","id") WHERE seal_number is null;--> statement-breakpoint
CREATE INDEX "approval_queue_open" ON "approval_queue" USING btree ("next_step_at") WHERE status in ('pending', 'frozen');--> statement-breakpoint
CREATE UNIQUE INDEX "approval_votes_person" ON "approval_votes" USING btree ("tenant_id","approval_id","staff_id") WHERE voided_at is null;
--> statement-breakpoint
ALTER TABLE approval_votes NO FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE approval_queue NO FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
UPDATE approval_votes v SET action_digest = a.action_digest FROM approval_queue a WHERE a.tenant_id = v.tenant_id AND a.id = v.approval_id;
--> statement-breakpoint
UPDATE approval_queue SET next_step_at = expires_at WHERE status = 'pending';
--> statement-breakpoint
-- As in migration 1; of the trail only the seal's number is ever written later.
CREATE OR REPLACE FUNCTION app_protect() RETURNS void LANGUAGE plpgsql AS $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT c.relname FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relkind = 'r' AND c.relname NOT IN ('channels', 'api_tokens')
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one.relname);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one.relname);
    EXECUTE format('DROP POLICY IF EXISTS tenant_rows ON %I', one.relname);
    EXECUTE format(
      'CREATE POLICY tenant_rows ON %I TO app_rw USING (tenant_id = current_setting(''app.tenant_id'', true)) WITH CHECK (tenant_id = current_setting(''app.tenant_id'', true))',
      one.relname);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO app_rw', one.relname);
  END LOOP;
  REVOKE UPDATE, DELETE ON audit_log, audit_seals FROM app_rw;
  GRANT UPDATE (seal_number) ON audit_log TO app_rw;
END $$;
--> statement-breakpoint
SELECT app_protect();
--> statement-breakpoint
GRANT SELECT (next_step_at, approves_itself_at) ON approval_queue TO app_system;
--> statement-breakpoint
GRANT SELECT (id, tenant_id, seal_number, created_at) ON audit_log TO app_system;
--> statement-breakpoint
CREATE POLICY system_rows ON audit_log FOR SELECT TO app_system USING (true);
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON heartbeats TO app_system;
