import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { StartError } from "../domain/errors.ts";
import { createClock } from "../lib/clock.ts";
import { createSandbox } from "./server.ts";
import type { World, WorldPart } from "./world.ts";

/** `parts`: what is played. */
export interface StandaloneOptions {
  /** 0 takes a free port. */
  port: number;
  dataDir: string;
  parts(world: World, origin: () => string): WorldPart[];
}

/** `env`: variables that point a bot at it. */
export interface Standalone {
  origin: string;
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** The emulators alone, on the loopback interface, for a bot in another process. */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  let origin = "";
  const sandbox = createSandbox({
    dataDir: options.dataDir,
    clock: createClock(),
    origin: () => origin,
    makeParts: (world) => options.parts(world, () => origin),
  });
  const server = createServer(
    getRequestListener(sandbox.app.fetch, { overrideGlobalObjects: false }),
  );
  server.keepAliveTimeout = 75_000; // clients close a kept connection first
  server.on("upgrade", sandbox.handleUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portTaken(options.port) : error),
    );
    server.listen(options.port, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
  await sandbox.start();
  return {
    origin,
    env: sandbox.env(),
    async stop() {
      await sandbox.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function portTaken(port: number): StartError {
  return new StartError(
    `--port: ${port} is in use on 127.0.0.1; stop what uses it, or choose another --port`,
  );
}
