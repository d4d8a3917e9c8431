import type { EdgeStatus, MessengerEdge } from "./bot/edge.ts";
import type { ProductBase } from "./product-base.ts";
import { createLeadership, type Leadership } from "./store/leadership.ts";

/** What takes events in: the edges of a process that has that role. */
export interface Intake {
  start(): void;
  stop(edge: MessengerEdge): Promise<void>;
  /** For /readyz: a process that leaves a bot account to another one is ready, too. */
  statusOf(edge: MessengerEdge): EdgeStatus;
}

/** An edge that only one process may start waits for its turn; the others are started at once. */
export function createIntake(
  base: Pick<ProductBase, "config" | "database" | "log">,
  edges: readonly MessengerEdge[],
): Intake {
  const { database, log } = base;
  const takes = base.config.role !== "worker";
  const turns = new Map<MessengerEdge, Leadership>();
  for (const edge of edges.filter((one) => one.isExclusive)) {
    const turn = createLeadership({
      database,
      task: `${edge.messenger.name}:${edge.messenger.channelId}`,
      onGained: () => edge.start(),
      onLost: () => edge.stop(),
      log,
    });
    turns.set(edge, turn);
  }
  return {
    start() {
      for (const edge of edges) (turns.get(edge) ?? edge).start();
    },
    stop: (edge) => (turns.get(edge) ?? edge).stop(),
    statusOf(edge) {
      if (!takes) return { ok: true, detail: "this process only sends" };
      const turn = turns.get(edge);
      if (turn && !turn.isLeader()) return { ok: true, detail: "another process takes events in" };
      return edge.status();
    },
  };
}
