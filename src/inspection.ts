import type { EdgeStatus, MessengerEdge } from "./bot/edge.ts";
import type { Finding } from "./bot/finding.ts";
import { within } from "./bot/wait.ts";
import { messageOf } from "./domain/errors.ts";
import type { DeliveryResult } from "./domain/messenger.ts";
import type { Log } from "./lib/log.ts";
import { type Db, withOwner, withTenant } from "./store/db.ts";
import { type KnownDestination, listDestinations } from "./store/destinations.ts";
import { listTenants } from "./store/tenants.ts";

/** What is seen of our tokens and of our rights in the staff's chats; it refuses no start. */
export interface Inspection {
  /** Looks once. */
  run(): Promise<void>;
  /** Looks again once a minute from now on, and soon after a delivery tells of a change. */
  start(): void;
  /** A delivery was answered: what it tells of our rights is looked at. */
  answered(channelId: string, result: DeliveryResult): void;
  stop(): Promise<void>;
  /** One for each thing that is not as it should be, with the next step. */
  lines(): string[];
  /** How many things of the account are not as they have to be. */
  problemsOf(edge: MessengerEdge): number;
  /** The account's status, with what was found. */
  addTo(edge: MessengerEdge, status: EdgeStatus): EdgeStatus;
}

/** A messenger that is slow must not hold up the start for longer. */
const LOOK_WITHIN_MS = 10_000;
/** Real time, between two looks that nobody asked for. */
const LOOK_EVERY_MS = 60_000;
/** Real time: many deliveries that are refused at once are one reason to look. */
const LOOK_APART_MS = 2_000;

/** Times are the machine's: tokens and rights are lost in no played time. */
export function createInspection(db: Db, edges: readonly MessengerEdge[], log: Log): Inspection {
  return new RightsWatch(db, edges, log);
}

class RightsWatch implements Inspection {
  readonly #db: Db;
  readonly #edges: readonly MessengerEdge[];
  readonly #log: Log;
  readonly #found = new Map<MessengerEdge, Finding[]>();
  #minute: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #isAsked = false;
  #current: Promise<void> = Promise.resolve();
  #isWatching = false;

  constructor(db: Db, edges: readonly MessengerEdge[], log: Log) {
    this.#db = db;
    this.#edges = edges;
    this.#log = log;
  }

  async run(): Promise<void> {
    const destinations = await allDestinations(this.#db);
    await Promise.all(
      this.#edges.map(async (edge) => {
        const { name, channelId } = edge.messenger;
        const chats = destinations.filter((one) => one.channelId === channelId);
        const findings = await within(LOOK_WITHIN_MS, edge.inspect(chats));
        if (findings) this.#keep(edge, findings);
        else this.#log.warn({ messenger: name }, "rights were not looked at: no answer");
      }),
    );
  }

  start(): void {
    this.#isWatching = true;
    this.#minute = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  answered(channelId: string, result: DeliveryResult): void {
    const isLost = "rightsLost" in result && result.rightsLost === true;
    const edge = this.#edges.find(({ messenger }) => messenger.channelId === channelId);
    const isBack = result.kind === "sent" && edge !== undefined && this.#isStopped(edge);
    if (!this.#isWatching || !(isLost || isBack)) return;
    if (this.#soon) this.#isAsked = true;
    else this.#lookApart();
  }

  async stop(): Promise<void> {
    this.#isWatching = false;
    clearInterval(this.#minute);
    clearTimeout(this.#soon);
    await this.#current;
  }

  lines(): string[] {
    return [...this.#found].flatMap(([edge, findings]) =>
      findings.map((finding) => `${edge.messenger.name}: ${lineOf(finding)}`),
    );
  }

  problemsOf(edge: MessengerEdge): number {
    return this.#findingsOf(edge).filter(({ ok }) => !ok).length;
  }

  addTo(edge: MessengerEdge, { ok, detail }: EdgeStatus): EdgeStatus {
    const seen = this.#findingsOf(edge).map(lineOf).join("; ");
    if (seen === "") return { ok, detail };
    if (!this.#isStopped(edge)) return { ok, detail: `${detail}; seen: ${seen}` };
    return { ok: false, detail: `${seen}; npm run doctor looks at all of it (${detail})` };
  }

  /** What is told meanwhile is looked at afterwards, once. */
  #lookApart(): void {
    this.#isAsked = false;
    this.#look();
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      if (this.#isAsked) this.#lookApart();
    }, LOOK_APART_MS);
  }

  #look(): void {
    this.#current = this.#current
      .then(() => (this.#isWatching ? this.run() : undefined))
      .catch((error: unknown) =>
        this.#log.warn({ error: messageOf(error) }, "rights were not looked at"),
      );
  }

  #keep(edge: MessengerEdge, findings: readonly Finding[]): void {
    const before = this.#findingsOf(edge).map(lineOf);
    const now = findings.filter(({ nextStep }) => nextStep !== "");
    this.#found.set(edge, now);
    if (!this.#isWatching) return; // the start prints what it sees
    const { name } = edge.messenger;
    for (const line of now.map(lineOf))
      if (!before.includes(line)) this.#log.warn({ messenger: name }, line);
    if (before.length > 0 && now.length === 0)
      this.#log.info({ messenger: name }, "all that was seen of the account is well again");
  }

  #findingsOf(edge: MessengerEdge): readonly Finding[] {
    return this.#found.get(edge) ?? [];
  }

  #isStopped(edge: MessengerEdge): boolean {
    return this.#findingsOf(edge).some(({ stops }) => stops);
  }
}

/** For logs and the terminal. */
export function lineOf({ what, nextStep }: Finding): string {
  return nextStep === "" ? what : `${what} – ${nextStep}`;
}

/** The chats of the staff of all tenants. */
export async function allDestinations(db: Db): Promise<KnownDestination[]> {
  const tenants = await withOwner(db, listTenants);
  const all = [];
  for (const { id } of tenants)
    all.push(...(await withTenant(db, id, (tx) => listDestinations(tx, id))));
  return all;
}
