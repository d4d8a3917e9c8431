import { and, eq, lt, lte, sql } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { Tx } from "./db.ts";
import { modelCooldowns, modelPlaces, modelRatings } from "./schema/runs.ts";

export type CooldownRow = typeof modelCooldowns.$inferSelect;
export type RatingRow = typeof modelRatings.$inferSelect;

export function allCooldowns(tx: Tx): Promise<CooldownRow[]> {
  return tx.select().from(modelCooldowns);
}

export function allRatings(tx: Tx): Promise<RatingRow[]> {
  return tx.select().from(modelRatings);
}

/** The later end wins, and the longer row of failures: two processes may have seen the same one. */
export async function keepCooldown(tx: Tx, row: CooldownRow): Promise<void> {
  const greatest = (name: "until" | "set_at" | "failures") =>
    sql.raw(`greatest(model_cooldowns.${name}, excluded.${name})`);
  await tx
    .insert(modelCooldowns)
    .values(row)
    .onConflictDoUpdate({
      target: modelCooldowns.key,
      set: {
        ...{ until: greatest("until"), setAt: greatest("set_at"), failures: greatest("failures") },
        ...{ cause: row.cause, returns: row.returns },
      },
    });
}

/** A cooldown that runs beyond `now` stays: it is of another, newer attempt. */
export async function dropCooldown(tx: Tx, key: string, now: number): Promise<void> {
  await tx
    .delete(modelCooldowns)
    .where(and(eq(modelCooldowns.key, key), lte(modelCooldowns.until, now)));
}

export async function dropAllCooldowns(tx: Tx): Promise<void> {
  await tx.delete(modelCooldowns);
}

/** Of keys and models that are long gone. */
export async function dropOldCooldowns(tx: Tx, before: number): Promise<void> {
  await tx.delete(modelCooldowns).where(lt(modelCooldowns.until, before));
}

/** A verdict, one that replaces `previous`, or one that is taken back (`score` null). */
export interface RatingChange {
  llmName: string;
  operation: string;
  score: number | null;
  previous: number | null;
}

/**
 * Adds it in one statement. Above `most` verdicts sum and count shrink together, so that newer ones
 * count more; what is replaced may have faded already.
 */
export async function changeRating(tx: Tx, change: RatingChange, most: number): Promise<void> {
  const { llmName, operation, score, previous } = change;
  const added = (score === null ? 0 : 1) - (previous === null ? 0 : 1);
  const gain = (score ?? 0) - (previous ?? 0);
  if (added === 0 && gain === 0) return;
  const count = sql`greatest(0, ${modelRatings.count} + ${added}::float8)`;
  const sum = sql`least(${count}, greatest(0, ${modelRatings.sum} + ${gain}::float8))`;
  const shrink = sql`least(1, ${most}::float8 / greatest(1, ${count}))`;
  await tx
    .insert(modelRatings)
    .values({ llmName, operation, sum: Math.max(0, gain), count: Math.max(0, added) })
    .onConflictDoUpdate({
      target: [modelRatings.llmName, modelRatings.operation],
      set: { sum: sql`(${sum}) * (${shrink})`, count: sql`(${count}) * (${shrink})` },
    });
}

/** Takes a place at a model with a cap; null: all are taken. Times are real. */
export async function takePlace(
  tx: Tx,
  wish: { llmName: string; most: number; now: number; until: number },
): Promise<string | null> {
  const { llmName, most, now, until } = wish;
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:place:${llmName}`}, 0))`,
  );
  await tx
    .delete(modelPlaces)
    .where(and(eq(modelPlaces.llmName, llmName), lt(modelPlaces.until, now)));
  const taken = await tx.$count(modelPlaces, eq(modelPlaces.llmName, llmName));
  if (taken >= most) return null;
  const id = newId();
  await tx.insert(modelPlaces).values({ id, llmName, until });
  return id;
}

export async function leavePlace(tx: Tx, id: string): Promise<void> {
  await tx.delete(modelPlaces).where(eq(modelPlaces.id, id));
}
