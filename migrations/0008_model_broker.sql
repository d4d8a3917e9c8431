-- Why: several models answer: every attempt is written down with its cost and verdict, and brokers of all processes share what they know of each model.
CREATE TABLE "model_cooldowns" (
	"key" text PRIMARY KEY NOT NULL,
	"until" timestamptz(3) NOT NULL,
	"set_at" timestamptz(3) NOT NULL,
	"failures" integer NOT NULL,
	"cause" text NOT NULL,
	"returns" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "model_places" (
	"id" text PRIMARY KEY NOT NULL,
	"llm_name" text NOT NULL,
	"until" timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "model_ratings" (
	"llm_name" text NOT NULL,
	"operation" text NOT NULL,
	"sum" double precision NOT NULL,
	"count" double precision NOT NULL,
	CONSTRAINT "model_ratings_llm_name_operation_pk" PRIMARY KEY("llm_name","operation")
);
--> statement-breakpoint
ALTER TABLE "model_call_log" ALTER COLUMN "prompt_version" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "trace_id" text;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "attempt" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "cost" numeric;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "cut" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "fault" text;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "http_status" integer;--> statement-breakpoint
ALTER TABLE "model_call_log" ADD COLUMN "score" double precision;--> statement-breakpoint
CREATE INDEX "model_places_name" ON "model_places" USING btree ("llm_name");--> statement-breakpoint
CREATE INDEX "model_call_log_trace" ON "model_call_log" USING btree ("tenant_id","trace_id");--> statement-breakpoint
CREATE INDEX "model_call_log_time" ON "model_call_log" USING btree ("tenant_id","created_at");--> statement-breakpoint
-- The runs of before are their own tasks.
UPDATE "model_call_log" SET "trace_id" = "run_id";--> statement-breakpoint
-- A verdict is written with the label that it follows from, in one transaction.
GRANT SELECT, INSERT, UPDATE ON "model_ratings" TO app_rw;
