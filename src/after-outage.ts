import { DEFAULT_TENANT, tenantIds } from "./bootstrap.ts";
import type { MessengerEdge } from "./bot/edge.ts";
import { bringCardsUpToDate } from "./desk/cards-after-outage.ts";
import { messageOf } from "./domain/errors.ts";
import type { Product } from "./product.ts";
import type { ProductBase } from "./product-base.ts";
import { recentChats } from "./store/conversations.ts";
import { withTenant } from "./store/db.ts";
import type { Outage } from "./store/heartbeats.ts";

/** For a machine that slept or was off. */
export interface AfterOutage {
  /** Makes good what nobody could do meanwhile; comes back at once. */
  recover(outage: Outage): void;
  stop(): Promise<void>;
}

/** Cards of a shorter outage may name a minute too early. */
const WORTH_SHOWING_MS = 60_000;
const RECENT_CHATS = 200;

/** Failures are logged and not tried again: what it brings up to date is only what people see. */
export function createAfterOutage(
  base: Pick<ProductBase, "database" | "clock" | "log">,
  product: Pick<Product, "deskDeps" | "edges">,
): AfterOutage {
  const { log } = base;
  const giveUp = new AbortController();
  let current: Promise<unknown> = Promise.resolve();

  async function recover(outage: Outage): Promise<void> {
    const isShifted = outage.until - outage.from >= WORTH_SHOWING_MS;
    for (const tenantId of await tenantIds(base.database.db)) {
      if (giveUp.signal.aborted) return;
      await bringCardsUpToDate(product.deskDeps, { tenantId, isShifted });
    }
    for (const edge of product.edges) await readMissed(edge, outage);
  }

  async function readMissed(edge: MessengerEdge, outage: Outage): Promise<void> {
    if (!edge.catchUp || giveUp.signal.aborted) return;
    const { db } = base.database;
    const { channelId } = edge.messenger;
    const chatIds = await withTenant(db, DEFAULT_TENANT, (tx) =>
      recentChats(tx, { tenantId: DEFAULT_TENANT, channelId, limit: RECENT_CHATS }),
    );
    // the messengers' clock is the product's
    const sinceMs = base.clock.now() - (Date.now() - outage.from);
    const read = await edge.catchUp({ chatIds, sinceMs, signal: giveUp.signal });
    log.info({ messenger: edge.messenger.name, read }, "the chats' histories were read");
  }

  return {
    recover(outage) {
      current = current
        .then(() => recover(outage))
        .catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, "an outage could not be made good"),
        );
    },
    async stop() {
      giveUp.abort();
      await current;
    },
  };
}
