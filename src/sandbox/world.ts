import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Hono } from "hono";
import type { ShiftableClock } from "../lib/clock.ts";
import type { Faults } from "./faults.ts";
import type { Journal, WorldEvent } from "./journal.ts";
import type { ServiceName } from "./services.ts";

/** What every emulated service is built with. `clock` carries the played offset. */
export interface World {
  journal: Journal;
  clock: ShiftableClock;
  faults: Faults;
  /** Absolute folder for files of the played world (uploads). Exists. */
  filesDir: string;
}

/**
 * One emulated service. All its state is a fold over the journal: handlers call
 * `journal.append(kind, data)` (written to disk before it returns) and read the state that
 * `apply` made of it. `apply` must be deterministic: ids and times come from the event.
 */
export interface WorldPart {
  name: ServiceName;
  /** Called once for each event of the journal, past and new, of every service and `world.*`. */
  apply(event: WorldEvent): void;
  /** What the real service serves; mounted at `/sandbox/<name>`. */
  routes?: Hono;
  /** Playing the people and moving the world; mounted at `/sandbox/api/<name>` (see INTERFACES). */
  control?: Hono;
  /** Control paths that are not below the part's name; mounted at `/sandbox/api`. */
  rootControl?: Hono;
  /** WebSocket upgrades below `/sandbox/<name>`; the part checks the path. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Undelivered updates, envelopes, mail: short texts that name what keeps the world busy. */
  waiting(): string[];
  /** Variables that point a bot at this emulator. `origin` is like `http://127.0.0.1:3000`. */
  env(origin: string): Record<string, string>;
  start?(): Promise<void>;
  stop?(): Promise<void>;
}
