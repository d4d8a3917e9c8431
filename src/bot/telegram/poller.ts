import { type Api, GrammyError } from "grammy";
import { messageOf } from "../../domain/errors.ts";
import type { EdgeLog, EdgeStatus } from "../edge.ts";
import { pause, within } from "../wait.ts";
import type { Update } from "./api-types.ts";
import { ALLOWED_UPDATES } from "./parse-update.ts";

/** `take` rejects when the update must come again. */
export interface PollerOptions {
  api: Api;
  log: EdgeLog;
  /** Resolves once the update may be forgotten by Telegram. */
  take(update: Update, signal: AbortSignal): Promise<void>;
}

/** Telegram holds a poll open for so long when there is nothing to tell, seconds. */
const POLL_S = 25;
const CONFLICT_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 15_000;
/** A store that hangs must not hold up the end of the process: its update comes again. */
const STOP_WITHIN_MS = 5_000;
const POLLING: EdgeStatus = { ok: true, detail: "polling" };

/**
 * Long polling in which an update is confirmed only after `take` resolved for it. The framework's
 * own loop ends at a conflict, and its stop confirms the update that is still worked on.
 */
export class Poller {
  readonly #options: PollerOptions;
  #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #offset = 0;
  #confirmed = 0;
  #failures = 0;
  #prepared = false;
  #inConflict = false;
  #status: EdgeStatus = { ok: false, detail: "not started" };

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  status(): EdgeStatus {
    return this.#status;
  }

  start(): void {
    if (this.#loop !== undefined) return;
    this.#stopping = new AbortController();
    this.#prepared = false;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await within(STOP_WITHIN_MS, this.#loop ?? Promise.resolve());
    await this.#confirm();
    this.#loop = undefined;
    this.#status = { ok: false, detail: "stopped" };
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#prepare();
        for (const update of await this.#poll()) {
          await this.#options.take(update, signal);
          if (signal.aborted) return; // it may not be stored: it comes again
          this.#offset = update.update_id + 1;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isRefusedToken(error)) return this.#refused();
        await pause(this.#troubled(error), signal);
      }
    }
  }

  /** A webhook set by somebody else would refuse every poll. */
  async #prepare(): Promise<void> {
    if (this.#prepared) return;
    await this.#options.api.deleteWebhook({}, this.#signal());
    // the first poll may stay open for long; a conflict, once seen, lasts until a poll succeeds
    if (!this.#inConflict) this.#status = POLLING;
  }

  async #poll(): Promise<Update[]> {
    const updates = await this.#options.api.getUpdates(
      {
        offset: this.#offset,
        timeout: POLL_S,
        // an empty list would switch reactions off; Telegram remembers it after the first time
        ...(this.#prepared ? {} : { allowed_updates: ALLOWED_UPDATES }),
      },
      this.#signal(),
    );
    this.#prepared = true;
    this.#confirmed = this.#offset;
    this.#failures = 0;
    this.#inConflict = false;
    this.#status = POLLING;
    return updates;
  }

  #refused(): void {
    const detail =
      "Telegram refused TELEGRAM_BOT_TOKEN; polling stopped: copy it again from @BotFather and restart";
    this.#status = { ok: false, detail };
    this.#options.log.error({}, detail);
  }

  #troubled(error: unknown): number {
    const conflict = error instanceof GrammyError && error.error_code === 409;
    const detail = conflict
      ? "another program polls this Telegram bot, or a webhook is set; waiting for it to end"
      : messageOf(error);
    if (detail !== this.#status.detail)
      this.#options.log.warn({ error: detail }, "Telegram polling fails");
    this.#status = { ok: false, detail };
    if (conflict) {
      this.#inConflict = true;
      this.#prepared = false; // takes a webhook away, and says again what we listen to
      return CONFLICT_PAUSE_MS;
    }
    if (error instanceof GrammyError && error.parameters.retry_after)
      return error.parameters.retry_after * 1000;
    this.#failures += 1;
    return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(this.#failures, 6));
  }

  /** What was stored but not yet confirmed would only come again after the next start. */
  async #confirm(): Promise<void> {
    if (this.#offset === this.#confirmed) return;
    const limit = AbortSignal.timeout(2_000) as never; // grammY types signals by a polyfill
    await this.#options.api
      .getUpdates({ offset: this.#offset, limit: 1, timeout: 0 }, limit)
      .catch(() => undefined);
  }

  #signal() {
    return this.#stopping.signal as never; // grammY types signals by a polyfill
  }
}

function isRefusedToken(error: unknown): boolean {
  return error instanceof GrammyError && [401, 404].includes(error.error_code);
}
