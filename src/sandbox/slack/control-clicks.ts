import { Hono } from "hono";
import { z } from "zod";
import { readBody } from "../control-body.ts";
import { enter, missing } from "./control-requests.ts";
import type { SlackCore } from "./core.ts";
import { type Button, buttonsOf, escapeText } from "./reading.ts";
import { type Act, firstReply, REPLY_LIMIT_MS } from "./replies.ts";
import { opaque, type Stamp } from "./stamp.ts";
import { findMessage, type Message } from "./state.ts";

/** Pressing buttons and typing commands; both wait for the bot's first answer. */
export function createClickRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.post("/buttons", async (context) => {
    const body = await readBody(context, clickBody);
    const message = findMessage(core.state, body.channel, body.ts);
    if (!message) throw missing(`There is no message ${body.ts} in ${body.channel}.`);
    const button = findButton(message, body);
    if (!button) return context.json({ answer: null, responses: [], error: "no_such_button" });
    enter(core, body.channel, body.user);
    const { channel, user, ts } = body;
    const { block_id, element } = button;
    const action = { ...element, block_id };
    const stamp = core.record("slack.click", { channel, user, ts, action });
    return context.json(await firstReply(core, actOf(core, body, stamp)));
  });
  routes.post("/commands", async (context) => {
    const body = await readBody(context, commandBody);
    const channel = enter(core, body.channel, body.user);
    const command = body.command.startsWith("/") ? body.command : `/${body.command}`;
    const text = escapeText(body.text ?? "");
    const stamp = core.record("slack.command", { ...body, command, text });
    const act = { ...actOf(core, body, stamp), anyMessage: channel.isIm };
    return context.json(await firstReply(core, act));
  });
  return routes;
}

const timeout_ms = z.int().min(0).max(REPLY_LIMIT_MS).optional();
const clickBody = z.object({
  channel: z.string(),
  user: z.string(),
  ts: z.string(),
  label: z.string().optional(),
  action_id: z.string().optional(),
  /** Tells apart buttons with one label. */
  value: z.string().optional(),
  timeout_ms,
});
const commandBody = z.object({
  channel: z.string(),
  user: z.string(),
  command: z.string(),
  text: z.string().optional(),
  timeout_ms,
});

function actOf(
  core: SlackCore,
  body: { user: string; channel: string; timeout_ms?: number },
  stamp: Stamp,
): Act {
  const triggerId = core.issueTrigger(stamp.seq);
  const { user, channel, timeout_ms: timeoutMs } = body;
  return { user, channel, triggerId, timeoutMs, hookId: opaque("hook", stamp.seq) };
}

/** The newest button that fits: what is on the screen first, then what ever was. */
function findButton(message: Message, wanted: z.infer<typeof clickBody>): Button | undefined {
  const versions = [message.blocks ?? [], ...message.versions.toReversed()];
  const buttons = versions.flatMap((blocks) => buttonsOf(blocks));
  const fitting = buttons.filter((button) => {
    if (wanted.value !== undefined && button.value !== wanted.value) return false;
    return wanted.action_id === undefined || button.action_id === wanted.action_id;
  });
  const { label } = wanted;
  if (label === undefined) return fitting[0];
  const exact = fitting.find((button) => button.label === label);
  return exact ?? fitting.find((button) => bare(button.label) === bare(label));
}

/** Letters and digits only: a label may carry an emoji. */
function bare(label: string): string {
  return label
    .replace(/:[a-z0-9_+-]+:/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
}
