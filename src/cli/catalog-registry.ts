import { createSecrets } from "../store/secrets.ts";
import { createTools, type ToolDeps } from "../tools/catalog.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";

/** All tools of this version with their schemas; none that is made here ever runs. */
export function catalogRegistry(): Registry {
  return createRegistry(createTools(NOTHING_OUTSIDE));
}

/** For tools whose schemas are wanted, and which never run. */
const NOTHING_OUTSIDE: ToolDeps = {
  secrets: createSecrets(Buffer.alloc(32)),
  tronGrid: null,
  payouts: null,
  mail: null,
  searchKnowledge: () => Promise.resolve([]),
  guardLimits: { maxDeviationPct: "0", epsPct: "0" },
  txMaxAgeMs: 0,
  jobs: { enqueue: () => Promise.resolve(), wakeDelivery: () => {} },
  toolsChanged: () => {},
  sandbox: true,
};
