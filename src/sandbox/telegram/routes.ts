import { type Context, Hono } from "hono";
import { playFaults } from "../faults.ts";
import type { TelegramCore } from "./core.ts";
import { faultBody, TelegramError } from "./errors.ts";
import { BOT_TOKEN } from "./identity.ts";
import type { DescribedResult, Method } from "./methods.ts";
import { botMethods, findDownload } from "./methods-bot.ts";
import { chatMethods } from "./methods-chat.ts";
import { copyMethods } from "./methods-copy.ts";
import { editMethods } from "./methods-edit.ts";
import { sendMethods } from "./methods-send.ts";
import { topicMethods } from "./methods-topics.ts";
import { updateMethods } from "./methods-updates.ts";
import { isRecord, readParams } from "./params.ts";

/** The Bot API under `/bot<token>/`, and its files. */
export interface BotRoutes {
  routes: Hono;
  endPoll(): void;
}

/** The Bot API as a client sees it: `/bot<token>/<method>` and `/file/bot<token>/<path>`. */
export function botRoutes(core: TelegramCore): BotRoutes {
  const updates = updateMethods(core);
  const table: Record<string, Method> = {
    ...updates.table,
    ...botMethods(core).table,
    ...chatMethods(core).table,
    ...sendMethods(core).table,
    ...editMethods(core).table,
    ...topicMethods(core).table,
    ...copyMethods(core).table,
  };
  const app = new Hono();
  app.onError((error, context) => {
    const known =
      error instanceof TelegramError
        ? error
        : new TelegramError(500, `Internal Server Error: ${error.message}`);
    return answerError(context, known);
  });
  const faults = playFaults({
    faults: core.world.faults,
    service: "telegram",
    errorBody: faultBody,
    isPolling: (context) => POLLING.has(methodName(context)),
  });
  app.use("/:bot{bot[^/]+}/:method", faults);
  app.all("/:bot{bot[^/]+}/:method", async (context) => {
    checkToken(context.req.param("bot"));
    const method = Object.hasOwn(table, methodName(context)) && table[methodName(context)];
    if (!method) throw new TelegramError(404, "Not Found: method not found");
    const params = await readParams(context);
    return answer(context, await method({ params, signal: context.req.raw.signal }));
  });
  app.use("/file/*", faults);
  app.get("/file/:bot{bot[^/]+}/:path{.+}", (context) => {
    checkToken(context.req.param("bot"));
    const found = findDownload(core, context.req.param("path"));
    if (!found) throw new TelegramError(404, "Not Found");
    // a copy, because a Buffer may sit on shared memory that a Response does not take
    const bytes = new Uint8Array(found.bytes);
    return context.body(bytes, 200, { "Content-Type": found.mimeType });
  });
  app.all("*", () => {
    throw new TelegramError(404, "Not Found");
  });
  return { routes: app, endPoll: updates.endPoll };
}

/** Set-up, polling and small signs: a counted fault is meant for a call that changes the chat. */
const POLLING = new Set([
  "getupdates",
  "sendchataction",
  "answercallbackquery",
  "getme",
  "getwebhookinfo",
  "setwebhook",
  "deletewebhook",
  "setmycommands",
  "getmycommands",
  "deletemycommands",
  "getchat",
  "getchatmember",
  "getchatadministrators",
]);

/** The platform does not mind the case of a method's name. */
function methodName(context: Context): string {
  return (context.req.param("method") ?? "").toLowerCase();
}

function checkToken(bot: string): void {
  if (bot !== `bot${BOT_TOKEN}`) throw new TelegramError(401, "Unauthorized");
}

function answer(context: Context, value: unknown): Response {
  if (isRecord(value) && "result" in value && "description" in value) {
    const { result, description } = value as unknown as DescribedResult; // checked just above
    return context.json({ ok: true, result, description });
  }
  return context.json({ ok: true, result: value });
}

function answerError(context: Context, error: TelegramError): Response {
  const retryAfter = error.parameters?.retry_after;
  if (retryAfter !== undefined) context.header("Retry-After", String(retryAfter));
  return context.json(error.toBody(), error.code as 400);
}
