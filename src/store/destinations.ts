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

/** A chat serves a purpose once; naming it again moves it to the given bot account. */
export async function upsertDestination(tx: Tx, destination: NewDestination): Promise<void> {
  const { now, ...row } = destination;
  await tx
    .insert(destinations)
    .values({ id: newId(), ...row, createdAt: now })
    .onConflictDoUpdate({
      target: [
        destinations.tenantId,
        destinations.messenger,
        destinations.chatId,
        destinations.purpose,
      ],
      set: { channelId: row.channelId },
    });
}
