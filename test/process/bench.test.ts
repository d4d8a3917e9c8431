import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runSuspend } from "../../bench/suspend.ts";
import { runTurns } from "../../bench/turns.ts";
import { type OwnDatabase, onServer } from "../support/engines.ts";

/** One client: with more, what several turns write together is one commit of the queue. */
const ONE_CLIENT = { concurrency: 1, turns: 2 };

onServer((engine) => {
  let own: OwnDatabase;
  beforeAll(async () => {
    own = await engine.open();
  });
  afterAll(() => own.drop());
  const database = () => own.url ?? undefined;

  describe("a turn of K rounds with P calls each", () => {
    it.each([
      [0, 1],
      [1, 1],
      [1, 2],
      [1, 4],
      [3, 1],
      [3, 2],
    ])(
      "K=%i, P=%i writes in 2 + 2K transactions, in 6 + 2K with intake, queue and delivery",
      async (rounds, parallel) => {
        const report = await runTurns({ rounds, parallel, ...ONE_CLIENT, database: database() });
        expect(report).toMatchObject({
          engine_commits_per_turn: 2 + 2 * rounds,
          commits_per_turn: 6 + 2 * rounds,
        });
      },
    );

    it("writes no more for calls that the budget of six does not let run", async () => {
      const options = { rounds: 3, parallel: 4, ...ONE_CLIENT, database: database() };
      const { engine_commits_per_turn, commits_per_turn } = await runTurns(options);
      expect([engine_commits_per_turn, commits_per_turn]).toEqual([7, 11]);
    });
  });

  describe("a call that waits for a person", () => {
    it("is parked and gone on with in six transactions", async () => {
      const report = await runSuspend({ approvals: 1, database: database() });
      expect(report).toMatchObject({
        ...{ suspend_commits: 1, resume_commits: 5, suspend_and_resume_commits: 6 },
      });
    });
  });
});

describe("npm run bench", () => {
  const bench = (...args: string[]) =>
    spawnSync(process.execPath, ["--import", "tsx", "bench/main.ts", ...args], {
      encoding: "utf8",
    });

  it("alone lists what there is", () => {
    const { status, stdout } = bench();
    expect(status).toBe(0);
    expect(stdout).toMatch(/bench -- turns .*\n.*\n.*bench -- suspend/);
  });

  it("explains itself with --help", () => {
    const { status, stdout } = bench("turns", "--help");
    expect([status, stdout.includes("--rounds K --parallel P")]).toEqual([0, true]);
  });

  it.each([
    [["speed"], /there is no bench "speed"/],
    [["turns", "--rounds", "4"], /--rounds: got "4", wants a whole number from 0 to 3/],
    [["turns", "--parallel", "many"], /--parallel: got "many"/],
    [["turns", "--fast"], /--fast/],
  ])("answers %j with one line and 2", (args, line) => {
    const { status, stdout, stderr } = bench(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(line);
  });
});
