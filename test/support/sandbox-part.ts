import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createClock } from "../../src/lib/clock.ts";
import { createFaults, type Fault } from "../../src/sandbox/faults.ts";
import { openJournal } from "../../src/sandbox/journal.ts";
import type { World, WorldPart } from "../../src/sandbox/world.ts";

export interface PlayedPart {
  world: World;
  part: WorldPart;
  origin: string;
  env: Record<string, string>;
  fault(fault: Fault): void;
  /** Calls the control API; `path` is below /sandbox/api. */
  control(path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  /** Closes everything and opens the same journal again, like a killed process. */
  restart(): Promise<PlayedPart>;
  close(): Promise<void>;
}

/** One emulated service over real HTTP with a journal of its own in a temporary folder. */
export async function playPart(
  create: (world: World) => WorldPart,
  folder = mkdtempSync(join(tmpdir(), "sandbox-part-")),
): Promise<PlayedPart> {
  const clock = createClock();
  const journal = openJournal({ file: join(folder, "journal.jsonl"), now: clock.now });
  const faults = createFaults(journal);
  const world: World = { journal, clock, faults, filesDir: folder };
  const part = create(world);
  const fold = (event: (typeof journal.events)[number]) => {
    faults.apply(event);
    part.apply(event);
  };
  for (const event of journal.events) fold(event);
  journal.onAppend(fold);
  await part.start?.();
  const { origin, closeServer } = await listen(part);
  const close = async () => {
    await part.stop?.();
    await closeServer();
    journal.close();
  };
  return {
    world,
    part,
    origin,
    env: part.env(origin),
    fault: (fault) => void journal.append("fault.set", fault),
    control: (path, body) => callControl(`${origin}/sandbox/api${path}`, body),
    async restart() {
      await close();
      return playPart(create, folder);
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listen(part: WorldPart): Promise<{ origin: string; closeServer(): Promise<void> }> {
  const app = new Hono();
  if (part.routes) app.route(`/sandbox/${part.name}`, part.routes);
  if (part.control) app.route(`/sandbox/api/${part.name}`, part.control);
  if (part.rootControl) app.route("/sandbox/api", part.rootControl);
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({
        origin: `http://127.0.0.1:${port}`,
        closeServer: () =>
          new Promise((done) => {
            server.close(() => done());
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      }),
    );
  });
}

async function callControl(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { headers: { "Content-Type": "application/json" }, ...init });
  return { status: answer.status, body: await answer.json() };
}
