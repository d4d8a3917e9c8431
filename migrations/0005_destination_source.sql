-- Why: a chat that the environment named once, by mistake, went on getting cards for ever; and one that moved must not come back under its old id.
ALTER TABLE "destinations" ADD COLUMN "source" text DEFAULT 'setup' NOT NULL;--> statement-breakpoint
ALTER TABLE "destinations" ADD COLUMN "moved_from" text;