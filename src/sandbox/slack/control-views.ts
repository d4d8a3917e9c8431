import { Hono } from "hono";
import { z } from "zod";
import { readBody } from "../control-body.ts";
import { missing } from "./control-requests.ts";
import type { SlackCore } from "./core.ts";
import type { SlackFacts } from "./facts.ts";
import { fillForm } from "./form-values.ts";
import { REPLY_LIMIT_MS } from "./replies.ts";
import { inputsOf, labelOf, shownView } from "./shown-view.ts";
import type { Json, View } from "./state.ts";

/** Open modals, filling them in and closing them. */
export function createViewRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.get("/views", (context) => {
    const open = [...core.state.views.values()].filter((view) => view.open);
    return context.json(open.map((view) => shownView(core, view)));
  });
  routes.post("/views/:id/submit", async (context) => {
    const { user, values } = await readBody(context, submission);
    const view = openView(core, context.req.param("id"));
    const form = fillForm(view, values);
    switch (form.kind) {
      case "unknown_labels":
        throw missing(`The modal has no input ${form.labels.join(", ")}.`);
      case "refused":
        return context.json({ result: "errors", errors: form.errors });
      case "filled":
        return context.json(await submit(core, view, { user, values: form.values }));
    }
  });
  routes.post("/views/:id/close", async (context) => {
    const { user } = await readBody(context, z.object({ user: z.string() }));
    const view = openView(core, context.req.param("id"));
    core.record("slack.view_closed", { view_id: view.id, user });
    return context.json({ result: "closed" });
  });
  return routes;
}

const submission = z.object({
  user: z.string(),
  values: z.record(z.string(), z.unknown()).default({}),
});

function openView(core: SlackCore, id: string): View {
  const view = core.state.views.get(id);
  if (!view?.open) throw missing(`No modal ${id} is open.`);
  return view;
}

function submit(core: SlackCore, view: View, by: { user: string; values: Json }): Promise<Json> {
  const { seq } = core.record("slack.view_submitted", { view_id: view.id, ...by });
  core.issueTrigger(seq);
  const key = `${seq}.0`;
  return new Promise((resolve) => {
    const finish = (result: Json): void => {
      clearTimeout(timer);
      stop();
      resolve(result);
    };
    const late = { result: "timeout", error: "operation_timeout" };
    const timer = setTimeout(() => finish(late), REPLY_LIMIT_MS + 3000);
    const stop = core.onChange((event) => {
      // own journal kinds
      if (event.kind === "slack.envelope_acked") {
        const fact = event.data as SlackFacts["slack.envelope_acked"];
        if (fact.key === key) finish(outcome(core, view, fact.payload ?? {}));
      }
      if (event.kind === "slack.envelope_dropped") {
        const fact = event.data as SlackFacts["slack.envelope_dropped"];
        if (fact.key === key) finish({ ...late, error: fact.reason });
      }
    });
  });
}

/** What the person sees after the bot's acknowledgement. */
function outcome(core: SlackCore, view: View, answer: Json): Json {
  const after = core.state.views.get(view.id);
  switch (answer.response_action) {
    case "errors": {
      const inputs = inputsOf(view);
      const errors = Object.entries(after?.errors ?? {}).map(([id, t]) => [labelOf(inputs, id), t]);
      return { result: "errors", errors: Object.fromEntries(errors) };
    }
    case "update":
    case "push": {
      const top = [...core.state.views.values()].filter((v) => v.open && v.rootId === view.rootId);
      const shown = top.at(-1);
      return { result: answer.response_action, view: shown ? shownView(core, shown) : null };
    }
    default:
      return { result: "closed" };
  }
}
