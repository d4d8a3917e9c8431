import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** One thing that happened in the played world. `kind` is noun first: `telegram.message`. */
export interface WorldEvent {
  /** Grows by one for ever, also over a reset. */
  seq: number;
  /** Played time, milliseconds. */
  at: number;
  kind: string;
  data: unknown;
}

/** The append-only memory of the played world; it outlives the process and a `kill -9`. */
export interface Journal {
  readonly events: readonly WorldEvent[];
  /** Writes the event to the file, then hands it to every listener, in order; synchronous. */
  append(kind: string, data: unknown): WorldEvent;
  /** Listeners run synchronously at each append. Returns the way to stop listening. */
  onAppend(listener: (event: WorldEvent) => void): () => void;
  close(): void;
}

/** Creates the file and its folder. `now`: played time, milliseconds, of new events. */
export function openJournal(options: { file: string; now: () => number }): Journal {
  mkdirSync(dirname(options.file), { recursive: true });
  const events = readEvents(options.file);
  const handle = openSync(options.file, "a");
  const listeners = new Set<(event: WorldEvent) => void>();
  let lastSeq = events.at(-1)?.seq ?? 0;
  return {
    events,
    append(kind, data) {
      lastSeq += 1;
      const event = { seq: lastSeq, at: options.now(), kind, data };
      writeSync(handle, `${JSON.stringify(event)}\n`);
      events.push(event);
      for (const listener of [...listeners]) listener(event);
      return event;
    },
    onAppend(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => closeSync(handle),
  };
}

/** A kill in the middle of a write leaves half a line at the end: it never happened, cut it off. */
function readEvents(file: string): WorldEvent[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf(10) + 1;
  if (whole < bytes.length) truncateSync(file, whole);
  return bytes
    .subarray(0, whole)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as WorldEvent); // our own file, written above
}
