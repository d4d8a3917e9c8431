import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../support/engines.ts";
import { type DeskProcess, openDeskProcess } from "../desk-process.ts";
import { buildFaultyProduct } from "./faulty-build.ts";

const LOOK_EVERY_MS = 20;
/** What comes by itself comes within this time: a seal, a heartbeat. */
const COMES_BY_ITSELF_MS = 6_000;
const DIES_WITHIN_MS = 90_000;

/** The product in a process that can be killed at a named point of its code. */
export interface FaultyHouse {
  desk: DeskProcess;
  /** `kill -9` the next time the point is reached. */
  arm(point: string): void;
  disarm(): void;
  /** Points reached since the last call. */
  reached(): Set<string>;
  /** True when it died; false when everything came to rest without that. */
  diedOrRested(): Promise<boolean>;
  close(): Promise<void>;
}

export async function openFaultyHouse(engine: Engine): Promise<FaultyHouse> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-faults-"));
  const log = join(folder, "reached");
  writeFileSync(log, "");
  const build = buildFaultyProduct(folder);
  const desk = await openDeskProcess(engine, { ...build, more: { FAULT_DIR: folder } });
  return {
    desk,
    arm: (point) => writeFileSync(join(folder, "armed"), point),
    disarm: () => rmSync(join(folder, "armed"), { force: true }),
    reached() {
      const points = new Set(readFileSync(log, "utf8").split("\n").filter(Boolean));
      writeFileSync(log, "");
      return points;
    },
    diedOrRested: () => diedOrRested(desk),
    async close() {
      await desk.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function diedOrRested(desk: DeskProcess): Promise<boolean> {
  const giveUpAt = Date.now() + DIES_WITHIN_MS;
  let restsSince: number | null = null;
  while (Date.now() < giveUpAt) {
    if (desk.isGone()) return true;
    const now = Date.now();
    const rests = await desk.world.get<{ idle: boolean }>("idle?timeout_ms=200").catch(() => null);
    restsSince = rests?.idle ? (restsSince ?? now) : null;
    if (restsSince !== null && now - restsSince > COMES_BY_ITSELF_MS) return desk.isGone();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("neither dead nor at rest");
}
