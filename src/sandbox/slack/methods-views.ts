import { required, stringOf, structureOf } from "./arguments.ts";
import { withIds } from "./content.ts";
import type { SlackCore } from "./core.ts";
import type { Method } from "./method.ts";
import { viewJson } from "./payloads.ts";
import { invalidArguments, Refusal } from "./refusal.ts";
import type { Json, View } from "./state.ts";
import { checkView, VIEW_LIMIT } from "./view-check.ts";
import { STACK_LIMIT, stackHeight } from "./view-stack.ts";

const open: Method = (args, core) => {
  const view = readView(args);
  const { id, user } = exchange(core, required(args, "trigger_id"));
  if (view.external_id && byExternalId(core, String(view.external_id))) {
    throw new Refusal("duplicate_external_id");
  }
  core.record("slack.view_opened", { trigger_id: id, user, view });
  return { view: latestView(core) };
};

const push: Method = (args, core) => {
  const view = readView(args);
  const { id, user, viewId } = exchange(core, required(args, "trigger_id"));
  const previous = core.state.views.get(viewId ?? "");
  if (!previous) throw new Refusal("invalid_trigger_id");
  if (stackHeight(core.state, previous.rootId) >= STACK_LIMIT) {
    throw new Refusal("push_limit_reached");
  }
  core.record("slack.view_opened", { trigger_id: id, user, view, previous: previous.id });
  return { view: latestView(core) };
};

const update: Method = (args, core) => {
  const content = readView(args);
  const view = addressed(args, core);
  if (!view?.open) throw new Refusal("not_found");
  const hash = stringOf(args, "hash");
  if (hash !== undefined && hash !== view.hash) throw new Refusal("hash_conflict");
  core.record("slack.view_updated", { view_id: view.id, view: content });
  const updated = core.state.views.get(view.id);
  return { view: updated ? viewJson(updated) : null };
};

export const viewMethods: Record<string, Method> = {
  "views.open": open,
  "views.push": push,
  "views.update": update,
};

function readView(args: Json): Json {
  const view = structureOf(args, "view", "invalid_arguments");
  if (view === undefined) {
    throw invalidArguments([{ message: "missing required field: view", pointer: "" }]);
  }
  if (Buffer.byteLength(JSON.stringify(view)) > VIEW_LIMIT) throw new Refusal("view_too_large");
  const problems = checkView(view);
  if (problems.length > 0) throw invalidArguments(problems);
  const content = view as Json & { blocks: Json[] }; // checked above
  return { ...content, blocks: withIds(content.blocks) };
}

/** A trigger opens one view, within three seconds of the person's act. */
function exchange(core: SlackCore, id: string): { id: string; user: string; viewId?: string } {
  const trigger = core.state.triggers.get(id);
  if (!trigger) throw new Refusal("invalid_trigger_id");
  if (trigger.usedUp) throw new Refusal("exchanged_trigger_id");
  if (!core.isTriggerFresh(id)) throw new Refusal("expired_trigger_id");
  return { id, user: trigger.user, viewId: trigger.viewId };
}

function addressed(args: Json, core: SlackCore): View | undefined {
  const externalId = stringOf(args, "external_id");
  if (externalId !== undefined) return byExternalId(core, externalId);
  return core.state.views.get(required(args, "view_id"));
}

function byExternalId(core: SlackCore, externalId: string): View | undefined {
  return [...core.state.views.values()].find(
    (view) => view.open && view.content.external_id === externalId,
  );
}

function latestView(core: SlackCore): Json | null {
  const view = [...core.state.views.values()].at(-1);
  return view ? viewJson(view) : null;
}
