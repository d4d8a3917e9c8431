import { APIConnectionTimeoutError, APIUserAbortError } from "openai";
import type { ChatOutcome, ModelJournal } from "../domain/chat-model.ts";
import { messageOf } from "../domain/errors.ts";
import { failureOfError } from "../domain/failure.ts";
import { failed } from "./answer.ts";
import { classifyError, parsedBody, readEndpointError } from "./endpoint-error.ts";
import { type HttpRefusal, refusalIn } from "./http-refusal.ts";
import type { KeyMask } from "./key-mask.ts";
import type { Limit } from "./limit.ts";
import { retryAfterMsOf } from "./retry-after.ts";

interface Thrown {
  limit: Limit;
  journal: ModelJournal;
  mask: Pick<KeyMask, "records">;
  now: number;
}

/** What came of a request that threw: a refusal, a lost connection, an end of time or of patience. */
export function thrownOutcome(error: unknown, thrown: Thrown): ChatOutcome {
  const { limit, journal, mask } = thrown;
  const refusal = refusalIn(error);
  if (refusal) return refusedOutcome(refusal, thrown);
  if (limit.isTimeOver() || error instanceof APIConnectionTimeoutError)
    return failed("timeout", "the endpoint did not answer in time", journal, {
      failure: "timeout",
    });
  if (limit.signal.aborted || error instanceof APIUserAbortError)
    return failed("aborted", "the call was given up", journal, { failure: "network" });
  const failure = failureOfError(error) ?? (codeOf(error) === null ? "transient" : "network");
  return failed("unreachable", mask.records(reasonOf(error)), journal, { failure });
}

function refusedOutcome(refusal: HttpRefusal, { journal, mask, now }: Thrown): ChatOutcome {
  const { status, headers } = refusal;
  const body = mask.records(parsedBody(refusal.body));
  const said = readEndpointError(body);
  const { failure, fault } = classifyError(status, said);
  const location = mask.records(headers.get("location"));
  const words =
    status < 400 && location
      ? `the endpoint points to ${location}: set that address as its base URL`
      : said.message;
  const retryAfterMs = retryAfterMsOf({ status, headers, body, now });
  return failed(fault, `${status} ${words}`, journal, { failure, status, retryAfterMs });
}

/** The system's or the TLS layer's own code, the innermost one. */
function codeOf(error: unknown): string | null {
  let code: string | null = null;
  for (let at = error; at instanceof Error; at = at.cause) {
    const own = (at as Error & { code?: unknown }).code;
    if (typeof own === "string") code = own;
  }
  return code;
}

/** An error with several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  const code = codeOf(error);
  const message = messageOf(inner) || messageOf(error);
  const words = code === null || message.includes(code) ? message : `${message} (${code})`;
  return `the endpoint could not be reached or broke off: ${words}`;
}
