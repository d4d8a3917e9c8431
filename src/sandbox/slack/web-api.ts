import { type Context, Hono } from "hono";
import { readArguments, stringOf } from "./arguments.ts";
import type { SlackCore } from "./core.ts";
import type { Method } from "./method.ts";
import { chatMethods } from "./methods-chat.ts";
import { conversationMethods } from "./methods-conversations.ts";
import { fileMethods } from "./methods-files.ts";
import { peopleMethods } from "./methods-people.ts";
import { reactionMethods } from "./methods-reactions.ts";
import { viewMethods } from "./methods-views.ts";
import { Refusal } from "./refusal.ts";
import type { Installation, Json } from "./state.ts";
import { APP_TOKEN, BOT_TOKEN } from "./workspace.ts";

const METHODS: Record<string, Method> = {
  "api.test": (args) => ({ args }),
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
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
      "x-oauth-scopes": core.state.installation.scopes.join(","),
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
    if (name !== "api.test") {
      checkToken(tokenOf(context, args), name);
      checkRights(core.state.installation, name);
    }
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

/** Methods that the desk calls, with the scope each needs; one scope is enough here. */
const SCOPES: Record<string, string> = {
  "chat.postMessage": "chat:write",
  "chat.update": "chat:write",
  "chat.delete": "chat:write",
  "chat.postEphemeral": "chat:write",
  "conversations.info": "channels:read",
  "conversations.history": "channels:history",
  "conversations.replies": "channels:history",
  "users.info": "users:read",
  "files.info": "files:read",
  "files.getUploadURLExternal": "files:write",
  "files.completeUploadExternal": "files:write",
};

function checkRights({ revoked, scopes }: Installation, method: string): void {
  if (revoked) throw new Refusal("token_revoked");
  const needed = SCOPES[method];
  if (needed !== undefined && !scopes.includes(needed))
    throw new Refusal("missing_scope", { needed, provided: scopes.join(",") });
}
