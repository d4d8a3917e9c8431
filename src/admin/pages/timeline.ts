import type { ShownTrace } from "./shown-trace.ts";
import { callEntries } from "./timeline-calls.ts";
import { deskEntries } from "./timeline-desk.ts";
import type { Entry, EntryKind, Telling } from "./timeline-entry.ts";
import { spokenEntries } from "./timeline-spoken.ts";

/** Entries of one run; `run` null: of no run (a card was posted, a person wrote, days passed). */
export interface Group {
  run: ShownTrace["runs"][number] | null;
  at: string;
  entries: Entry[];
}

/** Rows of one moment, in the order in which one leads to the next. */
const ORDER = new Map(
  (
    [
      "lead",
      "run",
      "staff",
      "event",
      "model",
      "candidate",
      "check",
      "gate",
      "approval",
      "vote",
      "execution",
      "outside",
      "retry",
      "error",
      "result",
      "deal",
      "handoff",
      "reply",
      "delivery",
      "feedback",
      "audit",
    ] satisfies EntryKind[]
  ).map((kind, index) => [kind, index]),
);

/** Everything of a conversation by time, run by run. */
export function timelineOf(trace: ShownTrace, telling: Telling): Group[] {
  const entries = [
    ...spokenEntries(trace, telling),
    ...callEntries(trace, telling),
    ...deskEntries(trace, telling),
  ].sort(byTime);
  const groups = new Map<string, Group>();
  let apart: Group | null = null;
  for (const entry of entries) {
    const run = trace.runs.find(({ id }) => id === entry.runId) ?? null;
    if (!run) {
      apart ??= { run: null, at: entry.at, entries: [] };
      apart.entries.push(entry);
      groups.set(`apart ${apart.at}`, apart);
      continue;
    }
    const group = groups.get(run.id);
    if (group) group.entries.push(entry);
    else {
      groups.set(run.id, { run, at: entry.at, entries: [entry] });
      apart = null; // what comes later without a run stands after this one
    }
  }
  return [...groups.values()];
}

function byTime(a: Entry, b: Entry): number {
  return a.at.localeCompare(b.at) || (ORDER.get(a.kind) ?? 0) - (ORDER.get(b.kind) ?? 0);
}
