import { mkdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import type { Duplex } from "node:stream";
import { Hono } from "hono";
import type { ProductView } from "../domain/product-view.ts";
import type { ShiftableClock } from "../lib/clock.ts";
import { ControlError } from "./control-body.ts";
import { createFaults } from "./faults.ts";
import { openJournal, type WorldEvent } from "./journal.ts";
import { findRefusal, loopbackGuard } from "./loopback-guard.ts";
import type { World, WorldPart } from "./world.ts";
import { worldControl } from "./world-control.ts";

/** `product`: may be attached later, as it needs the sandbox's addresses first. */
export interface SandboxOptions {
  /** The journal and the files lie in `<dataDir>/sandbox`. */
  dataDir: string;
  clock: ShiftableClock;
  /** Where the server that mounts `app` can be reached, like `http://127.0.0.1:3000`. */
  origin(): string;
  makeParts(world: World): WorldPart[];
  product?: ProductView;
}

/** The whole played outside; it answers the loopback interface alone. */
export interface Sandbox {
  world: World;
  /** Mount at `/`; serves `/sandbox` and what lies below. */
  app: Hono;
  /** Takes every upgrade of the server; closes those that no part wants. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Variables that point a bot in another process at the emulators. */
  env(): Record<string, string>;
  /** The product is usually made after the sandbox, because it needs `env()`. */
  attachProduct(product: ProductView): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The played outside world: one journal, the emulated services, and the API that moves them. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock } = options;
  const { world, parts, stopListening } = openWorld(options);
  const closing = new AbortController();
  let product = options.product;
  const env = () => Object.assign({}, ...parts.map((part) => part.env(options.origin())));
  const app = new Hono();
  app.use("/sandbox", loopbackGuard());
  app.use("/sandbox/*", loopbackGuard());
  app.onError((error, context) => {
    if (error instanceof ControlError) return context.json(error.toBody(), error.status);
    return context.json({ error: { code: "internal", message: error.message } }, 500);
  });
  app.route("/", worldControl({ world, parts, env, product: () => product, closing }));
  for (const part of parts) mountPart(app, part);
  return {
    world,
    app,
    env,
    handleUpgrade: (request, socket, head) => routeUpgrade(parts, { request, socket, head }),
    attachProduct(view) {
      product = view;
    },
    async start() {
      for (const part of parts) await part.start?.();
    },
    async stop() {
      closing.abort();
      for (const part of parts) await part.stop?.();
      stopListening();
      world.journal.close();
    },
  };

  function openWorld({ dataDir, makeParts }: SandboxOptions) {
    const folder = resolve(dataDir, "sandbox");
    const filesDir = join(folder, "files");
    mkdirSync(filesDir, { recursive: true });
    const journal = openJournal({ file: join(folder, "journal.jsonl"), now: () => clock.now() });
    const faults = createFaults(journal);
    const opened: World = { journal, clock, faults, filesDir };
    const made = makeParts(opened);
    const apply = (event: WorldEvent) => {
      restoreClock(clock, event);
      faults.apply(event);
      for (const part of made) part.apply(event);
    };
    for (const event of journal.events) apply(event);
    return { world: opened, parts: made, stopListening: journal.onAppend(apply) };
  }
}

/** Played time never goes back: not over a restart, nor when the machine's clock was set back. */
function restoreClock(clock: ShiftableClock, event: WorldEvent): void {
  if (event.kind === "world.clock") {
    const { offset_ms } = event.data as { offset_ms: number }; // written by world-control
    clock.setOffset(Math.max(clock.offsetMs, offset_ms));
  }
  const behindMs = event.at - clock.now();
  if (behindMs > 0) clock.setOffset(clock.offsetMs + behindMs);
}

function mountPart(app: Hono, part: WorldPart): void {
  if (part.routes) app.route(`/sandbox/${part.name}`, part.routes);
  if (part.control) app.route(`/sandbox/api/${part.name}`, part.control);
  if (part.rootControl) app.route("/sandbox/api", part.rootControl);
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

function routeUpgrade(parts: readonly WorldPart[], { request, socket, head }: Upgrade): void {
  const path = (request.url ?? "").split("?")[0] ?? "";
  const part = parts.find(({ name }) => path.startsWith(`/sandbox/${name}/`));
  if (findRefusal(request)) refuseUpgrade(socket, "403 Forbidden");
  else if (part?.upgrade) part.upgrade(request, socket, head);
  else refuseUpgrade(socket, "404 Not Found");
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
