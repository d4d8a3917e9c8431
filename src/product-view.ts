import { presentTrace } from "./admin/routes/conversations.ts";
import { DEFAULT_TENANT } from "./bootstrap.ts";
import type { ProductView } from "./domain/product-view.ts";
import type { Clock } from "./lib/clock.ts";
import { conversationTrace } from "./store/conversation-trace.ts";
import { type Db, withTenant } from "./store/db.ts";
import { findOpenWork } from "./store/due-work.ts";

/** Work due within this much product time keeps the product from being idle. */
const SOON_MS = 5_000;

/** What the sandbox sees of the product beside it. */
export function createProductView(deps: {
  db: Db;
  clock: Clock;
  onChange(listener: () => void): () => void;
  clockMoved(): Promise<void>;
  reset(): Promise<void>;
}): ProductView {
  const { db, clock } = deps;
  return {
    pending: () => findOpenWork(db, clock.now() + SOON_MS),
    async trace(conversationId) {
      const trace = await withTenant(db, DEFAULT_TENANT, (tx) =>
        conversationTrace(tx, { tenantId: DEFAULT_TENANT, conversationId }),
      );
      return trace === null ? null : presentTrace(trace);
    },
    onChange: deps.onChange,
    clockMoved: deps.clockMoved,
    reset: deps.reset,
  };
}
