import { sql } from "drizzle-orm";
import { messageOf } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { Language } from "../domain/language.ts";
import type { Log } from "../lib/log.ts";
import type { Database } from "./database.ts";
import { afterCommit, beforeCommit, type Tx, withOwner } from "./db.ts";

/** What processes on one database tell each other. Losing one only costs time: there are nets. */
export type Signal =
  /** Jobs of a lane are there, or will be after `afterMs`. */
  | { kind: "jobs"; lane: string; afterMs: number }
  /** Rows were written that must be sent. */
  | { kind: "delivery" }
  /** Tools, secrets or rates of a tenant changed: what is cached of them is old. */
  | { kind: "tools"; tenantId: string }
  /** An office is called, or its staff is spoken to, in another way. */
  | { kind: "office"; tenantId: string; language: Language }
  /** A model cools, answers again or was judged. */
  | { kind: "models" }
  /** MODELS_FILE has been read anew by a process. */
  | { kind: "models_file" };

/** Hints between processes: whatever is lost is found by a sweep or at the next look. */
export interface Signals {
  /** Reaches every process, this one too, once the transaction is committed. */
  send(tx: Tx, signal: Signal): void;
  /** The same in a transaction of its own, for changes that are committed already. */
  sendNow(signal: Signal): void;
  /** `onGap`: what others said meanwhile may be lost, as after a broken connection. */
  start(listener: { onSignal(signal: Signal): void; onGap(): void }): Promise<void>;
  stop(): Promise<void>;
}

const CHANNEL = "countersign";

/** Within one process only: the embedded database has no others. On servers NOTIFY reaches all. */
export function createSignals(database: Database, log: Log): Signals {
  const origin = newId();
  const { db, listen } = database;
  let onSignal: (signal: Signal) => void = () => {};
  let stopListening = async () => {};
  return {
    send(tx, signal) {
      afterCommit(tx, () => onSignal(signal));
      const text = JSON.stringify({ origin, signal });
      if (listen) beforeCommit(tx, text, (at) => notify(at, text));
    },
    sendNow(signal) {
      onSignal(signal);
      if (!listen) return;
      const text = JSON.stringify({ origin, signal });
      withOwner(db, (tx) => notify(tx, text)).catch((error: unknown) =>
        log.warn({ kind: signal.kind, error: messageOf(error) }, "other processes were not told"),
      );
    },
    async start(listener) {
      onSignal = listener.onSignal;
      if (!listen) return;
      let connections = 0;
      stopListening = await listen(CHANNEL, {
        onMessage(text) {
          const said = JSON.parse(text) as { origin: string; signal: Signal }; // written above
          if (said.origin !== origin) listener.onSignal(said.signal); // one's own were heard already
        },
        onConnected() {
          connections += 1;
          if (connections > 1) listener.onGap();
        },
      });
    },
    async stop() {
      onSignal = () => {};
      await stopListening();
    },
  };
}

/** Equal texts of one transaction are delivered once. */
async function notify(tx: Tx, text: string): Promise<void> {
  await tx.execute(sql`select pg_notify(${CHANNEL}, ${text})`);
}
