import type { WorldEvent } from "../journal.ts";
import type { Folds, SlackFact } from "./facts.ts";
import { envelopeFolds } from "./fold-envelopes.ts";
import { fileFolds } from "./fold-files.ts";
import { interactionFolds } from "./fold-interactions.ts";
import { messageFolds } from "./fold-messages.ts";
import { rightsFolds } from "./fold-rights.ts";
import { createState } from "./seed.ts";
import { stampOf } from "./stamp.ts";
import type { SlackState } from "./state.ts";

const FOLDS: Folds = {
  ...messageFolds,
  ...fileFolds,
  ...interactionFolds,
  ...envelopeFolds,
  ...rightsFolds,
};

/** State after the event. Deterministic: a replay of the journal gives the same world. */
export function fold(state: SlackState, event: WorldEvent): SlackState {
  if (event.kind === "world.reset") {
    return { ...createState(state.latest), requestUrl: state.requestUrl };
  }
  if (!event.kind.startsWith("slack.")) return state;
  state.latest = stampOf(event, state.latest.second);
  // the journal holds what `record` wrote under this kind
  const take = FOLDS[event.kind as SlackFact] as
    | ((state: SlackState, fact: unknown) => void)
    | undefined;
  take?.(state, event.data);
  return state;
}
