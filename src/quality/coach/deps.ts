import type { ShadowSummary } from "../../domain/quality.ts";
import type { StyleContent } from "../../domain/style.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Db } from "../../store/db.ts";
import type { ReplayDeps } from "../replay/replays.ts";

/**
 * Runs the tenant's evals twice, under the style as it is (null: none) and as it would be. Takes a
 * minute or more; throws when they could not be run.
 */
export type ShadowEvals = (input: {
  tenantId: string;
  before: StyleContent | null;
  after: StyleContent;
}) => Promise<ShadowSummary>;

/** What suggestions of a coach are made with. */
export interface CoachDeps {
  db: Db;
  clock: Clock;
  replay: Pick<ReplayDeps, "modelNamed">;
  /** Left out: this process cannot run evals. */
  shadowEvals?: ShadowEvals;
  log: { error(details: object, message: string): void };
}
