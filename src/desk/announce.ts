import type { Tx } from "../store/db.ts";
import { destinationsOf } from "../store/destinations.ts";
import { type WriteOutgoing, writeOutgoing } from "../store/outbox.ts";

/** One line to every chat of the operators: what concerns all of them is never done in silence. */
export async function announce(tx: Tx, write: WriteOutgoing, text: string): Promise<void> {
  const places = await destinationsOf(tx, write.tenantId, "operators");
  await writeOutgoing(
    tx,
    write,
    places.map(({ channelId, chatId }) => ({
      ...{ channelId, chatId, purpose: "notice" as const },
      content: { kind: "text" as const, text },
    })),
  );
}
