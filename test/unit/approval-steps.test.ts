import { describe, expect, it } from "vitest";
import {
  NEW_WAITING,
  nextStepAt,
  stepAfter,
  stepDue,
  type Waiting,
} from "../../src/domain/approval-steps.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 1, 9);

/** Plays all steps at their due times; gives what was done and when, minutes after the start. */
function played(expiresAt: number | null, most = 20): [string, number][] {
  const steps: [string, number][] = [];
  let waiting: Waiting = { ...NEW_WAITING, expiresAt };
  let at = nextStepAt(waiting, START);
  while (steps.length < most) {
    const kind = stepDue(waiting, at);
    steps.push([kind, (at - START) / MINUTE]);
    if (kind === "expire") return steps;
    waiting = afterStep(waiting, kind, at);
    at = stepAfter(waiting, { dueAt: at, now: at });
  }
  return steps;
}

function afterStep(waiting: Waiting, kind: string, at: number): Waiting {
  const remindersSent = waiting.remindersSent + 1;
  const escalatedAt = kind === "escalate" ? (waiting.escalatedAt ?? at) : waiting.escalatedAt;
  return { ...waiting, remindersSent, escalatedAt };
}

describe("the steps of a request that expires", () => {
  it("are reminders at 50 and 80 %, the escalation at 90 %, and the end", () => {
    expect(played(START + 100 * MINUTE)).toEqual([
      ["remind", 50],
      ["remind", 80],
      ["escalate", 90],
      ["expire", 100],
    ]);
  });

  it("stay in their order when all times are shifted", () => {
    const waiting = { ...NEW_WAITING, expiresAt: START + 100 * MINUTE };
    const first = nextStepAt(waiting, START) + 3 * HOUR;
    const shifted = { ...waiting, expiresAt: waiting.expiresAt + 3 * HOUR, remindersSent: 1 };
    const second = stepAfter(shifted, { dueAt: first, now: first });
    expect((second - START - 3 * HOUR) / MINUTE).toBe(80);
  });

  it("are not made up for when their times were missed", () => {
    const waiting = { ...NEW_WAITING, expiresAt: START + 100 * MINUTE };
    const late = START + 85 * MINUTE;
    expect(stepDue(waiting, late)).toBe("remind");
    const next = stepAfter(
      { ...waiting, remindersSent: 1 },
      { dueAt: START + 50 * MINUTE, now: late },
    );
    expect(next).toBeGreaterThan(late);
    expect(next).toBeLessThan(waiting.expiresAt);
  });

  it("are only the end once that is over", () => {
    const waiting = { ...NEW_WAITING, expiresAt: START + 100 * MINUTE };
    expect(stepDue(waiting, START + 100 * MINUTE)).toBe("expire");
  });
});

describe("the steps of a request that discharges received money", () => {
  it("never end and come ever more seldom, a day apart at most", () => {
    const steps = played(null, 9);
    expect(steps.map(([kind]) => kind)).toEqual([
      ...["remind", "remind"],
      ...new Array(7).fill("escalate"),
    ]);
    const waits = steps.map(([, at], index) => at - (steps[index - 1]?.[1] ?? 0));
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1440, 1440, 1440]);
  });
});

describe("the steps of a request that approves itself", () => {
  it("are only that", () => {
    const waiting = { ...NEW_WAITING, expiresAt: null, approvesItselfAt: START + 10 * MINUTE };
    expect(nextStepAt(waiting, START)).toBe(START + 10 * MINUTE);
    expect(stepDue(waiting, START + 10 * MINUTE)).toBe("approve_itself");
  });
});
