import { type Context, Hono } from "hono";
import { readArguments, stringOf } from "./arguments.ts";
import type { SlackCore } from "./core.ts";
import type { Method } from "./method.ts";
import { chatMethods } from "./methods-chat.ts";
import { conversationMethods } from "./methods-conversations.ts";
import { peopleMethods } from "./methods-people.ts";
import { reactionMethods } from "./methods-reactions.ts";
import { viewMethods } from "./methods-views.ts";
import { Refusal } from "./refusal.ts";
import type { Json } from "./state.ts";
import { APP_TOKEN, BOT_SCOPES, BOT_TOKEN } from "./workspace.ts";

const METHODS: Record<string, Method> = {
  "api.test": (args) => ({ args }),
  ...chatMethods,
  ...conversationMethods,
  ...peopleMethods,
  ...reactionMethods,
  ...viewMethods,
};

/** `POST /api/<method>`; `openSocket` makes the address of a Socket Mode connection. */
export function createWebApi(core: SlackCore, openSocket: () => string): Hono {
  const methods: Record<string, Method> = {
    ...METHODS,
    "apps.connections.open": () => ({ url: openSocket() }),
  };
  const routes = new Hono();
  routes.all("/api/:method", async (context) => {
    const json = await answer(context, core, methods);
    return context.body(core.toText(json), 200, {
      "Content-Type": "application/json; charset=utf-8",
      "x-oauth-scopes": BOT_SCOPES.join(","),
    });
  });
  return routes;
}

async function answer(
  context: Context,
  core: SlackCore,
  methods: Record<string, Method>,
): Promise<Json> {
  const name = context.req.param("method") ?? "";
  try {
    const args = await readArguments(context);
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) throw new Refusal("unknown_method", { req_method: name });
    if (name !== "api.test") checkToken(tokenOf(context, args), name);
    return { ok: true, ...method(args, core) };
  } catch (error) {
    if (error instanceof Refusal) return error.body;
    throw error;
  }
}

function tokenOf(context: Context, args: Json): string | undefined {
  const header = context.req.header("authorization");
  return header?.replace(/^Bearer\s+/i, "").trim() || stringOf(args, "token");
}

function checkToken(token: string | undefined, method: string): void {
  if (token === undefined) throw new Refusal("not_authed");
  if (token !== BOT_TOKEN && token !== APP_TOKEN) throw new Refusal("invalid_auth");
  const wanted = method.startsWith("apps.") ? APP_TOKEN : BOT_TOKEN;
  if (token !== wanted) throw new Refusal("not_allowed_token_type");
}
