import { setTimeout } from "node:timers/promises";
import { findOpenWork } from "../src/store/due-work.ts";
import type { House } from "./house.ts";

const LOOK_EVERY_MS = 20;
const LIMIT_MS = 60_000;

/** Until nothing is active or due: what follows a reply, like the end of its delivery, is over. */
export async function drained({ database, engine }: House): Promise<void> {
  const until = Date.now() + LIMIT_MS;
  for (;;) {
    const { waiting } = await findOpenWork(database.db, engine.clock.now());
    if (waiting.length === 0) return;
    if (Date.now() > until) throw new Error(`still at work after the last reply: ${waiting[0]}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}
