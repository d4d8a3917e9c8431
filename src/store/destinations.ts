import { and, eq } from "drizzle-orm";
import { newId } from "../domain/ids.ts";
import type { MessengerName } from "../domain/inbound.ts";
import type { Verified } from "../domain/verified.ts";
import { type AuditRow, writeAudit } from "./audit.ts";
import type { Tx } from "./db.ts";
import { macOf, verified, verifiedRows } from "./row-mac.ts";
import { destinations } from "./schema/tenancy.ts";

/** What staff read in a chat: requests, threads of conversations, or identity documents. */
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
export async function destinationsOf(
  tx: Tx,
  tenantId: string,
  purpose: DestinationPurpose,
): Promise<Destination[]> {
  const rows = await tx
    .select()
    .from(destinations)
    .where(and(eq(destinations.tenantId, tenantId), eq(destinations.purpose, purpose)))
    .orderBy(destinations.createdAt, destinations.id);
  return verifiedRows(tx, TABLE, rows).map(({ channelId, messenger, chatId }) => ({
    channelId,
    messenger,
    chatId,
  }));
}

/** Without those that something else than the product wrote: they get no card. */
export async function listDestinations(
  tx: Tx,
  tenantId: string,
): Promise<Verified<KnownDestination>[]> {
  const rows = await tx
    .select()
    .from(destinations)
    .where(eq(destinations.tenantId, tenantId))
    .orderBy(destinations.createdAt, destinations.id);
  return verifiedRows(tx, TABLE, rows);
}

/** A chat of the staff's, with the account that may write there. */
export type KnownDestination = typeof destinations.$inferSelect;

const TABLE = "destinations";

/** By a person, so it stays. A chat serves a purpose once; again moves it to this bot account. */
export async function upsertDestination(tx: Tx, destination: NewDestination): Promise<void> {
  const { now, ...place } = destination;
  await put(tx, { ...place, now }, (before) => ({
    ...{ channelId: place.channelId, source: "setup" as const },
    movedFrom: before?.movedFrom ?? null,
  }));
}

type Serving = Pick<KnownDestination, "channelId" | "source" | "movedFrom">;

/** A row that somebody else wrote is written anew, whole: nothing of it is kept. */
async function put(
  tx: Tx,
  place: NewDestination,
  serving: (before: KnownDestination | null) => Serving,
): Promise<void> {
  const { tenantId, messenger, chatId, purpose, now } = place;
  const row = { id: newId(), tenantId, messenger, chatId, purpose, ...serving(null) };
  const added = await tx
    .insert(destinations)
    .values({ ...row, mac: macOf(tx, TABLE, row), createdAt: now })
    .onConflictDoNothing()
    .returning({ id: destinations.id });
  if (added.length > 0) return;
  const [before] = await tx.select().from(destinations).where(isPlace(place)).for("update");
  if (!before) return; // it was removed at this moment
  await write(tx, before, serving(verified(tx, TABLE, before)));
}

export async function changeDestination(
  tx: Tx,
  before: Verified<KnownDestination>,
  set: Partial<Serving & Pick<KnownDestination, "chatId">>,
): Promise<void> {
  await write(tx, before, set);
}

async function write(
  tx: Tx,
  before: KnownDestination,
  set: Partial<KnownDestination>,
): Promise<void> {
  const mac = macOf(tx, TABLE, { ...before, ...set });
  await tx
    .update(destinations)
    .set({ ...set, mac })
    .where(and(eq(destinations.tenantId, before.tenantId), eq(destinations.id, before.id)));
}

/** False: the chat did not serve this purpose. */
export async function removeDestination(
  tx: Tx,
  place: Omit<NewDestination, "channelId" | "now">,
): Promise<boolean> {
  const removed = await tx
    .delete(destinations)
    .where(isPlace(place))
    .returning({ id: destinations.id });
  return removed.length > 0;
}

/** A chat serves a purpose once. */
function isPlace(place: Omit<NewDestination, "channelId" | "now">) {
  return and(
    eq(destinations.tenantId, place.tenantId),
    eq(destinations.messenger, place.messenger),
    eq(destinations.chatId, place.chatId),
    eq(destinations.purpose, place.purpose),
  );
}

export type NamedDestination = Destination & { purpose: DestinationPurpose };

/** What a start is about to add and has taken away. */
async function noteNamed(
  tx: Tx,
  before: readonly KnownDestination[],
  { tenantId, named, now }: { tenantId: string; named: readonly NamedDestination[]; now: number },
): Promise<void> {
  const added = named.filter((one) => !before.some((row) => isNamedBy(row, one)));
  const removed = before.filter(
    (row) => row.source === "environment" && !named.some((one) => isNamedBy(row, one)),
  );
  const row = (
    eventType: "destination.set" | "destination.removed",
    { messenger, chatId, purpose }: Omit<NamedDestination, "channelId">,
  ): AuditRow => ({
    ...{ tenantId, userId: "environment", createdAt: now, eventType },
    summary: `${messenger} ${chatId} ${eventType === "destination.set" ? "serves" : "no longer serves"} ${purpose}`,
    refs: { via: messenger, chat: chatId, purpose },
  });
  await writeAudit(tx, [
    ...removed.map((one) => row("destination.removed", one)),
    ...added.map((one) => row("destination.set", one)),
  ]);
}

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
  await noteNamed(tx, before, { tenantId, named, now });
  for (const one of named) {
    const hasMoved = before.some((row) => row.chatId !== one.chatId && isNamedBy(row, one));
    if (hasMoved) continue; // its successor stands for it
    await put(tx, { ...one, tenantId, now }, (known) => ({
      ...{ channelId: one.channelId, movedFrom: null },
      source: known?.source ?? "environment",
    }));
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
