import { createSecrets } from "../store/secrets.ts";
import { createTools, type ToolDeps } from "../tools/catalog.ts";

/** Names of all tools of this version; no tool that is made here ever runs. */
export function catalogNames(): string[] {
  return createTools(NOTHING_OUTSIDE).map(({ name }) => name);
}

/** For tools whose schemas are wanted, and which never run. */
export const NOTHING_OUTSIDE: ToolDeps = {
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
