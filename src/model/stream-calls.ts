import { isObject, jsonOf, textOf } from "./untrusted.ts";

/** No honest answer holds more calls; those beyond are not kept, and none of them may run. */
export const MOST_CALLS = 64;

/** Beyond both, a call is refused by its length: the rest need not be kept. */
const MOST_ARGUMENT_CHARS = 200_000;
const MOST_NAME_CHARS = 200;

/** Puts the calls of a stream together, by index or id, as odd endpoints send them. */
export interface CallAssembler {
  add(entry: unknown): void;
  /** As a whole answer has them, in the order of their first pieces. */
  calls(): AssembledCall[];
  hasTooMany(): boolean;
}

export interface AssembledCall {
  id: string;
  function: { name: string; arguments: string };
  extra_content?: unknown;
}

interface OpenCall {
  index: number | null;
  id: string;
  name: string;
  pieces: Pieces;
  extra: unknown;
}

/** Pieces of arguments, and both ways to read them: as what is added, or as all there is so far. */
interface Pieces {
  count: number;
  joined: string;
  last: string;
  /** So far each piece begins with the whole one before. */
  isCumulative: boolean;
}

interface Fragment {
  index: number | null;
  id: string;
  name: string;
  piece: string;
  extra: unknown;
}

export function createCallAssembler(): CallAssembler {
  const calls: OpenCall[] = [];
  let tooMany = false;
  return {
    add(entry) {
      const fragment = fragmentOf(entry);
      if (!fragment) return;
      const known = targetOf(calls, fragment);
      if (known) return extend(known, fragment);
      if (calls.length >= MOST_CALLS) tooMany = true;
      else calls.push(opened(fragment));
    },
    calls: () => calls.map(finished),
    hasTooMany: () => tooMany,
  };
}

function fragmentOf(entry: unknown): Fragment | null {
  if (!isObject(entry)) return null;
  const body = isObject(entry.function) ? entry.function : entry;
  const { arguments: given } = body;
  return {
    index: typeof entry.index === "number" ? entry.index : null,
    id: textOf(entry.id),
    name: textOf(body.name),
    piece: typeof given === "string" ? given : given == null ? "" : JSON.stringify(given),
    extra: entry.extra_content,
  };
}

/** The call that a fragment goes on with; null: it begins one. */
function targetOf(calls: readonly OpenCall[], fragment: Fragment): OpenCall | null {
  const { index, id, name, piece } = fragment;
  const latest =
    index !== null
      ? calls.findLast((call) => call.index === index)
      : (calls.findLast((call) => id !== "" && call.id === id) ?? calls.at(-1));
  if (latest) return beginsAnother(latest, fragment) ? null : latest;
  // an empty piece that nothing belongs to is no call
  if (id === "" && name === "" && piece === "") return calls[0] ?? null;
  return null;
}

function beginsAnother(call: OpenCall, { id, name, piece }: Fragment): boolean {
  if (id !== "" && call.id === id) return false;
  const isOtherId = id !== "" && call.id !== "";
  const isDone = isWhole(call.pieces.joined);
  // some send a new id with every piece of the same call
  if (isOtherId) return name !== "" || isDone;
  if (name === "" || !isDone || !piece.trimStart().startsWith("{")) return false;
  const isPlaceholder = isEmptyObject(call.pieces.joined) && name === call.name;
  return !isPlaceholder && piece !== call.pieces.last;
}

function opened(fragment: Fragment): OpenCall {
  const pieces = { count: 0, joined: "", last: "", isCumulative: true };
  const call = { index: fragment.index, id: "", name: "", pieces, extra: undefined };
  extend(call, fragment);
  return call;
}

function extend(call: OpenCall, { id, name, piece, extra }: Fragment): void {
  if (call.id === "") call.id = id;
  if (extra !== undefined && call.extra === undefined) call.extra = extra;
  const longer = name.startsWith(call.name) ? name : call.name + name;
  if (name !== "") call.name = longer.slice(0, MOST_NAME_CHARS);
  addPiece(call.pieces, piece);
}

function addPiece(pieces: Pieces, piece: string): void {
  if (piece === "" || pieces.joined.length > MOST_ARGUMENT_CHARS) return;
  const isRestart =
    pieces.count === 1 && isEmptyObject(pieces.joined) && piece.trimStart().startsWith("{");
  if (isRestart) {
    // an empty object that announces the call, then the real one
    Object.assign(pieces, { joined: piece, last: piece });
    return;
  }
  if (pieces.count > 0) pieces.isCumulative &&= piece.startsWith(pieces.last);
  pieces.count += 1;
  pieces.joined += piece;
  pieces.last = piece;
}

/**
 * Only at the end is it known which reading makes sense. What is whole in neither goes on joined,
 * to be refused by the check: nothing is closed, split or dropped here.
 */
function finished({ id, name, pieces, extra }: OpenCall): AssembledCall {
  const { count, isCumulative, joined, last } = pieces;
  const isRepeated = count > 1 && isCumulative && !isWhole(joined) && isWhole(last);
  return {
    id,
    function: { name, arguments: isRepeated ? last : joined },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

function isWhole(text: string): boolean {
  return text.trimEnd().endsWith("}") && isObject(jsonOf(text));
}

function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}
