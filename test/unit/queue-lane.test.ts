import { afterEach, expect, it } from "vitest";
import { Lane } from "../../src/queue/lane.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
let lane: Lane | undefined;
afterEach(() => lane?.stop(0));

/** A queue that gives these jobs once. */
function queueWith(ids: string[]) {
  const jobs = ids.map((id) => ({ id, data: { kind: "run" as const, tenantId: "t", id } }));
  return async (most: number) => jobs.splice(0, most);
}

function start(ids: string[], run: (id: string, signal: AbortSignal) => Promise<void>): Lane {
  const other = async () => {};
  const handlers = {
    run: (ref: { id: string }, signal: AbortSignal) => run(ref.id, signal),
    execution: other,
    approval: other,
    desk: other,
  };
  lane = new Lane({ take: queueWith(ids), name: "lane", width: 2, handlers, log });
  lane.start();
  return lane;
}

it("gives every job a signal of its own, so that listeners go with the job", async () => {
  const signals: AbortSignal[] = [];
  await new Promise<void>((resolve) => {
    start(["a", "b", "c"], async (id, signal) => {
      signals.push(signal);
      if (id === "c") resolve();
    });
  });
  expect(new Set(signals).size).toBe(3);
});

it("aborts the jobs that are still at work when its patience ends", async () => {
  const reached: string[] = [];
  await new Promise<void>((resolve) => {
    start(["a", "b"], (id, signal) => {
      const over = new Promise<void>((end) => {
        signal.addEventListener("abort", () => {
          reached.push(id);
          end();
        });
      });
      if (id === "b") resolve();
      return over;
    });
  });
  await lane?.stop(1);
  expect(reached.sort()).toEqual(["a", "b"]);
});
