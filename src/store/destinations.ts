import { and, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Tx } from "./db.ts";
import { destinations } from "./schema/tenancy.ts";

export type DestinationPurpose = "operators" | "review" | "kyc";

export interface Destination {
  channelId: string;
  messenger: MessengerName;
  chatId: string;
}

export interface NewDestination extends Destination {
  tenantId: string;
  purpose: DestinationPurpose;
  now: number;
}

/** Chats that serve this purpose, oldest first. */
export function destinationsOf(
  tx: Tx,
  tenantId: string,
  purpose: DestinationPurpose,
): Promise<Destination[]> {
  return tx
    .select({
      channelId: destinations.channelId,
      messenger: destinations.messenger,
      chatId: destinations.chatId,
    })
    .from(destinations)
    .where(and(eq(destinations.tenantId, tenantId), eq(destinations.purpose, purpose)))
    .orderBy(destinations.createdAt, destinations.id);
}

export function listDestinations(tx: Tx, tenantId: string) {
  return tx
    .select()
    .from(destinations)
    .where(eq(destinations.tenantId, tenantId))
    .orderBy(destinations.createdAt, destinations.id);
}

export type KnownDestination = Awaited<ReturnType<typeof listDestinations>>[number];

/** By a person, so it stays. A chat serves a purpose once; again moves it to this bot account. */
export async function upsertDestination(tx: Tx, destination: NewDestination): Promise<void> {
  const { now, ...row } = destination;
  await tx
    .insert(destinations)
    .values({ id: newId(), ...row, source: "setup", createdAt: now })
    .onConflictDoUpdate({
      target: ONCE,
      set: { channelId: row.channelId, source: "setup" },
    });
}

const ONCE = [
  destinations.tenantId,
  destinations.messenger,
  destinations.chatId,
  destinations.purpose,
];

export type NamedDestination = Destination & { purpose: DestinationPurpose };

/** What the environment names: added when new, removed when it came from there and is gone. */
export async function applyNamedDestinations(
  tx: Tx,
  { tenantId, named, now }: { tenantId: string; named: readonly NamedDestination[]; now: number },
): Promise<void> {
  const before = await listDestinations(tx, tenantId);
  for (const row of before)
    if (row.source === "environment" && !named.some((one) => isNamedBy(row, one)))
      await tx
        .delete(destinations)
        .where(and(eq(destinations.tenantId, tenantId), eq(destinations.id, row.id)));
  for (const one of named) {
    const hasMoved = before.some((row) => row.chatId !== one.chatId && isNamedBy(row, one));
    if (hasMoved) continue; // its successor stands for it
    const { messenger, channelId, chatId, purpose } = one;
    await tx
      .insert(destinations)
      .values({
        ...{ id: newId(), tenantId, messenger, channelId, chatId, purpose },
        ...{ source: "environment", createdAt: now },
      })
      .onConflictDoUpdate({ target: ONCE, set: { channelId, movedFrom: null } });
  }
}

/** Under its own id, or under the one that it had before its chat moved. */
export function isNamedBy(
  row: Omit<NamedDestination, "channelId"> & { movedFrom: string | null },
  named: Omit<NamedDestination, "channelId">,
): boolean {
  return (
    row.messenger === named.messenger &&
    row.purpose === named.purpose &&
    (row.chatId === named.chatId || row.movedFrom === named.chatId)
  );
}
