-- Why: staff follow conversations in threads and judge replies by emoji; an edited message, a typed code and a stop of payouts have their places.
CREATE TABLE "review_threads" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"channel_id" text NOT NULL,
	"messenger" text NOT NULL,
	"chat_id" text NOT NULL,
	"thread_id" text,
	"status" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_tool_call_feedback" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"message_id" text NOT NULL,
	"tool_call_id" text DEFAULT '' NOT NULL,
	"label" text NOT NULL,
	"note" text,
	"source" text NOT NULL,
	"staff_id" text NOT NULL,
	"created_at" timestamptz(3) NOT NULL,
	"retracted_at" timestamptz(3)
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "edited_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "handoff_id" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "review_thread_id" text;--> statement-breakpoint
ALTER TABLE "exchange_orders" ADD COLUMN "payout_code_draft" "bytea";--> statement-breakpoint
ALTER TABLE "exchange_orders" ADD COLUMN "payout_code_draft_by" text;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payouts_stopped_at" timestamptz(3);--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payouts_stopped_reason" text;--> statement-breakpoint
CREATE UNIQUE INDEX "review_threads_place" ON "review_threads" USING btree ("tenant_id","conversation_id","channel_id","chat_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_tool_call_feedback_person" ON "agent_tool_call_feedback" USING btree ("tenant_id","message_id","tool_call_id","staff_id","label","source");--> statement-breakpoint
CREATE INDEX "agent_tool_call_feedback_time" ON "agent_tool_call_feedback" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "outbox_handoff" ON "outbox" USING btree ("tenant_id","handoff_id") WHERE handoff_id is not null;--> statement-breakpoint
CREATE INDEX "outbox_message" ON "outbox" USING btree ("tenant_id","message_id") WHERE message_id is not null;--> statement-breakpoint
CREATE INDEX "agent_tool_calls_message" ON "agent_tool_calls" USING btree ("tenant_id","message_id");--> statement-breakpoint
SELECT app_protect();
