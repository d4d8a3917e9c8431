import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: { name: "edges", include: ["test/edges/**/*.test.ts"], testTimeout: 60_000, maxWorkers: 2 },
      },
      {
        test: {
          name: "db",
          include: ["test/db/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "flows",
          include: ["test/flows/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        // children take the ports and folders they are given; a lease of a dead one lasts 90 s
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
