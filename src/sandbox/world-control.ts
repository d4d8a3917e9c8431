import { Hono } from "hono";
import { z } from "zod";
import { playedFault } from "../domain/played-world.ts";
import type { ProductView } from "../domain/product-view.ts";
import { parseInput, readBody } from "./control-body.ts";
import { streamEvents } from "./event-stream.ts";
import { waitForIdle } from "./idle.ts";
import { playground } from "./page/playground.ts";
import type { World, WorldPart } from "./world.ts";

/** What `/sandbox/world` and its like work with. */
export interface WorldControlOptions {
  world: World;
  parts: readonly WorldPart[];
  env(): Record<string, string>;
  /** Undefined when the emulators run alone. */
  product(): ProductView | undefined;
  /** Ends what is still open when the sandbox stops. */
  closing: AbortController;
}

/** The part of the control API that belongs to no single service. */
export function worldControl(options: WorldControlOptions): Hono {
  const { world, parts } = options;
  const app = new Hono();
  app.route("/", playground(options));
  app.get("/sandbox/api/info", (context) => context.json({ env: options.env() }));
  app.get("/sandbox/api/faults", (context) => context.json(world.faults.list()));
  app.post("/sandbox/api/faults", async (context) => {
    world.journal.append("fault.set", await readBody(context, playedFault));
    return context.json({ ok: true, faults: world.faults.list() });
  });
  app.post("/sandbox/api/clock", async (context) => {
    const { advance_s } = await readBody(context, clockSchema);
    const offset_ms = world.clock.offsetMs + Math.round(advance_s * 1000);
    world.journal.append("world.clock", { advance_s, offset_ms });
    await options.product()?.clockMoved();
    return context.json({ ok: true, now: world.clock.now(), offset_ms: world.clock.offsetMs });
  });
  app.get("/sandbox/api/idle", async (context) => {
    const { timeout_ms } = parseInput(idleSchema, context.req.query());
    const product = options.product();
    const signal = AbortSignal.any([context.req.raw.signal, options.closing.signal]);
    const state = await waitForIdle(
      { journal: world.journal, parts, product },
      { timeoutMs: timeout_ms, signal },
    );
    const scope = product ? {} : { scope: "world" };
    if (state.waiting.length > 0) {
      return context.json({ idle: false, waiting: state.waiting, ...scope }, 408);
    }
    return context.json({ idle: true, next_due_at: state.nextDueAt, ...scope });
  });
  app.post("/sandbox/api/reset", async (context) => {
    world.journal.append("world.reset", {});
    await options.product()?.reset();
    return context.json({ ok: true });
  });
  app.get("/sandbox/api/events", (context) =>
    streamEvents(context, { journal: world.journal, ...options }),
  );
  return app;
}

const clockSchema = z.strictObject({
  advance_s: z
    .number()
    .min(0)
    .max(10 * 365 * 86_400), // ten years
});

const idleSchema = z.object({
  timeout_ms: z.coerce.number().int().min(0).max(600_000).default(30_000),
});
