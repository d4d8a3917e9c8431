import { runInNewContext } from "node:vm";

/** Some expressions take years on some texts; what a case needs takes a millisecond. */
const LIMIT_MS = 500;
const TIMED_OUT = "ERR_SCRIPT_EXECUTION_TIMEOUT";

/** Whether `expression` finds something in `text`; null: nobody knows, it takes too long to tell. */
export function findsIn(expression: RegExp, text: string): boolean | null {
  const { source, flags } = expression;
  try {
    // in a context of its own it can be broken off
    return runInNewContext(
      "new RegExp(source, flags).test(text)",
      { source, flags, text },
      { timeout: LIMIT_MS },
    ) as boolean; // what `test` answers
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === TIMED_OUT) return null;
    throw error;
  }
}
