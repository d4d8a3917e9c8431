import type { TelegramCore } from "./core.ts";
import { badRequest, TelegramError } from "./errors.ts";
import type { Update } from "./events.ts";
import type { MethodCall, Methods } from "./methods.ts";
import type { Params } from "./params.ts";
import {
  confirmByOffset,
  dropPending,
  knownTypes,
  pendingUpdates,
  takeBatch,
} from "./update-queue.ts";
import { isThisMachine } from "./webhook-post.ts";

const MAX_POLL_S = 50;
const MAX_BATCH = 100;

/** The open poll is theirs, so that a stop can end it. */
export interface UpdateMethods extends Methods {
  /** Answers the open poll, if any, with nothing: the sandbox stops. */
  endPoll(): void;
}

/** Long polling and webhook settings. One poll is open at a time, as on the platform. */
export function updateMethods(core: TelegramCore): UpdateMethods {
  let open: OpenPoll | undefined;
  return {
    endPoll: () => open?.end(undefined),
    table: {
      async getupdates({ params, signal }: MethodCall) {
        setAllowedUpdates(core, params);
        if (core.state.webhook) throw webhookActive();
        const offset = params.integer("offset") ?? 0;
        if (offset !== 0) confirmByOffset(core, offset);
        open?.end(endedByOtherPoll());
        const limit = Math.min(Math.max(params.integer("limit") ?? MAX_BATCH, 1), MAX_BATCH);
        const { updates, lost } = takeBatch(core, limit);
        const timeoutMs = Math.min(params.integer("timeout") ?? 0, MAX_POLL_S) * 1000;
        if (updates.length > 0 || lost || timeoutMs <= 0) return updates;
        const poll = openPoll(core, { limit, timeoutMs, signal });
        open = poll;
        try {
          return await poll.updates;
        } finally {
          if (open === poll) open = undefined;
        }
      },
      setwebhook({ params }: MethodCall) {
        const url = params.text("url") ?? "";
        if (url === "") return deleteWebhook(core, params);
        checkWebhook(url, params.text("secret_token") ?? "");
        setAllowedUpdates(core, params);
        if (params.flag("drop_pending_updates")) dropPending(core);
        const secretToken = params.text("secret_token");
        const maxConnections = params.integer("max_connections") ?? 40;
        core.emit("webhook", {
          webhook: { url, maxConnections, ...(secretToken ? { secretToken } : {}) },
        });
        open?.end(new TelegramError(409, "Conflict: terminated by setWebhook request"));
        return { result: true, description: "Webhook was set" };
      },
      deletewebhook: ({ params }: MethodCall) => deleteWebhook(core, params),
      getwebhookinfo: () => describeWebhook(core),
    },
  };
}

interface OpenPoll {
  updates: Promise<Update[]>;
  end(error: TelegramError | undefined): void;
}

function openPoll(
  core: TelegramCore,
  options: { limit: number; timeoutMs: number; signal: AbortSignal },
): OpenPoll {
  const { promise, resolve, reject } = withResolvers<Update[]>();
  const stopListening = core.world.journal.onAppend(() => {
    // after the append is done: taking a batch appends too
    if (core.state.queue.length > 0) queueMicrotask(deliver);
  });
  const timer = setTimeout(() => end(undefined), options.timeoutMs);
  const leave = () => end(undefined);
  options.signal.addEventListener("abort", leave);
  let closed = false;

  function close(): boolean {
    if (closed) return false;
    closed = true;
    stopListening();
    clearTimeout(timer);
    options.signal.removeEventListener("abort", leave);
    return true;
  }
  function end(error: TelegramError | undefined): void {
    if (!close()) return;
    if (error) reject(error);
    else resolve([]);
  }
  function deliver(): void {
    if (closed) return;
    const { updates, lost } = takeBatch(core, options.limit);
    if (updates.length === 0 && !lost) return;
    close();
    resolve(updates);
  }
  return { updates: promise, end };
}

/** Promise.withResolvers is not in Node 20. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve, reject };
}

/** Left out, the former setting stays; it is kept over restarts. */
function setAllowedUpdates(core: TelegramCore, params: Params): void {
  const value = params.json("allowed_updates");
  if (!Array.isArray(value)) return;
  const types = knownTypes(value);
  if (types.join() === core.state.allowedUpdates.join()) return;
  core.emit("allowed_updates", { types });
}

function deleteWebhook(core: TelegramCore, params: Params) {
  if (params.flag("drop_pending_updates")) dropPending(core);
  if (!core.state.webhook) return { result: true, description: "Webhook is already deleted" };
  core.emit("webhook", { webhook: null });
  return { result: true, description: "Webhook was deleted" };
}

function describeWebhook(core: TelegramCore) {
  const { webhook, webhookError, allowedUpdates } = core.state;
  return {
    url: webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: pendingUpdates(core).length,
    ...(webhookError
      ? { last_error_date: webhookError.date, last_error_message: webhookError.error }
      : {}),
    ...(webhook ? { max_connections: webhook.maxConnections } : {}),
    ...(allowedUpdates.length > 0 ? { allowed_updates: allowedUpdates } : {}),
  };
}

function checkWebhook(url: string, secretToken: string): void {
  if (!URL.canParse(url)) throw badRequest("bad webhook: invalid webhook URL specified");
  if (!/^[A-Za-z0-9_-]{0,256}$/.test(secretToken)) {
    throw badRequest("secret token contains unallowed characters");
  }
  // the one thing that the played service takes and the real one does not
  if (isThisMachine(url)) return;
  const { protocol, port } = new URL(url);
  if (protocol !== "https:") {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  if (!["", "80", "88", "8443"].includes(port)) {
    throw badRequest("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443");
  }
}

function webhookActive(): TelegramError {
  return new TelegramError(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  );
}

function endedByOtherPoll(): TelegramError {
  return new TelegramError(
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  );
}
