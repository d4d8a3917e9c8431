import { POOL_LEVELS, type PoolChange } from "../../domain/model-desk.ts";
import type { Log } from "../../lib/log.ts";
import { healthOf, isAllWell, type PoolLevel, type Sight } from "./sight.ts";

/** Says when the pool gets worse or well again: a line a change, not a call. */
export interface PoolWatch {
  /** `scope`: left out of the lines where it has no keys of its own. */
  note(scope: string | null, sight: Sight): void;
}

const COOLING_LINE_MS = 60_000;
const MOST_SCOPES = 1_000;

interface Noted {
  level: PoolLevel;
  coolingLineAt: number;
}

/** `onChange`: hears what the lines say. */
export function createPoolWatch(log: Log, onChange?: (change: PoolChange) => void): PoolWatch {
  const noted = new Map<string, Noted>();
  function tell(change: PoolChange): void {
    const { level, scope, ...counts } = change;
    say(log, level, scope === null ? counts : { ...counts, scope });
    onChange?.(change);
  }
  return {
    note(scope, sight) {
      const whose = sight.roster.hasOwnKeys ? (scope ?? "") : "";
      const before = noted.get(whose) ?? AT_FIRST;
      if (before.level === "full" && isAllWell(sight)) return;
      const { level, provenLevel, ...counts } = healthOf(sight);
      const next = changed(before, { level, provenLevel, now: sight.now });
      if (!next) return;
      noted.set(whose, next);
      const [oldest] = noted.keys();
      if (noted.size > MOST_SCOPES && oldest !== undefined) noted.delete(oldest);
      tell({ ...counts, level: next.level, scope: whose || null });
    },
  };
}

const AT_FIRST: Noted = { level: "full", coolingLineAt: Number.NEGATIVE_INFINITY };

/** null: there is nothing to say. Worse is said at once, well again only when it has answered. */
function changed(
  before: Noted,
  seen: { level: PoolLevel; provenLevel: PoolLevel; now: number },
): Noted | null {
  const { now } = seen;
  const isWorse = POOL_LEVELS.indexOf(seen.level) > POOL_LEVELS.indexOf(before.level);
  const level = isWorse ? seen.level : seen.provenLevel;
  if (!isWorse && POOL_LEVELS.indexOf(level) >= POOL_LEVELS.indexOf(before.level)) return null;
  if (level !== "all_cooling") return { ...before, level };
  return now - before.coolingLineAt < COOLING_LINE_MS ? null : { level, coolingLineAt: now };
}

function say(log: Log, level: PoolLevel, fields: object): void {
  const { line, how } = LINES[level];
  log[how](fields, line);
}

const LINES: Record<PoolLevel, { how: "info" | "warn" | "error"; line: string }> = {
  full: { how: "info", line: "the model pool is well again" },
  degraded: { how: "error", line: "the model pool is degraded: one provider is left" },
  all_cooling: { how: "warn", line: "all models are cooling down: calls wait or fail" },
  none: { how: "error", line: "no model is left: set or renew a key, or add a model" },
};
