import type { Product } from "./product.ts";
import type { StaffLanguage } from "./staff-language.ts";
import type { Signal } from "./store/signals.ts";

type Hearing = Pick<Product, "signals" | "queue" | "outbound" | "resolver" | "models" | "edges">;

/** What this process does when a process on the database, also itself, says something. */
export function hearSignals(product: Hearing, language: StaffLanguage): Promise<void> {
  const { signals, queue, outbound, resolver, models, edges } = product;
  const offerMenus = () => {
    for (const edge of edges) void edge.offerMenu?.();
  };
  return signals.start({
    onSignal(signal: Signal) {
      switch (signal.kind) {
        case "jobs":
          return queue.wakeLane(signal.lane, signal.afterMs);
        case "delivery":
          return outbound.wake();
        case "tools":
          models.forgetKeys(signal.tenantId);
          return resolver.invalidateToolsFor(signal.tenantId);
        case "office":
          language.heard(signal);
          return offerMenus();
        case "models":
          return void models.reload();
        case "models_file":
          return void models.followFile();
        default:
          return signal satisfies never;
      }
    },
    onGap() {
      queue.wake();
      outbound.wake();
      resolver.invalidateAll();
      models.forgetKeys(null);
      void models.followFile();
      void models.reload();
      language.read().then(offerMenus, () => {}); // a sweep reads it again
    },
  });
}
