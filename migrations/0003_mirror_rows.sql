-- Why: a mirror for the staff must never delay a card or a reply: delivery, which sees ids and states alone, has to tell such rows apart; and what stands in a thread already is not mirrored twice.
ALTER TABLE "review_threads" ADD COLUMN "mirrored_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
GRANT SELECT (purpose) ON outbox TO app_system;
