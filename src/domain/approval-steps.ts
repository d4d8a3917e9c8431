/** What becomes due while people have not decided. */
export type StepKind = "remind" | "escalate" | "expire" | "approve_itself";

export interface Waiting {
  /** Product time; null: it is about money that came in or is said to have, and does not expire. */
  expiresAt: number | null;
  remindersSent: number;
  escalatedAt: number | null;
  /** One admin alone asked for it: it takes effect then, unless somebody cancels it. */
  approvesItselfAt: number | null;
}

/**
 * Of a request whose waiting begins. `expiresAt` is the caller's to give: the policy, or the
 * installation, says how long.
 */
export const NEW_WAITING: Omit<Waiting, "expiresAt"> = {
  remindersSent: 0,
  escalatedAt: null,
  approvesItselfAt: null,
};

const REMINDERS = 2;
const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;

/** The step that is due at `now`: what is over ends, however many steps were missed. */
export function stepDue(waiting: Waiting, now: number): StepKind {
  const { expiresAt, approvesItselfAt } = waiting;
  if (approvesItselfAt !== null && approvesItselfAt <= now) return "approve_itself";
  if (expiresAt !== null && expiresAt <= now) return "expire";
  if (waiting.remindersSent < REMINDERS) return "remind";
  if (expiresAt === null || waiting.escalatedAt === null) return "escalate";
  return "expire";
}

/**
 * When the next step is due after one at `from` (its own due time, or the creation). Reckoned from
 * what is left until the end, so that a shift of all times changes nothing.
 */
export function nextStepAt(waiting: Waiting, from: number): number {
  const { expiresAt, remindersSent, escalatedAt, approvesItselfAt } = waiting;
  if (approvesItselfAt !== null) return approvesItselfAt;
  if (expiresAt === null) return from + Math.min(DAY_MS, HALF_HOUR_MS * 2 ** remindersSent);
  if (escalatedAt !== null) return expiresAt;
  return Math.ceil(from + (expiresAt - from) * partOfRest(remindersSent));
}

/** Of the whole time: 50 %, then 80 %, and the escalation at 90 %. */
function partOfRest(remindersSent: number): number {
  if (remindersSent === 0) return 1 / 2;
  return remindersSent === 1 ? 3 / 5 : 1 / 2;
}

/** The same after a step that came late: what was missed meanwhile is not made up for. */
export function stepAfter(waiting: Waiting, step: { dueAt: number; now: number }): number {
  const onTime = nextStepAt(waiting, step.dueAt);
  return onTime > step.now ? onTime : nextStepAt(waiting, step.now);
}
