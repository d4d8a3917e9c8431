import type { ChatModel } from "../../domain/chat-model.ts";
import type { PoolChange } from "../../domain/model-desk.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { BrokerJournal } from "./journal.ts";
import type { KeyResolver } from "./keys.ts";
import type { ModelEntry } from "./models-file.ts";
import type { BrokerState } from "./state.ts";

/** What a broker is made of. */
export interface BrokerParts {
  /** Asked at each call: another list takes effect at once. */
  pool(): readonly ModelEntry[];
  keys: KeyResolver;
  state: BrokerState;
  journal: BrokerJournal;
  log: Log;
  /** Product time, for rows and how long they can be rated. */
  clock: Clock;
  /** Real time, milliseconds: cooldowns and limits go by it. */
  realNow(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Resolves after that time, or at the abort. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  newId(): string;
  /** Hears when the pool gets worse or well again, as the log does. */
  onPoolChange?(change: PoolChange): void;
  /** The client of one model with one key; left out: the one for OpenAI-compatible endpoints. */
  openClient?(entry: ModelEntry, key: string): ChatModel;
}
