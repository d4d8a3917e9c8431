import { messageOf } from "../../domain/errors.ts";
import type { RetryableFailure } from "../../domain/failure.ts";
import { foreignLine } from "../foreign-line.ts";

interface Told {
  /** For people: it may hold the server's words, cleaned. */
  message: string;
  /** In our own words alone, as a model may read it. */
  brief: string;
  /** For the owner: what the library or the server said, one line. */
  detail: string;
  /** The server's reply code, when it gave one. */
  status: number | null;
}

/** How certain it is that nothing was sent; only `not_sent` may be tried again by itself. */
export type MailFailure = Told &
  (
    | { kind: "refused" } // the server, or we ourselves, said no for good
    | { kind: "not_sent"; failure: RetryableFailure } // certain: it was not taken; worth another try
    | { kind: "unknown" } // it went over the line, and no answer came
  );

/** Codes of the library for what it would not even send. */
const OURS: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE", "ENOAUTH", "ECONFIG"]);

/** A reply is certain whenever it comes; without one it is certain only before the letter went out. */
export function judgeFailure(error: unknown, isBegun: boolean): MailFailure {
  const { status, isFinal, code } = partsOf(error);
  const detail = foreignLine(messageOf(error)) || code || "no connection";
  const told = { detail, status };
  if (status !== null && isFinal)
    return { kind: "refused", ...refusalTexts(error, status), ...told };
  if (status !== null) {
    const failure = status === 452 || /\b4\.7\.\d/.test(detail) ? "rate_limited" : "unavailable";
    const message = `the mail server asks to try again later (${status})`;
    return { kind: "not_sent", failure, ...ours(message), ...told };
  }
  if (isBegun)
    return { kind: "unknown", ...ours("the mail server did not say whether it took it"), ...told };
  if (OURS.has(code))
    return { kind: "refused", message: detail, brief: "it cannot be sent as it is", ...told };
  const isLate = code === "ETIMEDOUT" || (error instanceof Error && error.name === "TimeoutError");
  const failure = isLate ? "timeout" : "network";
  return { kind: "not_sent", failure, ...ours("the mail server could not be reached"), ...told };
}

function ours(words: string): Pick<Told, "message" | "brief"> {
  return { message: words, brief: words };
}

interface Parts {
  status: number | null;
  isFinal: boolean;
  code: string;
}

function partsOf(error: unknown): Parts {
  const { responseCode, permanent, code } = (error ?? {}) as {
    responseCode?: unknown;
    permanent?: unknown;
    code?: unknown;
  };
  const isReply = typeof responseCode === "number" && responseCode >= 400;
  return {
    status: isReply ? responseCode : null,
    isFinal: permanent === true,
    code: typeof code === "string" ? code : "",
  };
}

function refusalTexts(error: unknown, status: number): Pick<Told, "message" | "brief"> {
  const { response, code } = error as { response?: unknown; code?: unknown };
  const said = typeof response === "string" ? foreignLine(response) : String(status);
  const what = code === "EAUTH" ? "refused our login" : "refused the letter";
  const brief = `the mail server ${what}`;
  return { message: `${brief}: ${said}`, brief: `${brief} (${status})` };
}
