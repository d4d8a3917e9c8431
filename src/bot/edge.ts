import type { Desk } from "../domain/desk.ts";
import type { InboundEvent } from "../domain/inbound.ts";
import type { Messenger } from "../domain/messenger.ts";
import type { Clock } from "../lib/clock.ts";
import type { Received } from "../store/receive.ts";
import type { Finding, StaffChat } from "./finding.ts";

/** Takes no texts of leads and no tokens: fields name ids, kinds and codes. */
export interface EdgeLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What both messengers' edges are made with. */
export interface EdgeOptions {
  channelId: string;
  tenantId: string;
  /** Commits the event; the edge acknowledges only after it resolved. */
  receive(event: InboundEvent): Promise<Received>;
  desk: Desk;
  clock: Clock;
  log: EdgeLog;
  /** Names of staff commands, lower case and without the slash. */
  isCommand(name: string): boolean;
  /** Shown in the menu of groups, where the messenger has one. Being shown gives no right. */
  commandMenu?(): readonly { command: string; description: string }[];
}

/** `detail`: one line for the owner, without a secret. */
export interface EdgeStatus {
  ok: boolean;
  detail: string;
}

/** What came while nobody took events in. */
export interface Missed {
  /** Chats of leads that are known. */
  chatIds: readonly string[];
  /** By the messenger's clock, milliseconds. */
  sinceMs: number;
  signal: AbortSignal;
}

/** One bot account: takes events in, and sends by its `messenger`. */
export interface MessengerEdge {
  readonly messenger: Messenger;
  /**
   * Asks the messenger who we are. StartError when it refuses the token, RetryableError when it
   * cannot be reached.
   */
  check(): Promise<{ botUserId: string }>;
  /** Looks whether we may do in these chats what we have to. Never throws. */
  inspect(chats: readonly StaffChat[]): Promise<Finding[]>;
  /** Of several processes only one may be started at a time, as with long polling. */
  readonly isExclusive: boolean;
  /** Begins to take events in; comes back at once and keeps trying. */
  start(): void;
  /** Ends that; it may be started again. */
  stop(): Promise<void>;
  /** For /readyz. */
  status(): EdgeStatus;
  /** Shows the menu of commands anew, in the staff's language; absent where there is none. Never throws. */
  offerMenu?(): Promise<void>;
  /** Reads what was missed; how much that was. Absent where the messenger keeps it for us. */
  catchUp?(missed: Missed): Promise<number>;
  /** What the messenger sends us over HTTP; absent when we fetch events ourselves. */
  takeRequest?(request: Request): Promise<Response>;
}
