import { defineConfig } from "vitest/config";

/** Two cores and a few embedded databases in memory: more workers only wait for each other. */
const WORKERS = 2;
/** Most of their time they wait for a messenger's minute or a lease to pass. */
const PATIENT_WORKERS = 3;
/** A played group takes twenty posts a minute: what comes after waits for the next minute. */
const BUSY_MINUTE_MS = 90_000;

// quick ones first; a group begins when the one before it has ended
export default defineConfig({
  test: {
    projects: [
      project("unit", { order: 0, limitMs: 10_000 }),
      project("edges", { order: 1, limitMs: 60_000 }),
      project("db", { order: 2, limitMs: 120_000 }),
      project("flows", { order: 3, limitMs: 180_000, workers: PATIENT_WORKERS }),
      project("page", { order: 4, limitMs: 180_000 }),
      // on a server the lease of a killed process lasts up to 90 s
      project("process", { order: 5, limitMs: 300_000, workers: PATIENT_WORKERS }),
      // by `npm run test:crash` alone: an hour of kills
      project("crash", { order: 6, limitMs: 600_000 }),
    ],
  },
});

interface Group {
  order: number;
  limitMs: number;
  workers?: number;
}

function project(name: string, { order, limitMs, workers = WORKERS }: Group) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      testTimeout: limitMs,
      // how long `expect.poll` waits for what must become true
      expect: { poll: { timeout: Math.min(limitMs / 2, BUSY_MINUTE_MS) } },
      hookTimeout: limitMs,
      maxWorkers: workers,
      sequence: { groupOrder: order },
    },
  };
}
