import { type Context, Hono } from "hono";
import { booleanOf, readArguments, stringOf } from "./arguments.ts";
import { readContent, readThread } from "./content.ts";
import type { SlackCore } from "./core.ts";
import { Refusal } from "./refusal.ts";
import { type Hook, type Json, liveMessage } from "./state.ts";
import { BOT } from "./workspace.ts";

const USES = 5;
/** Played time. */
const LIFE_MS = 30 * 60_000;

/** The response_url addresses of clicks and commands; they need no token. */
export function createResponseUrls(core: SlackCore): Hono {
  const routes = new Hono();
  const handle = async (context: Context): Promise<Response> => {
    const hook = core.state.hooks.get(context.req.param("id") ?? "");
    const refusal = refusalOf(core, hook);
    if (refusal || !hook) return context.json({ ok: false, error: refusal ?? "expired_url" }, 404);
    try {
      const args = await readArguments(context);
      respond(core, hook, args);
      return context.text("ok");
    } catch (error) {
      if (error instanceof Refusal) return context.json(error.body, 400);
      throw error;
    }
  };
  routes.post("/actions/:team/:id", handle);
  routes.post("/commands/:team/:id", handle);
  return routes;
}

/** Plays an answer to a click or command, from its address or its acknowledgement. */
export function respond(core: SlackCore, hook: Hook, args: Json): void {
  if (booleanOf(args, "delete_original") && hook.messageTs !== undefined) {
    core.record("slack.hook_used", { hook: hook.id });
    const { channel, messageTs: ts, id } = hook;
    core.record("slack.message_deleted", { channel, ts, hook: id });
    return;
  }
  const { channel, id } = hook;
  const content = readContent(args, "post");
  if (booleanOf(args, "replace_original") && hook.messageTs !== undefined) {
    core.record("slack.hook_used", { hook: id });
    core.record("slack.message_edited", { channel, ts: hook.messageTs, ...content, hook: id });
    return;
  }
  const thread_ts = readThread(args, (ts) => liveMessage(core.state, channel, ts) !== undefined);
  const ephemeral_for = stringOf(args, "response_type") === "in_channel" ? undefined : hook.user;
  core.record("slack.hook_used", { hook: id });
  const from = { channel, user: BOT.userId, isBot: true, hook: id };
  core.record("slack.message", { ...from, ...content, thread_ts, ephemeral_for });
}

function refusalOf(core: SlackCore, hook: Hook | undefined): string | undefined {
  if (!hook || core.world.clock.now() - hook.issuedAt > LIFE_MS) return "expired_url";
  return hook.uses >= USES ? "used_url" : undefined;
}
