import { z } from "zod";
import type { WorldEvent } from "../journal.ts";
import { type ChatRequest, messageText } from "./wire.ts";

/** `match`: the step waits for a request whose last words hold this; others may go before it. */
export const stepsSchema = z.array(
  z.strictObject({
    content: z.string().nullish(),
    tool_calls: z
      .array(z.strictObject({ name: z.string(), arguments: z.unknown().optional() }))
      .optional(),
    /** The whole body: an object as JSON, text as it is, an array as the events of a stream. */
    raw: z.unknown().optional(),
    status: z.int().min(100).max(599).optional(),
    delay_ms: z.int().min(0).max(600_000).optional(),
    match: z.strictObject({ last_contains: z.string() }).optional(),
  }),
);
/** One prepared answer: words, calls, a status, or a broken body. */
export type ScriptStep = z.infer<typeof stepsSchema>[number];

/** Tests say by it what a model does wrong; without steps the rules answer. */
export interface Script {
  apply(event: WorldEvent): void;
  /** The first step in line that this request may take; `take` is journaled by the caller. */
  find(request: ChatRequest): { position: number; step: ScriptStep } | undefined;
  readonly length: number;
}

/** Prepared answers in line before the built-in model; a fold over the journal. */
export function createScript(): Script {
  let steps: ScriptStep[] = [];
  return {
    apply(event) {
      if (event.kind === "world.reset" || event.kind === "model.script_cleared") steps = [];
      if (event.kind === "model.scripted") steps = steps.concat(event.data as ScriptStep[]);
      if (event.kind === "model.step_taken") {
        const { position } = event.data as { position: number };
        steps = steps.filter((_, index) => index !== position);
      }
    },
    find(request) {
      if (!takesSteps(request)) return undefined;
      const last = lastSaid(request);
      const position = steps.findIndex((step) => last.includes(step.match?.last_contains ?? ""));
      const step = steps[position];
      return step && { position, step };
    },
    get length() {
      return steps.length;
    },
  };
}

/** The reply loop carries tools; the guard's repair call has none and names itself. */
function takesSteps(request: ChatRequest): boolean {
  return (request.tools?.length ?? 0) > 0 || request.metadata?.operation === "repair";
}

function lastSaid(request: ChatRequest): string {
  const last = request.messages.findLast(({ role }) => role === "user" || role === "tool");
  return last ? messageText(last) : "";
}
