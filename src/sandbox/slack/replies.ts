import type { WorldEvent } from "../journal.ts";
import type { SlackCore } from "./core.ts";
import type { SlackFacts } from "./facts.ts";
import { buttonsOf, readMessage } from "./reading.ts";
import { shownView } from "./shown-view.ts";
import { findMessage, type Json, type Message, type SlackState } from "./state.ts";

/** The longest a control call waits for the bot, in real time. */
export const REPLY_LIMIT_MS = 15_000;

/** What a person did, to know an answer to it from other messages. */
export interface Act {
  user: string;
  channel: string;
  triggerId: string;
  hookId: string;
  /** In a direct channel a plain message of the bot answers a command, too. */
  anyMessage?: boolean;
  timeoutMs?: number;
}

/** `answer`: null: none came in time. */
export interface Replies {
  /** The first private or direct answer. */
  answer: Json | null;
  responses: Json[];
  view?: Json;
}

/** Waits for the first thing the bot shows the person in answer to the act. */
export function firstReply(core: SlackCore, act: Act): Promise<Replies> {
  return new Promise((resolve) => {
    const finish = (replies: Replies): void => {
      clearTimeout(timer);
      stop();
      resolve(replies);
    };
    const none = { answer: null, responses: [] };
    const timer = setTimeout(() => finish(none), act.timeoutMs ?? REPLY_LIMIT_MS).unref();
    const stop = core.onChange((event) => {
      if (event.kind === "slack.view_opened") {
        const { trigger_id } = event.data as SlackFacts["slack.view_opened"]; // own journal kind
        const view = [...core.state.views.values()].at(-1);
        if (trigger_id === act.triggerId && view) finish({ ...none, view: shownView(core, view) });
        return;
      }
      const answer = answerOf(core.state, event, act);
      if (answer) finish({ answer, responses: [answer] });
    });
  });
}

function answerOf(state: SlackState, event: WorldEvent, act: Act): Json | undefined {
  // own journal kinds
  if (event.kind === "slack.message") {
    const fact = event.data as SlackFacts["slack.message"];
    const message = findMessage(state, fact.channel, state.latest.ts);
    return message && answers(fact, act) ? shownMessage(state, message) : undefined;
  }
  if (event.kind === "slack.message_edited") {
    const fact = event.data as SlackFacts["slack.message_edited"];
    const message = findMessage(state, fact.channel, fact.ts);
    if (fact.hook !== act.hookId || !message) return undefined;
    return { ...shownMessage(state, message), replace_original: true };
  }
  if (event.kind === "slack.message_deleted") {
    const fact = event.data as SlackFacts["slack.message_deleted"];
    return fact.hook === act.hookId ? { ts: fact.ts, delete_original: true } : undefined;
  }
  return undefined;
}

function answers(fact: SlackFacts["slack.message"], act: Act): boolean {
  if (fact.hook !== undefined) return fact.hook === act.hookId;
  if (!fact.isBot || fact.channel !== act.channel) return false;
  return fact.ephemeral_for === act.user || (act.anyMessage === true && !fact.ephemeral_for);
}

/** A message as the control API lists it. */
export function shownMessage(state: SlackState, message: Message): Json {
  return {
    ts: message.ts,
    thread_ts: message.threadTs,
    user: message.user,
    text: readMessage(state, message),
    buttons: buttonsOf(message.blocks ?? []).map(({ element: _element, ...button }) => button),
    reactions: message.reactions.map((r) => ({ ...r, count: r.users.length })),
    ephemeral_for: message.ephemeralFor,
  };
}
