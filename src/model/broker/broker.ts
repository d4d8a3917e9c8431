import type { BrokerSnapshot } from "../../domain/model-desk.ts";
import type { BrokerSaid, ChatClient, Said } from "./chat-options.ts";
import { COMMON_OPERATION } from "./chat-options.ts";
import { createClients } from "./clients.ts";
import { type Conversing, converse } from "./converse.ts";
import { createDirect } from "./direct.ts";
import type { AttemptRow, CallFilter } from "./journal.ts";
import type { BrokerParts } from "./parts.ts";
import { createPoolWatch } from "./pool-watch.ts";
import { type RatedThing, recordQuality } from "./quality.ts";
import { snapshotOf } from "./snapshot.ts";
import { type ModelStats, statsOf } from "./stats.ts";

/** `scope` is not for the caller to say: a broker of a scope sees that scope alone. */
export type CallQuery = Partial<Omit<CallFilter, "scope">>;
export type StatsQuery = Pick<CallQuery, "since" | "operation" | "limit">;

/** Several models behind one `chat`, as the whole or as a scope of it sees them. */
export interface ScopedBroker extends ChatClient<BrokerSaid> {
  /** One model without failover and journal. */
  direct(llmName: string): ChatClient<Said>;
  /** A verdict from 0 to 1; see `recordQuality` of quality.ts. */
  recordQuality(score: number, thing: RatedThing): Promise<void>;
  /** Newest first; 100 unless `limit` says more. */
  calls(query?: CallQuery): Promise<AttemptRow[]>;
  /** Over the newest 1000 attempts unless `limit` says otherwise. `mayBeCut`: there may be more. */
  stats(query?: StatsQuery): Promise<{ models: ModelStats[]; mayBeCut: boolean }>;
  /** `operation`: of which the ratings are shown. */
  snapshot(operation?: string): Promise<BrokerSnapshot>;
}

/** All scopes together; rows without a scope are rated here. */
export interface Broker extends ScopedBroker {
  /**
   * The same pool with the keys of a tenant or a person, `ID/REF` before `REF`. Models, ratings and
   * parallel caps are shared, rows carry the scope. Asks nobody.
   */
  forScope(id: string): ScopedBroker;
}

export function createBroker(parts: BrokerParts): Broker {
  const by = {
    parts,
    clients: createClients(parts),
    watch: createPoolWatch(parts.log, parts.onPoolChange),
  };
  return {
    ...brokerOf(by, null),
    forScope(id) {
      if (!SCOPE.test(id))
        throw new RangeError("a scope wants 1 to 200 letters, digits and . : @ _ -");
      return brokerOf(by, id);
    },
  };
}

/** No slash: it parts scope and name of a key. */
const SCOPE = /^[\w.:@-]{1,200}$/;
const USUAL_CALLS = 100;
const USUAL_STATS = 1_000;

function brokerOf(by: Conversing, scope: string | null): ScopedBroker {
  const { parts } = by;
  const seen = scope === null ? {} : { scope };
  return {
    chat: (messages, options = {}) => converse(by, { messages, options, scope }),
    direct: (llmName) => createDirect(by, { llmName, scope }),
    recordQuality: (score, thing) => recordQuality(parts, score, { thing, scope }),
    async calls({ limit = USUAL_CALLS, ...query } = {}) {
      return parts.journal.calls({ ...query, ...seen, limit: wholeLimit(limit) });
    },
    async stats({ since, operation, limit = USUAL_STATS } = {}) {
      const most = wholeLimit(limit);
      const rows = await parts.journal.calls({ since, operation, ...seen, limit: most });
      return { models: statsOf(rows), mayBeCut: rows.length === most };
    },
    snapshot: (operation = COMMON_OPERATION) => snapshotOf(parts, { scope, operation }),
  };
}

function wholeLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1) return limit;
  throw new RangeError(`limit: wants a whole number from 1, got ${limit}`);
}
