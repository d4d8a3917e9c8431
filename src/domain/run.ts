/**
 * `message`: the lead wrote. `continuation`: an outcome came later and is told; only reads may run
 * then.
 */
export type RunKind = "message" | "continuation";
/**
 * `waiting_retry`: parked while the model does not answer. `exhausted`: out of cycles or of time,
 * and answered from a template. `superseded`: another run or a person has the word. `cancelled`:
 * the lead blocked the bot.
 */
export type RunStatus =
  | "queued"
  | "running"
  | "waiting_retry"
  | "completed"
  | "failed"
  | "exhausted"
  | "superseded"
  | "cancelled";

/** One dispatch of a call is one attempt, retries included; schema failures and blocks are none. */
export const ATTEMPTS_PER_RUN = 6;
/** Model calls of one run: the last one must be words. */
export const CYCLES_PER_RUN = 4;
/** A run goes on with newer messages instead of sending its draft, this often at most. */
export const SUPERSEDED_DRAFTS_PER_RUN = 2;
