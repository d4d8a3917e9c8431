import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachEngine } from "../support/engines.ts";
import { type DeskProcess, openDeskProcess } from "./desk-process.ts";

const STOPPED = "the evals did not run: the bot was stopped meanwhile; start them again";
const RUNS = "/quality/evals/runs";

forEachEngine((engine) => {
  let desk: DeskProcess;
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), "evals-killed-"));
    desk = await openDeskProcess(engine, { more: { TMPDIR: dir } });
  });
  afterAll(async () => {
    await desk?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** What a lab or a snapshot lies in; the compiler's cache is beside it. */
  const left = () => readdirSync(dir).filter((name) => name.startsWith("countersign-"));

  async function startRun(): Promise<{ batch: string; worker: number }> {
    const { batch_id: batch } = await desk.admin(RUNS, {});
    await expect.poll(left).toHaveLength(1); // the lab is furnished and plays
    expect(left()).toEqual([expect.stringMatching(/^countersign-lab-/)]);
    const [worker] = livingProcesses().filter(
      ({ parent, command }) => parent === desk.pid() && command.includes("evals-worker"),
    );
    if (!worker) throw new Error("no process plays the evals");
    return { batch, worker: worker.id };
  }

  async function isTold(batch: string): Promise<void> {
    const path = `${RUNS}?batch=${batch}`;
    await expect.poll(async () => (await desk.admin(path)).items).toHaveLength(1);
    expect(await desk.admin(path)).toMatchObject({
      ...{ items: [{ case_name: null, passed: false, failure_reason: STOPPED }], running: null },
    });
    const { items } = await desk.admin("/quality/evals/batches");
    expect(items[0]).toMatchObject({ batch_id: batch, total: 0, error: STOPPED });
  }

  it("a kill in the middle of a run ends its process, leaves nothing on the disk, and is told", async () => {
    const { batch, worker } = await startRun();
    await desk.kill();
    await expect.poll(() => livingProcesses().map(({ id }) => id)).not.toContain(worker);
    expect(left()).toEqual([]);
    await desk.start();
    await isTold(batch);
  });

  it("so is a stop in the middle of a run; the next one can be made", async () => {
    const { batch, worker } = await startRun();
    await desk.stop();
    expect(livingProcesses().map(({ id }) => id)).not.toContain(worker);
    expect(left()).toEqual([]);
    await desk.start();
    await isTold(batch);
    await startRun();
    await desk.stop();
  });
});

/** Not those that have ended and that nobody has asked about. */
function livingProcesses(): { id: number; parent: number; command: string }[] {
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return listed.split("\n").flatMap((line) => {
    const [, id, parent, state = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return id && !state.startsWith("Z")
      ? [{ id: Number(id), parent: Number(parent), command }]
      : [];
  });
}
