import { withIds } from "./content.ts";
import { isRecord } from "./schema.ts";
import { numberedId, opaque } from "./stamp.ts";
import type { Json, SlackState, View } from "./state.ts";
import { checkView } from "./view-check.ts";

/** A person sees at most this many modals on top of each other. */
export const STACK_LIMIT = 3;

/** On top of `previous`, or as the first one. */
export function openView(
  state: SlackState,
  input: { user: string; content: Json; previous?: View },
): View {
  const { seq } = state.latest;
  const id = numberedId("V", seq);
  const view: View = {
    id,
    user: input.user,
    content: input.content,
    hash: viewHash(state),
    rootId: input.previous?.rootId ?? id,
    previousId: input.previous?.id ?? null,
    open: true,
    errors: {},
  };
  state.views.set(id, view);
  return view;
}

export function replaceView(state: SlackState, view: View, content: Json): void {
  state.views.set(view.id, { ...view, content, hash: viewHash(state), errors: {} });
}

export function closeView(state: SlackState, view: View): void {
  state.views.set(view.id, { ...view, open: false, errors: {} });
}

/** Open ones of one stack. */
export function stackHeight(state: SlackState, rootId: string): number {
  return [...state.views.values()].filter((view) => view.open && view.rootId === rootId).length;
}

/** The acknowledgement of a submission decides what the person sees next. */
export function answerSubmission(state: SlackState, view: View, answer: Json): void {
  const content = readContent(answer.view);
  switch (answer.response_action) {
    case "errors": {
      // texts by block_id; anything else is shown as the text it makes
      const errors = (answer.errors ?? {}) as Record<string, string>;
      state.views.set(view.id, { ...view, errors });
      return;
    }
    case "update":
      if (content) replaceView(state, view, content);
      return;
    case "push":
      if (!content || stackHeight(state, view.rootId) >= STACK_LIMIT) return;
      openView(state, { user: view.user, content, previous: view });
      return;
    case "clear":
      for (const other of state.views.values()) {
        if (other.rootId === view.rootId) closeView(state, other);
      }
      return;
    default:
      closeView(state, view);
  }
}

/** Nothing, when the service would refuse the view: the person then keeps the old one. */
function readContent(view: unknown): Json | undefined {
  if (!isRecord(view) || checkView(view).length > 0) return undefined;
  const blocks = view.blocks as Json[]; // checked in the line above
  return { ...view, blocks: withIds(blocks) };
}

function viewHash(state: SlackState): string {
  return `${state.latest.second}.${opaque("view", state.latest.seq, 8)}`;
}
