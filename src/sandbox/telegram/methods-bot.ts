import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { BotCommand } from "./events.ts";
import { BOT_USER } from "./identity.ts";
import type { Methods } from "./methods.ts";
import { isRecord, type Params } from "./params.ts";
import { readStoredFile } from "./uploads.ts";

const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024;
const MAX_ANSWER = 200;

/** The bot itself: who it is, its commands, its answers to clicks, files it may fetch. */
export function botMethods(core: TelegramCore): Methods {
  return {
    table: {
      getme: () => ({
        ...BOT_USER,
        can_join_groups: true,
        // privacy mode is off: the bot sees every message of its groups
        can_read_all_group_messages: true,
        supports_inline_queries: false,
        can_connect_to_business: false,
        has_main_web_app: false,
      }),
      answercallbackquery: ({ params }) => answerCallback(core, params),
      setmycommands: ({ params }) => {
        core.emit("commands", { key: scopeKey(params), commands: readCommands(params) });
        return true;
      },
      getmycommands: ({ params }) => core.state.commands.get(scopeKey(params)) ?? [],
      deletemycommands: ({ params }) => {
        core.emit("commands", { key: scopeKey(params), commands: null });
        return true;
      },
      getfile: ({ params }) => getFile(core, params),
    },
  };
}

/** The bytes behind a `file_path`, or undefined. */
export function findDownload(core: TelegramCore, path: string) {
  const file = [...core.state.files.values()].find((entry) => entry.path === path);
  if (!file || file.size > MAX_DOWNLOAD_BYTES) return undefined;
  return { bytes: readStoredFile(core, file), mimeType: file.mimeType };
}

function getFile(core: TelegramCore, params: Params) {
  const file = core.state.files.get(params.text("file_id") ?? "");
  if (!file) throw badRequest("wrong file_id or the file is temporarily unavailable");
  if (file.size > MAX_DOWNLOAD_BYTES) throw badRequest("file is too big");
  return {
    file_id: file.fileId,
    file_unique_id: file.uniqueId,
    file_size: file.size,
    file_path: file.path,
  };
}

function answerCallback(core: TelegramCore, params: Params): true {
  const id = params.text("callback_query_id") ?? "";
  const callback = core.state.callbacks.get(id);
  const ageMs = core.realNow() - (callback?.realAt ?? 0);
  if (!callback || ageMs > core.options.callbackDeadlineMs) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  const text = params.text("text") ?? "";
  if ([...text].length > MAX_ANSWER) throw badRequest("MESSAGE_TOO_LONG");
  const url = params.text("url");
  core.emit("callback_answered", {
    id,
    text,
    showAlert: params.flag("show_alert"),
    ...(url ? { url } : {}),
  });
  return true;
}

/** Commands are kept by scope and language; the scope alone decides who sees them. */
function scopeKey(params: Params): string {
  const scope = params.json("scope");
  const { type = "default", chat_id = "", user_id = "" } = isRecord(scope) ? scope : {};
  return [type, chat_id, user_id, params.text("language_code") ?? ""].join(":");
}

function readCommands(params: Params): BotCommand[] {
  const value = params.json("commands");
  if (!Array.isArray(value))
    throw badRequest("can't parse commands: expected an Array of BotCommand");
  if (value.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  return value.map((entry: unknown) => {
    const { command, description } = isRecord(entry) ? entry : {};
    const name = typeof command === "string" ? command.replace(/^\//, "") : "";
    if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID");
    const length = typeof description === "string" ? [...description.trim()].length : 0;
    if (length < 1 || length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    return { command: name, description: String(description).trim() };
  });
}
