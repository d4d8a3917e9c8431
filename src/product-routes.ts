import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Admin } from "./admin/app.ts";
import type { EdgeStatus, MessengerEdge } from "./bot/edge.ts";
import { messageOf } from "./domain/errors.ts";
import type { MessengerName } from "./domain/inbound.ts";
import type { Clock } from "./lib/clock.ts";
import type { OpenRedis } from "./queue/redis.ts";
import type { Db } from "./store/db.ts";
import { findOpenWork } from "./store/due-work.ts";
import { pingDatabase } from "./store/ping.ts";

/** What the routes answer from; none of it is started by them. */
export interface RouteDeps {
  db: Db;
  clock: Clock;
  admin: Admin;
  edges: readonly MessengerEdge[];
  /** What this process does with a bot account. */
  statusOf(edge: MessengerEdge): EdgeStatus;
  /** How many of its rights and tokens are not as they have to be. */
  problemsOf(edge: MessengerEdge): number;
  /** Providers of language models that can be asked now, with the keys that all share. */
  modelPool(): Promise<{ providersUsable: number; providersTotal: number }>;
  redis: Pick<OpenRedis, "status"> | null;
  /** Seeded, and every part started. */
  isReady(): boolean;
}

/** `/healthz`, `/readyz`, `/metrics`, the admin API, and where messengers deliver. */
export function productRoutes(deps: RouteDeps): Hono {
  const app = new Hono();
  const metrics = createMetrics(deps);
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/readyz", async (c) => {
    const parts = await partsOf(deps);
    const ok = deps.isReady() && Object.values(parts).every((part) => part.ok);
    return c.json({ ok, ...parts }, ok ? 200 : 503);
  });
  app.get("/metrics", async (c) => {
    c.header("Content-Type", metrics.contentType);
    return c.body(await metrics.metrics());
  });
  app.all("/api/admin/*", (c) => deps.admin.fetch(c.req.raw));
  app.get("/tools", (c) => c.redirect("/admin/tools"));
  for (const path of ["/admin", "/admin/*"])
    app.all(path, (c) => {
      const address = getConnInfo(c).remote.address ?? "unknown";
      return deps.admin.pages(c.req.raw, { address });
    });
  app.post("/telegram/webhook/:channel", (c) =>
    handOver(deps, c.req.raw, { name: "telegram", channelId: c.req.param("channel") }),
  );
  app.post("/slack/events", (c) => handOver(deps, c.req.raw, { name: "slack" }));
  return app;
}

/** What a messenger sends goes to the bot account it is meant for. */
function handOver(
  { edges }: RouteDeps,
  request: Request,
  to: { name: MessengerName; channelId?: string },
): Response | Promise<Response> {
  const edge = edges.find(
    ({ messenger: { name, channelId }, takeRequest }) =>
      takeRequest && name === to.name && channelId === (to.channelId ?? channelId),
  );
  if (edge?.takeRequest) return edge.takeRequest(request);
  const message = "No bot account here takes events at this address.";
  return Response.json({ error: { code: "not_found", message } }, { status: 404 });
}

interface Part {
  ok: boolean;
  detail: string;
}

async function partsOf(deps: RouteDeps): Promise<Record<string, Part>> {
  const parts: Record<string, Part> = { database: await databasePart(deps.db) };
  parts.queue = { ok: deps.isReady(), detail: deps.isReady() ? "working" : "starting" };
  for (const edge of deps.edges) parts[edge.messenger.name] = deps.statusOf(edge);
  if (deps.redis) parts.redis = deps.redis.status();
  return parts;
}

async function databasePart(db: Db): Promise<Part> {
  try {
    await pingDatabase(db);
    return { ok: true, detail: "answers" };
  } catch (error) {
    return { ok: false, detail: messageOf(error) };
  }
}

function createMetrics(deps: RouteDeps): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "countersign_open_work",
    help: "Runs, executions, messages and events that wait or are worked on",
    registers: [registry],
    async collect() {
      this.set((await findOpenWork(deps.db, deps.clock.now())).waiting.length);
    },
  });
  messengerGauges(deps, registry);
  new Gauge({
    name: "countersign_model_providers",
    help: "Providers of language models: configured, and those that can be asked now",
    labelNames: ["state"],
    registers: [registry],
    async collect() {
      const { providersUsable, providersTotal } = await deps.modelPool();
      this.set({ state: "total" }, providersTotal);
      this.set({ state: "usable" }, providersUsable);
    },
  });
  return registry;
}

function messengerGauges(deps: RouteDeps, registry: Registry): void {
  new Gauge({
    name: "countersign_messenger_ok",
    help: "1 while this process can work with the bot account, as /readyz tells",
    labelNames: ["messenger"],
    registers: [registry],
    collect() {
      for (const edge of deps.edges)
        this.set({ messenger: edge.messenger.name }, deps.statusOf(edge).ok ? 1 : 0);
    },
  });
  new Gauge({
    name: "countersign_messenger_problems",
    help: "Tokens refused, rights missing, staff chats that the bot is not in, as /readyz names them",
    labelNames: ["messenger"],
    registers: [registry],
    collect() {
      for (const edge of deps.edges)
        this.set({ messenger: edge.messenger.name }, deps.problemsOf(edge));
    },
  });
}
