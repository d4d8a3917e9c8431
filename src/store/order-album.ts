import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "./db.ts";
import { messages } from "./schema/chat.ts";
import { isTakenIn } from "./taken-in.ts";

export interface AlbumItem {
  tenantId: string;
  conversationId: string;
  externalId: string;
  album: string;
}

/**
 * Files of an album are messages of their own and may arrive in any order. Those that stand behind
 * the newcomer in the album get a new place after it, as long as nobody has acted on them.
 */
export async function orderAlbum(tx: Tx, added: AlbumItem): Promise<void> {
  const { tenantId, conversationId } = added;
  const rows = await tx
    .select({ id: messages.id, externalId: messages.externalId, seq: messages.seq })
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        eq(messages.author, "lead"),
        sql`${messages.media} @> ${JSON.stringify([{ album: added.album }])}::jsonb`,
      ),
    );
  const behind = rows
    .filter((row) => Number(row.externalId) > Number(added.externalId))
    .sort((left, right) => Number(left.externalId) - Number(right.externalId));
  if (behind.length === 0) return;
  const seq = Math.min(...behind.map((row) => row.seq));
  if (await isTakenIn(tx, { tenantId, conversationId, seq })) return;
  for (const { id } of behind)
    await tx.execute(
      sql`update messages set seq = default where tenant_id = ${tenantId} and id = ${id}`,
    );
}
