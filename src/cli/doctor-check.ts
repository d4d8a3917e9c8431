import { type Finding, problem } from "../bot/finding.ts";
import { within } from "../bot/wait.ts";
import { messageOf } from "../domain/errors.ts";

/** One thing that is looked at. It may throw, and it need not end. */
export interface Check {
  name: string;
  /** Real time; 5 s when absent. */
  limitMs?: number;
  look(signal: AbortSignal): Promise<Finding[]> | Finding[];
}

/** One line of the report; `nextStep` is empty when nothing has to be done. */
export interface Line {
  level: "ok" | "warn" | "FAIL";
  name: string;
  what: string;
  nextStep: string;
}

const LIMIT_MS = 5_000;

/** Never throws and always ends: one check that fails leaves the others alone. */
export async function runCheck({ name, limitMs = LIMIT_MS, look }: Check): Promise<Line[]> {
  const stopping = new AbortController();
  try {
    const findings = await within(limitMs, Promise.resolve(look(stopping.signal)));
    return (findings ?? [tooLate(limitMs)]).map((finding) => lineOf(name, finding));
  } catch (error) {
    return [lineOf(name, refusalFinding(messageOf(error)))];
  } finally {
    stopping.abort();
  }
}

/** What a start would be refused with: "the thing: the rule; the next step". */
export function refusalFinding(message: string): Finding {
  const [, what = message, nextStep = ""] = /^(.*); (.*)$/.exec(message) ?? [];
  return problem(what, nextStep);
}

function tooLate(limitMs: number): Finding {
  return problem(`no answer within ${limitMs / 1000} s`, "check the network, or try again");
}

function lineOf(name: string, { ok, what, nextStep }: Finding): Line {
  const level = ok ? (nextStep === "" ? "ok" : "warn") : "FAIL";
  return { level, name, what, nextStep };
}
