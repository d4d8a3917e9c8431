import type { ChatModel, ChatOutcome } from "../domain/chat-model.ts";

/** Endpoints without keys get this word: some refuse a request without the header. */
export const NO_KEY = "none";

/** Takes a key out of what its endpoint says; whole values, with all text inside. */
export interface KeyMask {
  /** For what is written down: errors, names, reasons. */
  records<T>(value: T): T;
  /** For what a model says and calls, where a key that is a plain word may be meant as one. */
  words<T>(value: T): T;
}

const SHORTEST_IN_RECORDS = 4;
const SHORTEST_IN_WORDS = 16;
const SHORTEST_BASE64 = 6;
/** Nothing that is read lies deeper. */
const DEEPEST = 100;

/** Also in the forms of base64, of addresses and of JSON, in capitals or not. */
export function maskOf(key: string): KeyMask {
  const same = <T>(value: T): T => value;
  if (key === NO_KEY || key.length < SHORTEST_IN_RECORDS) return { records: same, words: same };
  const pattern = new RegExp(formsOf(key.toWellFormed()).join("|"), "gi");
  const hide = (text: string) => text.replace(pattern, "[key]");
  const records = <T>(value: T): T => inside(value, hide, 0) as T; // texts stay texts
  return { records, words: key.length < SHORTEST_IN_WORDS ? same : records };
}

/** The same model, whose outcomes and streams do not hold its key. */
export function masking(model: ChatModel, { records, words }: KeyMask): ChatModel {
  return {
    async chat(request) {
      const { onDelta } = request;
      const shown = onDelta && { onDelta: (text: string) => onDelta(words(text)) };
      const outcome = await model.chat(shown ? { ...request, ...shown } : request);
      return masked(outcome, { records, words });
    },
  };
}

function masked(outcome: ChatOutcome, { records, words }: KeyMask): ChatOutcome {
  if (outcome.kind === "failed") return records(outcome);
  const { journal, ...said } = outcome;
  return { ...words(said), journal: records(journal) };
}

function inside(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((one) => inside(one, hide, depth + 1));
  const pairs = Object.entries(value).map(([name, one]) => [
    hide(name),
    inside(one, hide, depth + 1),
  ]);
  return Object.fromEntries(pairs);
}

/** Patterns, the longest first: a part must not be taken before the whole. */
function formsOf(key: string): string[] {
  const inAddress = encodeURIComponent(key);
  const forms = [
    ...[key, inAddress, inAddress.replaceAll("%20", "+"), JSON.stringify(key).slice(1, -1)],
    ...[0, 1, 2].map((offset) => base64At(key, offset)),
  ].filter((form, at) => at < 4 || form.length >= SHORTEST_BASE64);
  return [...new Set(forms)].sort((one, other) => other.length - one.length).map(patternOf);
}

/** What base64 makes of a key that follows `offset` other bytes, whatever these are. */
function base64At(key: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
  const text = bytes.toString("base64").replace(/=+$/, "");
  return text.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 ? undefined : -1);
}

/** `+` and `/` are `-` and `_` in addresses. */
function patternOf(form: string): string {
  return form
    .replace(/[.*?^${}()|[\]\\]/g, "\\$&")
    .replace(/[+-]/g, "[+-]")
    .replace(/[/_]/g, "[/_]");
}
