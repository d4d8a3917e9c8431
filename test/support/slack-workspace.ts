import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { App, type Logger, LogLevel, webApi } from "@slack/bolt";
import { createClock, type ShiftableClock } from "../../src/lib/clock.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { createSlackPart } from "../../src/sandbox/slack/part.ts";
import type { WorldPart } from "../../src/sandbox/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of an HTTP API, looked into by tests
export type Answer = any;

export interface SlackWorkspace {
  origin: string;
  sandbox: Sandbox;
  clock: ShiftableClock;
  web: webApi.WebClient;
  /** An app with the real Bolt; it is connected when the promise resolves. */
  connect(prepare: (app: App) => void): Promise<App>;
  control(path: string, body?: unknown): Promise<Answer>;
  messages(channel: string): Promise<Answer[]>;
  waiting(): string[];
  fault(fault: Omit<Fault, "service">): void;
  /** Stops as a killed process does and opens the same journal again. */
  restart(): Promise<SlackWorkspace>;
  close(): Promise<void>;
}

export async function openWorkspace(
  options: { dataDir?: string; reactionLimitMs?: number } = {},
): Promise<SlackWorkspace> {
  const { dataDir = mkdtempSync(join(tmpdir(), "slack-workspace-")), reactionLimitMs } = options;
  const clock = createClock();
  let origin = "";
  let part: WorldPart | undefined;
  const sandbox = createSandbox({
    dataDir,
    clock,
    origin: () => origin,
    makeParts: (world) => {
      part = createSlackPart(world, { origin: () => origin, reactionLimitMs });
      return [part];
    },
  });
  const server = createAdaptorServer({ fetch: sandbox.app.fetch, hostname: "127.0.0.1" });
  server.on("upgrade", (request, socket, head) => sandbox.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await sandbox.start();
  const env = sandbox.env();
  const apps: App[] = [];
  const quiet = { slackApiUrl: env.SLACK_API_URL ?? "", retryConfig: { retries: 0 } };
  const silent = { logger: silentLogger };

  const control = async (path: string, body?: unknown): Promise<Answer> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${origin}/sandbox/api/${path}`, init);
    return answer.json();
  };
  const stop = async (): Promise<void> => {
    for (const app of apps.splice(0)) await app.stop();
    await sandbox.stop();
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    origin,
    sandbox,
    clock,
    web: new webApi.WebClient(env.SLACK_BOT_TOKEN, {
      ...quiet,
      ...silent,
      rejectRateLimitedCalls: true,
    }),
    async connect(prepare) {
      const app = new App({
        token: env.SLACK_BOT_TOKEN,
        appToken: env.SLACK_APP_TOKEN,
        socketMode: true,
        ...silent,
        clientOptions: { ...quiet },
        installerOptions: {
          clientOptions: {
            slackApiUrl: quiet.slackApiUrl,
            ...silent,
            retryConfig: { retries: 100, minTimeout: 50, maxTimeout: 200 },
          },
        },
      });
      prepare(app);
      apps.push(app);
      await app.start();
      return app;
    },
    control,
    messages: (channel) => control(`slack/channels/${channel}/messages`),
    waiting: () => part?.waiting() ?? [],
    fault: (fault) =>
      void sandbox.world.journal.append("fault.set", { service: "slack", ...fault }),
    async restart() {
      await stop();
      return openWorkspace({ dataDir, reactionLimitMs });
    },
    async close() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Cut connections and refused calls are what these tests are about. */
const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => LogLevel.ERROR,
};
