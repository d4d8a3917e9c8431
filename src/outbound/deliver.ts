import { messageOf } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { DeliveryResult, Messenger } from "../domain/messenger.ts";
import type { Clock } from "../lib/clock.ts";
import type { Db, Tx } from "../store/db.ts";
import { type ChatHead, chatHeads } from "../store/outbox.ts";
import { claimDelivery, dropLeases, putOff } from "../store/outbox-claim.ts";
import { type ChatLimits, createChatLimits, type SharedCounts } from "./chat-limits.ts";
import { deliverRow } from "./deliver-row.ts";

/** Ids, kinds and codes; never what is said in a message. */
export interface OutboundLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One sender for all messengers of the process. */
export interface OutboundOptions {
  db: Db;
  clock: Clock;
  /** By channel id. Rows of other channels are left to other processes. */
  messengers: ReadonlyMap<string, Messenger>;
  /** The code of an order in the clear, just before it is sent; null when it is gone. */
  decryptCode?(
    chat: { tenantId: string; channelId: string; chatId: string },
    orderId: string,
  ): Promise<string | null>;
  /** A person blocked us; written with the end of the row that told it. */
  onBlocked?(tx: Tx, chat: { tenantId: string; channelId: string; chatId: string }): Promise<void>;
  /** A card was delivered; written with the end of its row. */
  onCardSent?(tx: Tx, card: { tenantId: string; approvalId: string | null }): Promise<void>;
  /** What a messenger answered to a delivery of this account. */
  onAnswer?(channelId: string, result: DeliveryResult): void;
  log: OutboundLog;
  /** No other process delivers from this database: leases found at the start are dropped. */
  alone?: boolean;
  /** Left out: this process alone sends. */
  sharedCounts?: SharedCounts | null;
  /** Real time for leases and waits. */
  realNow?: () => number;
}

const CHATS_AT_ONCE = 8;
/** They never take the last places. */
const MIRRORS_AT_ONCE = 3;
/** A mirror lets replies and cards go first, in product time no longer than this. */
const MIRROR_YIELDS_MS = 3_000;
/** A mirror whose chat must rest is due no sooner: nobody waits for it. Product time. */
const MIRROR_REST_MS = 6_000;
const HEADS = 200;
const WHOLE_HOUSE = "*";
/** The net under wake-ups: another process may have written rows. */
const SLOW_LOOK_MS = 5_000;
/** Another process had the row in its hands. */
const TAKEN_REST_MS = 250;
/** How long `stop` waits for answers on the way before it gives them up as uncertain. */
const STOP_WAIT_MS = 10_000;

/** Does nothing before `start`. */
export function createOutbound(options: OutboundOptions): Outbound {
  return new Outbound(options);
}

