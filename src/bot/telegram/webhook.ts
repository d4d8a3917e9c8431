import { createHash, timingSafeEqual } from "node:crypto";
import { type Api, GrammyError } from "grammy";
import { messageOf } from "../../domain/errors.ts";
import type { EdgeLog, EdgeStatus } from "../edge.ts";
import { parseJson, readBody, refuse } from "../http-request.ts";
import { pause, within } from "../wait.ts";
import type { Update } from "./api-types.ts";
import { ALLOWED_UPDATES } from "./parse-update.ts";

/** `secret` has to be the same after a restart, or updates under way would be refused. */
export interface WebhookOptions {
  /** Where Telegram delivers updates to. */
  url: string;
  /** Comes with every delivery; 1-256 of A-Z, a-z, 0-9, _ and -. */
  secret(): Promise<string>;
  /** How often the address that Telegram has is compared with ours, real time. */
  checkEveryMs?: number;
}

/** Several updates may be handed to `take` at once; the order within a chat is its business. */
export interface WebhookDeps {
  api: Api;
  log: EdgeLog;
  /** Resolves once the update may be forgotten by Telegram, throws when it must come again. */
  take(update: Update): Promise<void>;
}

const CHECK_EVERY_MS = 60_000;
const LONGEST_PAUSE_MS = 60_000;
/** Far above any update; deliveries that are larger are not Telegram's. */
const BODY_LIMIT = 1_048_576;
/** Telegram waits for a minute; a store that hangs must not hold up the chat for so long. */
const STORE_WITHIN_MS = 15_000;
/** Deliveries at a time. Each chat's come one after another whatever this is. */
const MAX_CONNECTIONS = 10;

/** Updates come by HTTP: each is answered once it is stored, and delivered again until then. */
export class Webhook {
  readonly #deps: WebhookDeps;
  readonly #options: WebhookOptions;
  #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #secret: string | undefined;
  #isSet = false;
  #failures = 0;
  #status: EdgeStatus = { ok: false, detail: "not started" };

  constructor(deps: WebhookDeps, options: WebhookOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  status(): EdgeStatus {
    return this.#status;
  }

  start(): void {
    if (this.#loop !== undefined) return;
    this.#stopping = new AbortController();
    this.#isSet = false;
    this.#status = { ok: false, detail: "the webhook is being set" };
    this.#loop = this.#run();
  }

  /** The webhook stays set: Telegram keeps what comes until the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await within(2_000, this.#loop ?? Promise.resolve());
    this.#loop = undefined;
    this.#secret = undefined;
    this.#status = { ok: false, detail: "stopped" };
  }

  /** A delivery of Telegram's, or of somebody who would like to be taken for it. */
  async takeRequest(request: Request): Promise<Response> {
    const secret = this.#secret;
    if (secret === undefined || this.#stopping.signal.aborted)
      return refuse(503, "not_ready", "The bot is starting or stopping; deliver this again.");
    const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
    if (!isSame(secret, given)) {
      this.#deps.log.warn({}, "a delivery to the Telegram webhook had a wrong secret");
      return refuse(401, "unauthorized", "The secret token is wrong.");
    }
    const body = await readBody(request, BODY_LIMIT);
    if (body === null) return refuse(413, "too_large", "An update is smaller than this.");
    const update = parseJson(body.toString("utf8"));
    if (!isUpdate(update)) return refuse(400, "no_update", "The body is no update of Telegram's.");
    return this.#take(update);
  }

  async #take(update: Update): Promise<Response> {
    try {
      const stored = this.#deps.take(update).then(() => true);
      stored.catch(() => {}); // also when it fails after the limit
      if (await within(STORE_WITHIN_MS, stored)) return new Response(null, { status: 200 });
      throw new Error(`not stored within ${STORE_WITHIN_MS} ms`);
    } catch (error) {
      const fields = { updateId: update.update_id, error: messageOf(error) };
      this.#deps.log.warn(fields, "an update was not stored; Telegram delivers it again");
      return refuse(503, "not_stored", "The update could not be stored; deliver it again.");
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.runOnce();
        this.#failures = 0;
        await pause(this.#options.checkEveryMs ?? CHECK_EVERY_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        await pause(this.#troubled(error), signal);
      }
    }
  }

  /** Sets the webhook the first time, and looks after it from then on. */
  async runOnce(): Promise<void> {
    this.#secret ??= await this.#options.secret();
    if (this.#isSet) return this.#check();
    await this.#deps.api.setWebhook(
      this.#options.url,
      {
        secret_token: this.#secret,
        // left out, Telegram would keep a former list, which may lack reactions
        allowed_updates: ALLOWED_UPDATES,
        max_connections: MAX_CONNECTIONS,
      },
      this.#signal(),
    );
    this.#isSet = true;
    this.#become({ ok: true, detail: "updates come to the webhook" });
  }

  async #check(): Promise<void> {
    const info = await this.#deps.api.getWebhookInfo(this.#signal());
    if (info.url !== this.#options.url)
      return this.#become({ ok: false, detail: overwritten(info.url ?? "") });
    const asked = info.allowed_updates ?? [];
    if (ALLOWED_UPDATES.some((kind) => !asked.includes(kind))) {
      this.#isSet = false; // the address is ours, what we listen to was changed
      return this.runOnce();
    }
    const waiting = info.pending_update_count;
    const trouble = waiting > 0 && info.last_error_message;
    const more = trouble ? `; ${waiting} wait, Telegram's last error: ${trouble}` : "";
    this.#become({ ok: true, detail: `updates come to the webhook${more}` });
  }

  #troubled(error: unknown): number {
    this.#become({ ok: false, detail: troubleOf(error) });
    if (error instanceof GrammyError && error.parameters.retry_after)
      return error.parameters.retry_after * 1000;
    this.#failures += 1;
    return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(this.#failures, 8));
  }

  #become(status: EdgeStatus): void {
    const { ok, detail } = status;
    if (!ok && detail !== this.#status.detail) this.#deps.log.warn({ error: detail }, "webhook");
    this.#status = status;
  }

  #signal() {
    return this.#stopping.signal as never; // grammY types signals by a polyfill
  }
}

/** Only the host is named: an address may hold what its owner keeps secret. */
function overwritten(url: string): string {
  const what =
    url === ""
      ? "another program removed this bot's webhook"
      : `another program set this bot's webhook to ${URL.canParse(url) ? new URL(url).host : "another address"}`;
  return `${what}, so no message arrives here: stop that program (or revoke the token at @BotFather and set the new one), then restart`;
}

function troubleOf(error: unknown): string {
  if (!(error instanceof GrammyError)) return `Telegram cannot be reached (${messageOf(error)})`;
  if ([401, 404].includes(error.error_code))
    return "Telegram refused TELEGRAM_BOT_TOKEN; copy it again from @BotFather and restart";
  if (error.error_code === 400)
    return `Telegram refused the webhook (${error.description}); PUBLIC_URL must be an https address on port 443, 80, 88 or 8443 that Telegram can reach`;
  return messageOf(error);
}

function isUpdate(value: unknown): value is Update {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return "update_id" in value && Number.isSafeInteger(value.update_id);
}

/** Compared as hashes: takes the same time whatever was given, also its length. */
function isSame(secret: string, given: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(secret), hash(given));
}
