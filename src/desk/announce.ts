import type { Card, Outgoing } from "../domain/messenger.ts";
import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "../store/outbox.ts";

/** One line to every chat of the operators: what concerns all of them is never done in silence. */
export function announce(tx: Tx, write: WriteOutgoing, text: string): Promise<void> {
  return toOperators(tx, write, { kind: "text", text });
}

/** The same where words of a client stand in it. */
export function announceCard(tx: Tx, write: WriteOutgoing, card: Card): Promise<void> {
  return toOperators(tx, write, { kind: "card", card });
}

async function toOperators(tx: Tx, write: WriteOutgoing, content: Outgoing): Promise<void> {
  const places = await destinationsOf(tx, write.tenantId, "operators");
  const rows = places.map(({ channelId, chatId }) => ({
    ...{ channelId, chatId, purpose: "notice" as const, content },
  }));
  await writeOutgoing(tx, write, rows);
}
