import type { ChatOutcome, ModelJournal } from "../domain/chat-model.ts";
import { type Asked, errorOutcome, failed, readAnswer } from "./answer.ts";
import { createEventReader } from "./sse.ts";
import { createStreamReader, type StreamedAnswer, type StreamReader } from "./stream-answer.ts";
import { jsonOf } from "./untrusted.ts";

export interface Reading {
  journal: ModelJournal;
  asked: Asked;
  onDelta: ((text: string) => void) | undefined;
  /** Drops the connection without waiting for its end. */
  leave(): void;
}

/** How long figures may follow after the endpoint said that the answer is over. */
const TRAILER_MS = 1_000;

/**
 * Reads a success to its end. What it is, a stream or one value, is seen from its first character:
 * endpoints answer with either, whatever was asked for and whatever the header says.
 */
export async function readResponse(response: Response, reading: Reading): Promise<ChatOutcome> {
  const isStream =
    reading.onDelta || response.headers.get("content-type")?.includes("event-stream");
  if (!isStream) return readText(await response.text(), reading);
  const body = response.body as unknown as AsyncIterable<Uint8Array> | null; // web streams are, too
  if (!body) return failed("unreadable", "the answer has no body", reading.journal);
  const chunks = body[Symbol.asyncIterator]();
  const start = await firstWords(chunks);
  if (looksLikeEvents(start.bytes)) return readStream(start, chunks, reading);
  const parts = [start.bytes];
  for (let next = await chunks.next(); !next.done; next = await chunks.next())
    parts.push(next.value);
  return readWhole(Buffer.concat(parts).toString("utf8"), reading);
}

/** Also a stream may stand there, which was not asked for and is not called one. */
function readText(text: string, reading: Reading): Promise<ChatOutcome> | ChatOutcome {
  if (!EVENTS.test(text)) return readWhole(text, reading);
  return readStream({ bytes: Buffer.from(text) }, NOTHING_MORE, reading);
}

const NOTHING_MORE: AsyncIterator<Uint8Array> = {
  next: async () => ({ done: true, value: undefined }),
};

interface Start {
  bytes: Uint8Array;
}

const ENOUGH_TO_TELL = 8;

/** Reads until it can be told; blank lines before it only kept the connection alive. */
async function firstWords(chunks: AsyncIterator<Uint8Array>): Promise<Start> {
  let bytes = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    bytes = bytes.length === 0 ? Buffer.from(next.value) : Buffer.concat([bytes, next.value]);
    const text = bytes.toString("utf8").trimStart();
    if (text === "") bytes = Buffer.alloc(0);
    else if (text.length >= ENOUGH_TO_TELL) break;
  }
  return { bytes };
}

const EVENTS = /^\s*(?:data|event|id|retry)?:/;

function looksLikeEvents(bytes: Uint8Array): boolean {
  return EVENTS.test(Buffer.from(bytes).toString("utf8", 0, 70_000)); // \s holds the byte order mark
}

function readWhole(text: string, { journal, asked, onDelta }: Reading): ChatOutcome {
  if (text.trim() === "") return failed("unreadable", "the answer has no body", journal);
  const body = jsonOf(text.trim());
  if (body === undefined)
    return failed("unreadable", "the endpoint answered with no JSON", journal);
  const outcome = readAnswer(body, journal, asked);
  if (outcome.kind === "answer" && outcome.text !== "") onDelta?.(outcome.text);
  return outcome;
}

async function readStream(
  start: Start,
  chunks: AsyncIterator<Uint8Array>,
  reading: Reading,
): Promise<ChatOutcome> {
  let shown = "";
  const reader = createStreamReader((text) => {
    shown += text;
    reading.onDelta?.(text);
  });
  const lost = await takeAll(start, chunks, { reader, leave: reading.leave });
  const streamed = reader.result();
  // the caller's own end of time or patience is no answer, however much of one had come
  if (lost && !reader.hasFinished() && (isAbort(lost.error) || !streamed.hasOutput))
    throw lost.error;
  const outcome = streamedOutcome(streamed, reading);
  if (outcome.kind === "answer" && outcome.text.startsWith(shown)) {
    const rest = outcome.text.slice(shown.length);
    if (rest !== "") reading.onDelta?.(rest);
  }
  return outcome;
}

/** Feeds the reader until the stream is over; what broke it comes back. */
async function takeAll(
  start: Start,
  chunks: AsyncIterator<Uint8Array>,
  { reader, leave }: { reader: StreamReader; leave(): void },
): Promise<{ error: unknown } | null> {
  const events = createEventReader();
  const trailer = createTrailer();
  try {
    for (const event of events.push(start.bytes)) reader.take(event);
    for (;;) {
      const isFinished = reader.hasFinished() || reader.isOver();
      const next = await (isFinished ? trailer.next(chunks) : chunks.next());
      if (next === null) leave();
      if (next === null || next.done) break;
      for (const event of events.push(next.value)) reader.take(event);
    }
    for (const event of events.end()) reader.take(event);
    return null;
  } catch (error) {
    return { error };
  } finally {
    trailer.close();
  }
}

/** After the answer's own end an open connection is not waited for long: null. */
function createTrailer() {
  let timer: NodeJS.Timeout | undefined;
  let over: Promise<null> | undefined;
  return {
    next(chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array> | null> {
      over ??= new Promise((resolve) => {
        timer = setTimeout(resolve, TRAILER_MS, null);
      });
      const next = chunks.next();
      next.catch(() => {}); // what it comes to after that is nobody's
      return Promise.race([next, over]);
    },
    close: () => clearTimeout(timer),
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** One that did not end as it should is cut: what it proposed must not run. */
function streamedOutcome(streamed: StreamedAnswer, { journal, asked }: Reading): ChatOutcome {
  const { error, hasOutput, isWhole, body } = streamed;
  if (error !== undefined && !hasOutput) return errorOutcome(error, journal, asked);
  const outcome = readAnswer(body, journal, asked);
  if (!isWhole) journal.finishReason = null;
  if (outcome.kind === "failed") {
    if (isWhole || outcome.fault !== "empty") return outcome;
    return failed("unreadable", "the stream broke off before it said anything", journal);
  }
  return { ...outcome, cut: outcome.cut || !isWhole || streamed.hasTooManyCalls };
}
