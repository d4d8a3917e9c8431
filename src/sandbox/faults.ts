import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { playedFault } from "../domain/played-world.ts";
import type { Journal, WorldEvent } from "./journal.ts";
import type { ServiceName } from "./services.ts";

/** `count`: how many requests it still hits. */
export type Fault = z.infer<typeof playedFault>;
/** What goes wrong; which kinds a service knows, its middleware says. */
export type FaultKind = Fault["kind"];

/** Faults asked for and not used up; a fold over the journal, so they outlive a restart. */
export interface Faults {
  apply(event: WorldEvent): void;
  /** Uses up one of the first fault of this service that is of one of these kinds. */
  take(service: ServiceName, kinds: readonly FaultKind[]): Fault | undefined;
  list(): readonly Fault[];
}

/**
 * Written to the journal when asked for and when used, so that a replay goes wrong in the same
 * places.
 */
export function createFaults(journal: Pick<Journal, "append">): Faults {
  let open: Fault[] = [];
  return {
    apply(event) {
      if (event.kind === "world.reset") open = [];
      // count 0 clears the faults of that service and kind
      if (event.kind === "fault.set") open = addFault(open, event.data as Fault);
      if (event.kind === "fault.used") open = useFault(open, event.data as Fault);
    },
    take(service, kinds) {
      const fault = open.find((entry) => entry.service === service && kinds.includes(entry.kind));
      if (fault) journal.append("fault.used", { service: fault.service, kind: fault.kind });
      return fault;
    },
    list: () => open,
  };
}

function addFault(open: Fault[], fault: Fault): Fault[] {
  if (fault.count > 0) return [...open, { ...fault }];
  return open.filter((entry) => entry.service !== fault.service || entry.kind !== fault.kind);
}

function useFault(open: Fault[], used: Pick<Fault, "service" | "kind">): Fault[] {
  const index = open.findIndex((e) => e.service === used.service && e.kind === used.kind);
  return open.flatMap((entry, at) => {
    if (at !== index) return [entry];
    return entry.count > 1 ? [{ ...entry, count: entry.count - 1 }] : [];
  });
}

/** How one service fails, in its own words. */
export interface FaultOptions {
  faults: Faults;
  service: ServiceName;
  /** The service's own error body for a status fault. */
  errorBody(status: number, retryAfter: number | undefined): unknown;
  /** Polling and connection set-up only know `down`, so that a counted fault hits a real call. */
  isPolling?(context: Context): boolean;
}

/** Hono middleware that plays the faults of one HTTP service. */
export function playFaults(options: FaultOptions): MiddlewareHandler {
  return async (context, next) => {
    const kinds: FaultKind[] = options.isPolling?.(context)
      ? ["down"]
      : ["down", "status", "timeout", "latency", "drop_response_after_effect"];
    const fault = options.faults.take(options.service, kinds);
    if (!fault) return next();
    if (fault.kind === "latency") {
      await wait(fault.delay_ms ?? 1000, context.req.raw.signal);
      return next();
    }
    if (fault.kind === "status") return statusAnswer(context, fault, options);
    if (fault.kind === "timeout") await wait(fault.delay_ms ?? 600_000, context.req.raw.signal);
    if (fault.kind === "drop_response_after_effect") {
      await next();
      await wait(fault.delay_ms ?? 0, context.req.raw.signal);
    }
    return dropConnection(context);
  };
}

function statusAnswer(context: Context, fault: Fault, options: FaultOptions): Response {
  const status = fault.status ?? 500;
  if (fault.retry_after !== undefined) context.header("Retry-After", String(fault.retry_after));
  const body = options.errorBody(status, fault.retry_after);
  return context.newResponse(JSON.stringify(body), status as 500, {
    "Content-Type": "application/json",
  });
}

/** The client sees a reset socket and no answer. */
function dropConnection(context: Context): Response {
  (context.env as HttpBindings).incoming.socket.destroy();
  return context.newResponse(null);
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
