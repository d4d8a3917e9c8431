import type { TelegramCore } from "./core.ts";
import type { Update, Webhook } from "./events.ts";
import type { PendingUpdate } from "./state.ts";
import { dropExpired } from "./update-queue.ts";
import { isThisMachine, postUpdate, type WebhookOutcome } from "./webhook-post.ts";
import { queueOf } from "./webhook-queues.ts";

/** Failed once: again at once; then after 2, 4, 8 … seconds of played time. */
const LONGEST_WAIT_MS = 60_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** A server that says "gone" for so long is believed. */
const GONE_FOR_MS = 23 * 3_600_000;

interface Failed {
  times: number;
  /** Played time. */
  dueAt: number;
}

/**
 * Posts updates to the webhook. Each queue has one update on its way: the next one waits for the
 * answer, and for every retry, of the former.
 */
export class WebhookDelivery {
  readonly #core: TelegramCore;
  readonly #onTheWay = new Set<string>();
  readonly #failed = new Map<string, Failed>();
  readonly #stopping = new AbortController();
  #goneSince: number | undefined;
  #ticks: NodeJS.Timeout | undefined;
  #isAwake = false;

  constructor(core: TelegramCore) {
    this.#core = core;
  }

  start(): void {
    // the played clock runs, and may be moved to where a retry is due
    this.#ticks = setInterval(() => this.wake(), 1000).unref();
    this.wake();
  }

  stop(): void {
    clearInterval(this.#ticks);
    this.#stopping.abort();
  }

  /** Looks for work soon; never inside the caller, so that the journal stays in order. */
  wake(): void {
    if (this.#isAwake || !this.#ticks) return;
    this.#isAwake = true;
    setImmediate(() => this.#work());
  }

  #work(): void {
    this.#isAwake = false;
    const { state, world } = this.#core;
    if (!state.webhook || this.#stopping.signal.aborted) return;
    dropExpired(this.#core);
    const now = world.clock.now();
    for (const [queue, first] of firstOfEach(state.queue)) {
      if (this.#onTheWay.size >= state.webhook.maxConnections) return;
      const isDue = (this.#failed.get(queue)?.dueAt ?? 0) <= now;
      if (isDue && !this.#onTheWay.has(queue)) void this.#deliver(queue, first, state.webhook);
    }
  }

  async #deliver(queue: string, pending: PendingUpdate, webhook: Webhook): Promise<void> {
    const { update } = pending;
    this.#onTheWay.add(queue);
    const outcome = await this.#attempt(pending, webhook);
    this.#onTheWay.delete(queue);
    if (this.#stopping.signal.aborted) return;
    if (outcome.kind === "taken") {
      this.#failed.delete(queue);
      this.#goneSince = undefined;
      if (isPending(this.#core, update))
        this.#core.emit("confirmed", { updateIds: [update.update_id] });
    } else this.#missed(queue, update, outcome);
    this.wake();
  }

  async #attempt({ update, attempts }: PendingUpdate, webhook: Webhook): Promise<WebhookOutcome> {
    const { faults } = this.#core.world;
    if (attempts === 0 && faults.take("telegram", ["lose_first"])) {
      this.#core.emit("delivery_lost", { updateId: update.update_id });
      return { kind: "failed", error: "Connection timed out" };
    }
    this.#core.emit("delivered", { updateIds: [update.update_id] });
    if (!isThisMachine(webhook.url))
      return { kind: "failed", error: "The sandbox delivers to this machine only" };
    const limit = AbortSignal.timeout(this.#core.options.webhookLimitMs);
    return postUpdate(webhook, update, AbortSignal.any([this.#stopping.signal, limit]));
  }

  #missed(
    queue: string,
    update: Update,
    outcome: Extract<WebhookOutcome, { kind: "failed" }>,
  ): void {
    const { world } = this.#core;
    const now = world.clock.now();
    const times = (this.#failed.get(queue)?.times ?? 0) + 1;
    const backOffMs = times === 1 ? 0 : Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (times - 1));
    const askedMs = Math.min(LONGEST_RETRY_AFTER_MS, outcome.retryAfterMs ?? 0);
    this.#failed.set(queue, { times, dueAt: now + Math.max(backOffMs, askedMs) });
    const { update_id: updateId } = update;
    this.#core.emit("webhook_failed", { updateId, error: outcome.error, date: this.#core.date() });
    this.#goneSince = outcome.status === 410 ? (this.#goneSince ?? now) : undefined;
    if (this.#goneSince !== undefined && now - this.#goneSince >= GONE_FOR_MS) {
      this.#goneSince = undefined;
      this.#core.emit("webhook", { webhook: null });
    }
  }
}

function firstOfEach(queue: readonly PendingUpdate[]): Map<string, PendingUpdate> {
  const first = new Map<string, PendingUpdate>();
  for (const pending of queue) {
    const name = queueOf(pending.update);
    if (!first.has(name)) first.set(name, pending);
  }
  return first;
}

/** A reset of the world may have taken it away meanwhile. */
function isPending({ state }: TelegramCore, update: Update): boolean {
  return state.queue.some((pending) => pending.update.update_id === update.update_id);
}
