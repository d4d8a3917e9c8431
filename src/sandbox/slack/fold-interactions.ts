import { enqueue } from "./envelopes.ts";
import type { Folds, SlackFacts } from "./facts.ts";
import { blockActions, slashCommand, viewEvent } from "./payloads.ts";
import { opaque, triggerIdOf } from "./stamp.ts";
import { findMessage, type Hook, type SlackState } from "./state.ts";
import { closeView, openView, replaceView } from "./view-stack.ts";

/** Clicks, commands and modals. */
export const interactionFolds: Folds = {
  "slack.click": click,
  "slack.command": command,
  "slack.view_opened": viewOpened,
  "slack.view_updated": (state, fact) => {
    const view = state.views.get(fact.view_id);
    if (view) replaceView(state, view, fact.view);
  },
  "slack.view_submitted": submitted,
  "slack.view_closed": closed,
  "slack.hook_used": (state, fact) => {
    const hook = state.hooks.get(fact.hook);
    if (hook) state.hooks.set(hook.id, { ...hook, uses: hook.uses + 1 });
  },
};

function click(state: SlackState, fact: SlackFacts["slack.click"]): void {
  const message = findMessage(state, fact.channel, fact.ts);
  if (!message) return;
  const hook = addHook(state, { ...fact, kind: "actions", messageTs: fact.ts });
  const triggerId = addTrigger(state, fact.user);
  const { action } = fact;
  const payload = blockActions({ state, message, action, hook, triggerId }, state.latest);
  const title = `click of ${fact.user} on ${String(action.action_id)} in ${fact.channel}`;
  enqueue(state, {
    key: interactionKey(state),
    type: "interactive",
    title,
    payload,
    hookId: hook.id,
  });
}

function command(state: SlackState, fact: SlackFacts["slack.command"]): void {
  const hook = addHook(state, { ...fact, kind: "commands" });
  const triggerId = addTrigger(state, fact.user);
  const payload = slashCommand({ ...fact, state, hook, triggerId });
  const title = `command ${fact.command} of ${fact.user}`;
  const key = interactionKey(state);
  enqueue(state, { key, type: "slash_commands", title, payload, hookId: hook.id });
}

function viewOpened(state: SlackState, fact: SlackFacts["slack.view_opened"]): void {
  const previous = fact.previous === undefined ? undefined : state.views.get(fact.previous);
  openView(state, { user: fact.user, content: fact.view, previous });
  const trigger = state.triggers.get(fact.trigger_id);
  if (trigger) state.triggers.set(fact.trigger_id, { ...trigger, usedUp: true });
}

function submitted(state: SlackState, fact: SlackFacts["slack.view_submitted"]): void {
  const view = state.views.get(fact.view_id);
  if (!view) return;
  const { user, values } = fact;
  const triggerId = addTrigger(state, user, view.id);
  const payload = viewEvent("view_submission", { state, view, user, values, triggerId });
  const title = `submission of ${view.id} by ${user}`;
  const key = interactionKey(state);
  enqueue(state, { key, type: "interactive", title, payload, viewId: view.id });
}

function closed(state: SlackState, fact: SlackFacts["slack.view_closed"]): void {
  const view = state.views.get(fact.view_id);
  if (!view) return;
  closeView(state, view);
  if (view.content.notify_on_close !== true) return;
  const payload = viewEvent("view_closed", { state, view, user: fact.user });
  const title = `closing of ${view.id} by ${fact.user}`;
  enqueue(state, { key: interactionKey(state), type: "interactive", title, payload });
}

function addHook(
  state: SlackState,
  input: Pick<Hook, "kind" | "channel" | "user" | "messageTs">,
): Hook {
  const { kind, channel, user, messageTs } = input;
  const id = opaque("hook", state.latest.seq);
  const hook = { id, kind, channel, user, messageTs, issuedAt: state.latest.at, uses: 0 };
  state.hooks.set(id, hook);
  return hook;
}

function addTrigger(state: SlackState, user: string, viewId?: string): string {
  const id = triggerIdOf(state.latest.seq);
  state.triggers.set(id, { user, viewId, usedUp: false });
  return id;
}

function interactionKey(state: SlackState): string {
  return `${state.latest.seq}.0`;
}
