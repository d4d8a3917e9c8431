import type { World } from "../world.ts";
import { type TelegramEventKind, type TelegramEvents, toJournalKind } from "./events.ts";
import type { TelegramState } from "./state.ts";

/** Limits of the platform; tests shorten them. */
export interface TelegramOptions {
  /** How long, in real time, the bot may take to answer a click. */
  callbackDeadlineMs: number;
  /** How long, in real time, the control call `buttons` waits for that answer. */
  buttonWaitMs: number;
  /** How long, in real time, the bot's server may take to answer a delivery. */
  webhookLimitMs: number;
}

/** What every method and control call of the emulator works with. */
export interface TelegramCore {
  world: World;
  state: TelegramState;
  options: TelegramOptions;
  /** Writes the event down; the state holds its effect when this returns. */
  emit<K extends TelegramEventKind>(kind: K, data: TelegramEvents[K]): void;
  /** Played time in seconds, as Telegram dates are. */
  date(): number;
  /** Real time in milliseconds, for the platform's own deadlines. */
  realNow(): number;
}

/** Keeps nothing of its own: the state is the journal's. */
export function createCore(
  world: World,
  state: TelegramState,
  options: TelegramOptions,
): TelegramCore {
  return {
    world,
    state,
    options,
    emit: (kind, data) => {
      world.journal.append(toJournalKind(kind), data);
    },
    date: () => Math.floor(world.clock.now() / 1000),
    realNow: () => world.clock.now() - world.clock.offsetMs,
  };
}
