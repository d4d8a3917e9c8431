import { ATTEMPTS_KEPT_MS } from "../../domain/model-attempt.ts";
import type { AttemptRow, BrokerJournal, CallFilter } from "./journal.ts";

const MOST_ROWS = 20_000;

/** A journal of this process alone; it keeps the newest rows. */
export function createMemoryJournal(most = MOST_ROWS): BrokerJournal {
  let rows: AttemptRow[] = [];
  return {
    async record(row) {
      rows.push({ ...row });
      const oldest = row.at - ATTEMPTS_KEPT_MS;
      const isOld = (rows[0]?.at ?? row.at) < oldest;
      // a tenth at a time: each row is moved rarely
      if (rows.length > most * 1.1 || isOld)
        rows = rows.filter(({ at }) => at >= oldest).slice(-most);
    },
    async calls(filter) {
      const found: AttemptRow[] = [];
      for (const row of newestFirst(rows)) {
        if (found.length >= filter.limit) break;
        if (matches(row, filter)) found.push({ ...row });
      }
      return found;
    },
    async setScore({ callId }, score) {
      const row = rows.findLast((one) => one.callId === callId);
      const previous = row?.score ?? null;
      if (row) row.score = score;
      return { previous };
    },
  };
}

function newestFirst(rows: readonly AttemptRow[]): AttemptRow[] {
  return rows.toReversed().sort((left, right) => right.at - left.at);
}

function matches(row: AttemptRow, { since, limit: _limit, ...wanted }: CallFilter): boolean {
  if (since !== undefined && row.at < since) return false;
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || row[name as keyof AttemptRow] === value, // of CallFilter
  );
}
