import type { Fault } from "../../src/sandbox/faults.ts";
import type { ScriptStep } from "../../src/sandbox/model/script.ts";
import type { Played, PlayedWorld } from "./played-world.ts";

export const OPERATORS_CHANNEL = "C0OPERATORS";
export const OPERATORS_GROUP = -1_002_000_000_001;

/** The whole product in this process, with the example desk, and the people around it. */
export interface Desk {
  world: PlayedWorld;
  dataDir: string;
  /** Where it listens. */
  origin(): string;
  /** Everything that was logged, one line each. */
  logged: string[];
  /** Does this stand in any row, in the clear? */
  databaseHolds(text: string): Promise<boolean>;
  /** A person nobody has seen before, unless an id is given. */
  lead(userId?: number): Lead;
  /** The same in a Slack direct message. */
  slackLead(): Person;
  operator(slackUser: "U0ALICE" | "U0BOB" | "U0ADMIN" | "U0EVE"): Operator;
  /** Somebody who reads the operators' group in Telegram: 2001 is Alice, 2002 Bob, 4001 Eve. */
  groupOperator(userId: number): GroupOperator;
  /** The admin API with Admin's personal token. */
  admin(method: string, path: string, body?: unknown): Promise<Played>;
  /** The same with somebody's own token; gives the answer's body, also of a refusal. */
  adminAs(token: string, method: string, path: string, body?: unknown): Promise<Played>;
  /** Answers of the model before its own, in order. */
  script(steps: ScriptStep[]): Promise<void>;
  fault(fault: Fault): Promise<void>;
  /** Stops the product and its world, and starts both on what they have kept. */
  restart(
    meanwhile?: (databaseUrl: string | null, dataDir: string) => Promise<void>,
  ): Promise<void>;
  /** Moves the clock and waits until what became due is done. */
  advance(seconds: number): Promise<void>;
  idle(): Promise<void>;
  slackCards(): Promise<SlackMessage[]>;
  groupCards(): Promise<ChatMessage[]>;
  payouts(): Promise<Played[]>;
  /** Payouts of the lead's orders. */
  payoutsOf(lead: Person): Promise<Played[]>;
  /** Waits for a condition while work may go on. */
  until(condition: () => Promise<boolean>): Promise<void>;
  modelRequests(): Promise<{ body: Played; scripted: boolean }[]>;
  close(): Promise<void>;
}

export interface SlackMessage {
  ts: string;
  thread_ts?: string;
  user: string;
  text: string;
  buttons: { label: string }[];
  ephemeral_for?: string;
  /** What a client sent, shown before the card about it. */
  files?: { name: string }[];
}

export interface ChatMessage {
  message_id: number;
  from_bot: boolean;
  text: string;
  buttons: { label: string; data?: string }[][];
  protected?: boolean;
}

/** What one person wrote at once: a text, files, or both. */
export interface Sent {
  text?: string;
  photo?: object;
  video_note?: object;
  voice?: object;
  document?: { file_size?: number; file_name?: string; mime_type?: string };
  contact?: object;
  caption?: string;
  media_group_id?: string;
  forward_origin?: object;
}

/** A person who writes to the bot, in whatever messenger. */
export interface Person {
  /** Writes, waits until everything is done, and gives what the bot said since. */
  says(text: string): Promise<string>;
  sends(...messages: Sent[]): Promise<string>;
  /** Writes and does not wait. */
  writes(message: Sent): Promise<unknown>;
  /** Changes the words of what was written last, waits, and gives what the bot said since. */
  edits(text: string): Promise<string>;
  /** What the bot said since it was last listened to. */
  hears(): Promise<string>;
  /** Sends documents; Alice approves the card. */
  passesKyc(): Promise<void>;
  /** Plays a transfer to the desk's wallet; gives its hash. */
  transfers(amount: string, change?: object): Promise<string>;
  /** From a quote to the payment, up to the card of the payout. */
  reachesPayout(how?: { amount?: string; words?: string }): Promise<void>;
  /** Has the bot answered at all? */
  isKnown(): Promise<boolean>;
  conversationId(): Promise<string>;
  trace(): Promise<Played>;
  /** The number that the newest request about this lead has: `A-17`. */
  cardName(): Promise<string>;
  /** The newest card about this lead that Slack's operators see. */
  card(): Promise<SlackMessage>;
  /** The same card in the operators' Telegram group. */
  groupCard(): Promise<ChatMessage>;
}

/** A person who writes to the bot in a private Telegram chat. */
export interface Lead extends Person {
  id: number;
  writes(message: Sent): Promise<{ message_id: number; update_id: number }>;
  chat(): Promise<ChatMessage[]>;
}

/** A person who reads the operators' group in Telegram. */
export interface GroupOperator {
  /** Presses, waits until everything is done, and gives the private answer. */
  presses(label: string, card: ChatMessage): Promise<string>;
  /** Presses Reject and answers the question for the reason. */
  rejects(card: ChatMessage, reason: string): Promise<void>;
}

/** A person who reads the operators' channel in Slack. */
export interface Operator {
  /** Presses, waits until everything is done, and gives the private answer. */
  presses(label: string, card: SlackMessage): Promise<string>;
  /** Presses Reject and fills in the form that opens. */
  rejects(card: SlackMessage, reason: string): Promise<void>;
}
