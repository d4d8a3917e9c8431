import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { ProductView } from "../domain/product-view.ts";
import type { Journal, WorldEvent } from "./journal.ts";

interface EventSource {
  journal: Journal;
  product(): ProductView | undefined;
  closing: AbortController;
}

/**
 * Server-sent events: `world` for each journal event, `product` when the product changed.
 * `Last-Event-ID` or `?after=<seq>` replays what came later; without it the stream starts now.
 */
export function streamEvents(context: Context, source: EventSource): Response {
  const { journal, closing } = source;
  const after = readAfter(context);
  return streamSSE(context, async (stream) => {
    const queue: (WorldEvent | "product")[] =
      after === undefined ? [] : journal.events.filter((event) => event.seq > after);
    let wake: (() => void) | undefined;
    const push = (entry: WorldEvent | "product") => {
      queue.push(entry);
      wake?.();
    };
    const end = () => wake?.();
    const stops = [journal.onAppend(push), source.product()?.onChange(() => push("product"))];
    closing.signal.addEventListener("abort", end);
    stream.onAbort(end);
    await stream.write(": open\n\n");
    while (!stream.aborted && !closing.signal.aborted) {
      const entry = queue.shift();
      if (entry !== undefined) await stream.writeSSE(toMessage(entry));
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    closing.signal.removeEventListener("abort", end);
    for (const stop of stops) stop?.();
  });
}

function readAfter(context: Context): number | undefined {
  const text = context.req.header("Last-Event-ID") ?? context.req.query("after");
  const after = Number(text);
  return text === undefined || !Number.isSafeInteger(after) ? undefined : after;
}

function toMessage(entry: WorldEvent | "product") {
  if (entry === "product") return { event: "product", data: "{}" };
  return { event: "world", id: String(entry.seq), data: JSON.stringify(entry) };
}
