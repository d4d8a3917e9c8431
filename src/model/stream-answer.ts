import type { ServerEvent } from "./sse.ts";
import { type AssembledCall, createCallAssembler } from "./stream-calls.ts";
import { countOf, isObject, jsonOf, textOf } from "./untrusted.ts";

/** What a stream came to, in the form of a whole answer. */
export interface StreamedAnswer {
  body: Record<string, unknown>;
  /** Something was said before the stream ended. */
  hasOutput: boolean;
  /** It ended as it should; else what there is must not be acted on. */
  isWhole: boolean;
  /** The endpoint's own error, where it sent one. */
  error: unknown;
  hasTooManyCalls: boolean;
}

export interface StreamReader {
  take(event: ServerEvent): void;
  /** The endpoint said that this is all; only figures may follow. */
  hasFinished(): boolean;
  /** Nothing that comes now counts. */
  isOver(): boolean;
  result(): StreamedAnswer;
}

const REASONING_TEXTS = ["reasoning_content", "reasoning"] as const;

/** Reads chunks in the order in which they come. `onText` gets what may be shown at once. */
export function createStreamReader(onText: (text: string) => void): StreamReader {
  const state = newState(onText);
  return {
    take(event) {
      for (const payload of payloadsOf(event)) if (!state.isOver) takePayload(state, payload);
    },
    hasFinished: () => state.finish !== null,
    isOver: () => state.isOver,
    result: () => resultOf(state),
  };
}

interface State {
  texts: string[];
  isCumulative: boolean;
  show(piece: string): void;
  calls: ReturnType<typeof createCallAssembler>;
  refusal: string;
  reasoning: Map<string, string>;
  reasoningDetails: unknown[];
  extra: unknown;
  usage: Map<string, number>;
  model: string;
  finish: string | null;
  error: unknown;
  isBroken: boolean;
  isOver: boolean;
}

function newState(onText: (text: string) => void): State {
  return {
    ...{ texts: [], isCumulative: true, show: createPreview(onText) },
    ...{ calls: createCallAssembler(), refusal: "", reasoning: new Map(), reasoningDetails: [] },
    ...{ extra: undefined, usage: new Map(), model: "", finish: null, error: undefined },
    ...{ isBroken: false, isOver: false },
  };
}

const DONE = Symbol("done");
const LOST = Symbol("lost");

/** The lines of an event are one value, or one each where a server leaves out the blank lines. */
function payloadsOf({ event, data }: ServerEvent): unknown[] {
  const whole = data.join("\n").trim();
  if (whole === "") return [];
  const value = payloadOf(whole);
  const values = value === LOST && data.length > 1 ? data.map(payloadOf) : [value];
  return event === "error"
    ? values.map((one) => (isObject(one) && one.error ? one : { error: one }))
    : values;
}

function payloadOf(text: string): unknown {
  if (text.trimStart().startsWith("[DONE]")) return DONE;
  return jsonOf(text) ?? LOST;
}

function takePayload(state: State, payload: unknown): void {
  if (payload === DONE) {
    state.isOver = true;
    return;
  }
  if (!isObject(payload)) {
    // what was in it is lost
    state.isBroken = true;
    return;
  }
  if (payload.error) {
    state.error = payload;
    state.isOver = true;
    return;
  }
  if (state.model === "") state.model = textOf(payload.model);
  takeUsage(state, payload.usage);
  const choices = Array.isArray(payload.choices) ? payload.choices.filter(isObject) : [];
  const choice = choices.find(({ index }) => index === undefined || index === null || index === 0);
  if (choice) takeChoice(state, choice);
}

/** The largest that was said: some send figures so far, some zeros at the end. */
function takeUsage(state: State, usage: unknown): void {
  if (!isObject(usage)) return;
  for (const name of ["prompt_tokens", "completion_tokens"]) {
    const count = countOf(usage[name]);
    if (count !== null) state.usage.set(name, Math.max(count, state.usage.get(name) ?? 0));
  }
}

function takeChoice(state: State, choice: Record<string, unknown>): void {
  if (choice.error) state.error = { error: choice.error };
  const delta = isObject(choice.delta) ? choice.delta : choice.message;
  if (isObject(delta)) takeDelta(state, delta);
  if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
    state.finish = choice.finish_reason;
}

function takeDelta(state: State, delta: Record<string, unknown>): void {
  takeText(state, contentOf(delta.content));
  state.refusal += textOf(delta.refusal);
  const entries = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  for (const entry of entries) state.calls.add(entry);
  if (isObject(delta.function_call)) state.calls.add({ index: 0, function: delta.function_call });
  for (const name of REASONING_TEXTS) {
    const said = textOf(delta[name]);
    if (said !== "") state.reasoning.set(name, (state.reasoning.get(name) ?? "") + said);
  }
  if (Array.isArray(delta.reasoning_details))
    state.reasoningDetails.push(...delta.reasoning_details.slice(0, 1_000));
  state.extra ??= delta.extra_content;
}

function takeText(state: State, piece: string): void {
  if (piece === "") return;
  const last = state.texts.at(-1);
  if (last !== undefined) state.isCumulative &&= piece.startsWith(last);
  state.texts.push(piece);
  state.show(piece);
}

/** Text, or a list of parts of which only the text is for the client. */
export function contentOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map(partText).join("");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isObject(part)) return "";
  const isText = part.type === undefined || part.type === "text" || part.type === "output_text";
  return isText ? textOf(part.text) : "";
}

/** Two that begin alike may be chance ("ha", "haha"); more, or long ones, are not. */
function isRepeating({ texts, isCumulative }: State): boolean {
  if (!isCumulative || texts.length < 2) return false;
  return texts.length > 2 || (texts[0] ?? "").length > 8;
}

function resultOf(state: State): StreamedAnswer {
  const content = isRepeating(state) ? (state.texts.at(-1) ?? "") : state.texts.join("");
  const toolCalls: AssembledCall[] = state.calls.calls();
  const message = {
    ...{ content, tool_calls: toolCalls },
    ...(state.refusal === "" ? {} : { refusal: state.refusal }),
    ...Object.fromEntries(state.reasoning),
    ...(state.reasoningDetails.length > 0 ? { reasoning_details: state.reasoningDetails } : {}),
    ...(state.extra === undefined ? {} : { extra_content: state.extra }),
  };
  return {
    body: {
      model: state.model,
      usage: Object.fromEntries(state.usage),
      choices: [{ message, finish_reason: state.finish }],
    },
    hasOutput: content.trim() !== "" || toolCalls.length > 0,
    isWhole: state.finish !== null && state.error === undefined && !state.isBroken,
    error: state.error,
    hasTooManyCalls: state.calls.hasTooMany(),
  };
}

/** May open a call, thinking or a tool's token: from that word on the end has to be waited for. */
const HELD = /[<[{`]|\w\(|functions\./;

/** Passes whole words on as they come, as long as nothing may turn out to be something else. */
function createPreview(onText: (text: string) => void): (piece: string) => void {
  let first: string | null = null;
  let waiting = "";
  let isHeld = false;
  return (piece) => {
    if (isHeld) return;
    if (first === null) first = piece;
    // maybe all there is so far, not what is added
    else if (waiting === first && piece.startsWith(first)) isHeld = true;
    waiting += piece;
    if (isHeld || waiting === first) return;
    const at = waiting.search(HELD);
    isHeld = at >= 0;
    const free = wholeWords(isHeld ? waiting.slice(0, at) : waiting);
    waiting = waiting.slice(free.length);
    if (free !== "") onText(free);
  };
}

function wholeWords(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n")) + 1);
}
