import { Hono } from "hono";
import { playFaults } from "../faults.ts";
import type { WorldEvent } from "../journal.ts";
import type { World, WorldPart } from "../world.ts";
import { type Connections, createConnections } from "./connections.ts";
import { createControl } from "./control.ts";
import { createCore, type SlackCore } from "./core.ts";
import { Delivery, makesWork, waitingEnvelopes } from "./delivery.ts";
import { createFileRoutes } from "./files.ts";
import { Refusal } from "./refusal.ts";
import { createResponseUrls, respond } from "./response-url.ts";
import type { Envelope, Json } from "./state.ts";
import { createWebApi } from "./web-api.ts";
import { APP_TOKEN, BOT_TOKEN, SIGNING_SECRET } from "./workspace.ts";

/** Tests shorten the limit; everything else is as in Slack. */
export interface SlackOptions {
  /** Where the server can be reached, like `http://127.0.0.1:3000`. */
  origin(): string;
  /** How long an acknowledgement may take and a trigger lives; Slack's three seconds if absent. */
  reactionLimitMs?: number;
}

const REACTION_LIMIT_MS = 3000;

/** Slack's Web API, Socket Mode and response_url, with the people of a small workspace. */
export function createSlackPart(world: World, options: SlackOptions): WorldPart {
  const { origin, reactionLimitMs = REACTION_LIMIT_MS } = options;
  const core = createCore(world, { origin, triggerLifeMs: reactionLimitMs });
  const connections: Connections = createConnections({
    onOpen: () => delivery.wake(),
    onMessage: (message) => delivery.onMessage(message),
    onClose: (connection) => delivery.onClose(connection),
  });
  const delivery = new Delivery({
    core,
    connections,
    ackLimitMs: reactionLimitMs,
    onAck: (envelope, payload) => answerCommand(core, envelope, payload),
  });
  const openSocket = (): string => {
    const url = new URL(connections.issueTicket(), options.origin());
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  };
  return {
    name: "slack",
    apply(event) {
      core.apply(event);
      if (makesWork(event)) delivery.wake();
      if (isDown(event)) connections.cut();
    },
    routes: createRoutes(core, openSocket),
    control: createControl(core, (reason) => connections.refresh(reason)),
    upgrade(request, socket, head) {
      if (world.faults.take("slack", ["down"])) socket.destroy();
      else connections.upgrade(request, socket, head);
    },
    waiting: () => waitingEnvelopes(core.state.envelopes.values()),
    env: (origin) => ({
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_APP_TOKEN: APP_TOKEN,
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: `${origin}/sandbox/slack/api/`,
      SLACK_OPERATOR_CHANNEL: "C0OPERATORS",
      SLACK_REVIEW_CHANNEL: "C0REVIEW",
      SLACK_ADMIN_IDS: "U0ADMIN",
      SLACK_OPERATOR_IDS: "U0ALICE,U0BOB",
    }),
    async stop() {
      delivery.stop();
      connections.close();
    },
  };
}

function createRoutes(core: SlackCore, openSocket: () => string): Hono {
  const routes = new Hono();
  routes.use(
    playFaults({
      faults: core.world.faults,
      service: "slack",
      errorBody: (status) => ({
        ok: false,
        error: status === 429 ? "ratelimited" : "internal_error",
      }),
      isPolling: (context) =>
        /\/(auth\.test|apps\.connections\.open|conversations\.info)$/.test(context.req.path),
    }),
  );
  routes.route("/", createWebApi(core, openSocket));
  routes.route("/", createResponseUrls(core));
  routes.route("/", createFileRoutes(core));
  return routes;
}

/** The acknowledgement of a command may carry its answer. */
function answerCommand(core: SlackCore, envelope: Envelope, payload: Json): void {
  const hook = core.state.hooks.get(envelope.hookId ?? "");
  if (hook?.kind !== "commands" || (!payload.text && !payload.blocks)) return;
  try {
    respond(core, hook, payload);
  } catch (error) {
    // the person sees nothing of an answer the service refuses
    if (!(error instanceof Refusal)) throw error;
  }
}

function isDown(event: WorldEvent): boolean {
  if (event.kind !== "fault.set") return false;
  const fault = event.data as { service?: string; kind?: string; count?: number }; // see faults.ts
  return fault.service === "slack" && fault.kind === "down" && (fault.count ?? 0) > 0;
}