/** Empties the outbox: several chats at once, within a chat one row after another. */
export class Outbound {
  readonly #options: OutboundOptions;
  readonly #limits: ChatLimits;
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Chats that must rest, until when in real time. */
  readonly #resting = new Map<string, number>();
  /** Chats, and the house as a whole, in which a look found work that had to wait for others. */
  readonly #lookAgain = new Set<string>();
  readonly #giveUp = new AbortController();
  #running = false;
  #woken = true;
  #ring: () => void = () => {};
  #loop: Promise<void> = Promise.resolve();

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#limits = createChatLimits(options.sharedCounts);
  }

  async start(): Promise<void> {
    if (this.#running) return;
    if (this.#options.alone) await dropLeases(this.#options.db);
    this.#running = true;
    this.#loop = this.#run();
  }

  /** Takes nothing new and waits for what is on its way. */
  async stop(): Promise<void> {
    this.#running = false;
    this.wake();
    await this.#loop;
    const timer = setTimeout(() => this.#giveUp.abort(), STOP_WAIT_MS);
    await Promise.all(this.#inFlight.values());
    clearTimeout(timer);
  }

  /** Rows were written, or the clock was moved. */
  wake(): void {
    this.#woken = true;
    this.#ring();
  }

  /** Works on what is due in every chat once; how many rows it took. */
  async runOnce(): Promise<number> {
    const { launched } = await this.#launch();
    await Promise.all(launched);
    return launched.length;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      this.#woken = false;
      const waitMs = await this.#look();
      if (this.#running && !this.#woken) await this.#rest(waitMs);
    }
  }

  async #look(): Promise<number> {
    try {
      return (await this.#launch()).waitMs;
    } catch (error) {
      this.#options.log.error({ error: messageOf(error) }, "the outbox could not be read");
      return SLOW_LOOK_MS;
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Begins every delivery that may begin now, and tells when to look again. */
  async #launch(): Promise<{ launched: Promise<void>[]; waitMs: number }> {
    const { db, clock, messengers } = this.#options;
    const launched: Promise<void>[] = [];
    let waitMs = SLOW_LOOK_MS;
    const heads = await chatHeads(db, { channelIds: [...messengers.keys()], limit: HEADS });
    for (const head of heads) {
      const key = laneOf(head);
      const messenger = messengers.get(head.channelId);
      const hindrance = this.#hindranceOf(head, key, clock.now());
      if (hindrance?.untilEndOf) this.#lookAgain.add(hindrance.untilEndOf);
      if (hindrance?.forMs) waitMs = Math.min(waitMs, hindrance.forMs);
      if (!hindrance && messenger) launched.push(this.#begin(key, messenger, head));
    }
    return { launched, waitMs };
  }

  #hindranceOf(head: ChatHead, key: string, now: number): Hindrance | null {
    if (this.#inFlight.has(key)) return { untilEndOf: key };
    const readyMs = this.#readyInMs(head, key, now);
    if (readyMs > 0) return { forMs: readyMs };
    if (this.#inFlight.size >= CHATS_AT_ONCE) return { untilEndOf: WHOLE_HOUSE };
    return head.isMirror ? this.#mirrorHindrance(head, now) : null;
  }

  #mirrorHindrance(head: ChatHead, now: number): Hindrance | null {
    const mirrors = [...this.#inFlight.keys()].filter((key) => key.endsWith(MIRROR_LANE)).length;
    if (mirrors >= MIRRORS_AT_ONCE) return { untilEndOf: WHOLE_HOUSE };
    const yieldMs = head.dueAt + MIRROR_YIELDS_MS - now;
    const goFirst = this.#inFlight.size > mirrors && yieldMs > 0;
    return goFirst ? { untilEndOf: WHOLE_HOUSE, forMs: yieldMs } : null;
  }

  #readyInMs(head: ChatHead, key: string, now: number): number {
    const realNow = this.#realNow();
    const waits = [
      head.dueAt - now,
      (head.leasedUntil ?? 0) - realNow,
      (this.#resting.get(key) ?? 0) - realNow,
    ];
    return Math.max(0, ...waits);
  }

  #begin(key: string, messenger: Messenger, head: ChatHead): Promise<void> {
    const work = this.#work(key, messenger, head)
      .catch((error) => this.#failed(key, head, error))
      .then((more) => {
        this.#inFlight.delete(key);
        const wasAsked = [key, WHOLE_HOUSE].filter((place) => this.#lookAgain.delete(place));
        if (more || wasAsked.length > 0) this.wake();
      });
    this.#inFlight.set(key, work);
    return work;
  }

  /** The lease runs out and the row is found again. */
  #failed(key: string, head: ChatHead, error: unknown): boolean {
    this.#resting.set(key, this.#realNow() + 1000);
    this.#options.log.error(
      { outboxId: head.id, error: messageOf(error) },
      "a delivery broke off; the row is looked at again",
    );
    return true;
  }

  /** True when the chat must be looked at again. */
  async #work(key: string, messenger: Messenger, head: ChatHead): Promise<boolean> {
    const { db, clock, log, messengers } = this.#options;
    const sending = head.isMirror ? "mirror" : "first";
    const restMs = await this.#limits.take(messenger, head.chatId, sending);
    if (restMs > 0) {
      const laterAt = clock.now() + Math.max(restMs, MIRROR_REST_MS);
      const isPutOff = head.isMirror && (await putOff(db, head, laterAt));
      if (!isPutOff) this.#resting.set(key, this.#realNow() + restMs);
      return true;
    }
    this.#resting.delete(key);
    const row = await claimDelivery(db, {
      tenantId: head.tenantId,
      id: head.id,
      leaseToken: newId(),
      now: clock.now(),
      realNow: this.#realNow(),
    });
    if (!row) {
      this.#resting.set(key, this.#realNow() + TAKEN_REST_MS);
      return true;
    }
    const { end, more } = await deliverRow(
      {
        db,
        clock,
        messengers,
        realNow: () => this.#realNow(),
        decryptCode: this.#options.decryptCode,
        onBlocked: this.#options.onBlocked,
        onCardSent: this.#options.onCardSent,
        onAnswer: this.#options.onAnswer,
        onFurtherPart: () => this.#limits.count(messenger, head.chatId, sending),
        signal: this.#giveUp.signal,
      },
      messenger,
      row,
    );
    if (end.kind === "sent") return more;
    const error = "error" in end ? end.error : undefined;
    log.warn({ outboxId: row.id, purpose: row.purpose, end: end.kind, error }, "not delivered");
    return more;
  }

  #realNow(): number {
    return (this.#options.realNow ?? Date.now)();
  }
}

/** Why a head does not begin now: a delivery has to end first, or time has to pass. */
interface Hindrance {
  untilEndOf?: string;
  forMs?: number;
}

const MIRROR_LANE = "#mirror";

/** Within a lane one row goes out after another; a chat has one for mirrors and one for the rest. */
function laneOf({ channelId, chatId, isMirror }: ChatHead): string {
  return `${channelId}/${chatId}${isMirror ? MIRROR_LANE : ""}`;
}
