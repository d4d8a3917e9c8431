import { defineConfig } from "vitest/config";

/** Two cores and a few embedded databases in memory: more workers only wait for each other. */
const WORKERS = 2;

// quick ones first; a group begins when the one before it has ended
export default defineConfig({
  test: {
    projects: [
      project("unit", { order: 0, limitMs: 10_000 }),
      project("edges", { order: 1, limitMs: 60_000 }),
      project("db", { order: 2, limitMs: 120_000 }),
      project("flows", { order: 3, limitMs: 180_000 }),
      project("page", { order: 4, limitMs: 180_000 }),
      // on a server the lease of a killed process lasts up to 90 s
      project("process", { order: 5, limitMs: 300_000 }),
    ],
  },
});

function project(name: string, { order, limitMs }: { order: number; limitMs: number }) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      testTimeout: limitMs,
      // how long `expect.poll` waits for what must become true
      expect: { poll: { timeout: 20_000 } },
      hookTimeout: limitMs,
      maxWorkers: WORKERS,
      sequence: { groupOrder: order },
    },
  };
}
