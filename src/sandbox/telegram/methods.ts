import type { Params } from "./params.ts";

/** One call of the Bot API. */
export interface MethodCall {
  params: Params;
  /** Aborted when the client hangs up. */
  signal: AbortSignal;
}

/** What the call answers; an object with `description` says more than the result. */
export type Method = (call: MethodCall) => unknown;

/** Methods of the Bot API by lower-case name. */
export interface Methods {
  table: Record<string, Method>;
}

/** A result that comes with a sentence. */
export interface DescribedResult {
  result: unknown;
  description: string;
}
