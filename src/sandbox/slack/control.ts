import { Hono } from "hono";
import { z } from "zod";
import { ControlError, readBody } from "../control-body.ts";
import { createClickRoutes } from "./control-clicks.ts";
import { createEditRoutes } from "./control-edits.ts";
import { createListRoutes } from "./control-lists.ts";
import { enter, missing } from "./control-requests.ts";
import { createRightsRoutes } from "./control-rights.ts";
import { createViewRoutes } from "./control-views.ts";
import type { SlackCore } from "./core.ts";
import { storeFile } from "./files.ts";
import { verifyUrl } from "./http-delivery.ts";
import { pingsOf, typedText } from "./reading.ts";
import { shownMessage } from "./replies.ts";
import { eventIdOf, opaque } from "./stamp.ts";
import { channelMessages, findMessage, type Json } from "./state.ts";
import { BOT, SIGNING_SECRET } from "./workspace.ts";

/** Plays the people of the workspace. Errors: `{error:{code,message}}`. */
export function createControl(core: SlackCore, refresh: (reason: string) => void): Hono {
  const routes = new Hono();
  routes.onError((error, context) => {
    if (!(error instanceof ControlError)) throw error;
    return context.json(error.toBody(), error.status);
  });
  routes.post("/messages", async (context) => {
    const body = await readBody(context, messageBody);
    enter(core, body.channel, body.user);
    const files = body.files?.map((file) => storeFile(core, file));
    const { channel, user, thread_ts } = body;
    const text = typedText(body.text ?? "");
    const { ts, seq } = core.record("slack.message", { channel, user, text, thread_ts, files });
    return context.json({ ts, event_id: eventIdOf(`${seq}.0`) });
  });
  routes.post("/reactions", async (context) => {
    const body = await readBody(context, reactionBody);
    return context.json(react(core, body));
  });
  routes.post("/events", async (context) => {
    const payload = await readBody(context, z.record(z.string(), z.unknown()));
    const { seq } = core.record("slack.raw_event", { payload });
    return context.json({ event_id: payload.event_id ?? eventIdOf(`${seq}.0`) });
  });
  routes.post("/redeliver", async (context) => {
    const { event_id } = await readBody(context, z.object({ event_id: z.string() }));
    if (!core.state.events.has(event_id)) throw missing(`No event ${event_id} was ever sent.`);
    core.record("slack.redelivered", { event_id });
    return context.json({ event_id });
  });
  routes.post("/request-url", async (context) => {
    const { url, signing_secret } = await readBody(context, requestUrlBody);
    const target = { url: url ?? "", signingSecret: signing_secret ?? SIGNING_SECRET };
    const verified = url === undefined || (await verifyUrl(target, opaque("challenge", url)));
    if (verified) core.record("slack.request_url", { url, signing_secret });
    return context.json({ verified });
  });
  routes.post("/channels", async (context) => {
    const { id, name, user, bot } = await readBody(context, channelBody);
    core.record("slack.channel_joined", { channel: id, user: user ?? "U0ALICE", name });
    if (bot) core.record("slack.channel_joined", { channel: id, user: BOT.userId });
    return context.json({ id });
  });
  routes.get("/channels/:id/messages", (context) => {
    const id = context.req.param("id");
    if (!core.state.channels.has(id)) throw missing(`There is no channel ${id}.`);
    return context.json(channelMessages(core.state, id).map((m) => listed(core, m.ts, id)));
  });
  routes.post("/disconnect", (context) => {
    refresh("refresh_requested");
    return context.json({ ok: true });
  });
  routes.route("/", createClickRoutes(core));
  routes.route("/", createViewRoutes(core));
  routes.route("/", createEditRoutes(core));
  routes.route("/", createListRoutes(core));
  routes.route("/", createRightsRoutes(core));
  return routes;
}

const file = z.object({
  name: z.string(),
  mimetype: z.string(),
  base64: z.string().optional(),
  size: z.int().min(0).optional(),
});
const messageBody = z.object({
  channel: z.string(),
  user: z.string(),
  text: z.string().optional(),
  thread_ts: z.string().optional(),
  files: z.array(file).optional(),
});
const reactionBody = z.object({
  channel: z.string(),
  user: z.string(),
  ts: z.string(),
  name: z.string(),
  removed: z.boolean().optional(),
});
const requestUrlBody = z.object({
  url: z.url().optional(),
  signing_secret: z.string().optional(),
});
const channelBody = z.object({
  id: z.string().regex(/^C[A-Z0-9]+$/),
  name: z.string().optional(),
  user: z.string().optional(),
  bot: z.boolean().optional(),
});

const ALIASES: Record<string, string> = { thumbsup: "+1", thumbsdown: "-1" };

function react(core: SlackCore, body: z.infer<typeof reactionBody>): Json {
  const { channel, user, ts, removed } = body;
  const message = findMessage(core.state, channel, ts);
  if (!message) throw missing(`There is no message ${ts} in ${channel}.`);
  enter(core, channel, user);
  const typed = body.name.replace(/^:|:$/g, "");
  const [base = "", tone] = typed.split("::");
  const name = [ALIASES[base] ?? base, tone].filter((part) => part !== undefined).join("::");
  const has = message.reactions.some((r) => r.name === name && r.users.includes(user));
  if (has === (removed ?? false))
    core.record("slack.reaction", { channel, ts, user, name, removed });
  return { ok: true, name };
}

function listed(core: SlackCore, ts: string, channel: string): Json {
  const message = findMessage(core.state, channel, ts);
  if (!message) return {};
  return {
    ...shownMessage(core.state, message),
    edited: message.editedTs !== undefined,
    pings: pingsOf(message),
    files:
      message.files.length > 0
        ? message.files.map(({ sha256: _stored, ...shown }) => shown)
        : undefined,
    metadata: message.metadata,
    blocks: message.blocks,
  };
}
