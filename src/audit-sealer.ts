import { messageOf } from "./domain/errors.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { onAppended } from "./store/audit.ts";
import type { KeptHeads } from "./store/audit-kept-heads.ts";
import { SEAL_ROWS, sealRows, unsealedTenants } from "./store/audit-seal.ts";
import { type Db, withTenant } from "./store/db.ts";

/** `key` makes the seals; at rest it lies wrapped by the master key. */
export interface SealerDeps {
  db: Db;
  clock: Clock;
  log: Log;
  key: Buffer;
  /** Outside the database. */
  heads: KeptHeads;
  /** From a row's commit to its seal. */
  afterMs: number;
}

/** The sealing itself has the rest of the second. */
export const SEAL_AFTER_MS = 700;
/** For what was written by others, or could not be sealed. */
const NET_EVERY_MS = 10_000;
/** A stop does not wait for a long backlog: the next start goes on. */
const BATCHES_AT_STOP = 20;

/**
 * Seals the trail within a second of each commit of this process, at once when a whole batch waits.
 * Every process has one; who comes second finds nothing left. Does nothing while nothing is written.
 */
export class AuditSealer {
  readonly #deps: SealerDeps;
  /** Tenants with new rows, and how many. */
  readonly #waiting = new Map<string, number>();
  #soon: { timer: NodeJS.Timeout; isNow: boolean } | undefined;
  #net: NodeJS.Timeout | undefined;
  #isStopping = false;
  #forget = () => {};
  #current: Promise<unknown> = Promise.resolve();

  constructor(deps: SealerDeps) {
    this.#deps = deps;
  }

  /** Begins with what older versions and other processes have left. */
  start(): void {
    this.#forget = onAppended(this.#deps.db, (tenantId, rows) =>
      this.#noteAppended(tenantId, rows),
    );
    this.#net = setInterval(() => void this.runOnce(), NET_EVERY_MS);
    void this.runOnce();
  }

  /** Seals all that no seal covers yet. A failure is told in the log; the net comes back to it. */
  runOnce(): Promise<void> {
    return this.#seal(() => unsealedTenants(this.#deps.db));
  }

  /** `empty` takes all rows away on purpose: nothing is sealed meanwhile, and heads begin anew. */
  startAnew(empty: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      await empty();
      this.#waiting.clear();
      await this.#deps.heads.forgetAll();
    });
  }

  /** Seals what is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#forget();
    clearInterval(this.#net);
    clearTimeout(this.#soon?.timer);
    await this.runOnce();
  }

  #noteAppended(tenantId: string, rows: number): void {
    const all = (this.#waiting.get(tenantId) ?? 0) + rows;
    this.#waiting.set(tenantId, all);
    const isNow = all >= SEAL_ROWS;
    if (this.#soon && (this.#soon.isNow || !isNow)) return;
    clearTimeout(this.#soon?.timer);
    const timer = setTimeout(() => this.#sealWaiting(), isNow ? 0 : this.#deps.afterMs);
    this.#soon = { isNow, timer };
  }

  #sealWaiting(): void {
    this.#soon = undefined;
    void this.#seal(async () => {
      const tenantIds = [...this.#waiting.keys()];
      this.#waiting.clear();
      return tenantIds;
    });
  }

  async #seal(find: () => Promise<string[]>): Promise<void> {
    try {
      await this.#inTurn(async () => {
        for (const tenantId of await find()) await this.#sealTenant(tenantId);
      });
    } catch (error) {
      this.#deps.log.warn({ error: messageOf(error) }, "the audit trail could not be sealed");
    }
  }

  async #sealTenant(tenantId: string): Promise<void> {
    const { db, clock, key, heads } = this.#deps;
    for (let batch = 1; ; batch += 1) {
      const sealing = { key, tenantId, now: clock.now() };
      const sealed = await withTenant(db, tenantId, (tx) => sealRows(tx, sealing));
      const { before, head, rows } = sealed;
      if (head) await heads.keep(tenantId, { before, head });
      if (rows < SEAL_ROWS || (this.#isStopping && batch >= BATCHES_AT_STOP)) return;
    }
  }

  /** One work after another, whatever became of the one before. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#current.then(work);
    this.#current = done.catch(() => {});
    return done;
  }
}
