import type { EvalResult } from "../quality/evals/run-cases.ts";

/** A terminal shows the case under way in place, and failures above it; else each case has a line. */
export function evalsProgress(on: {
  total: number;
  say(line: string): void;
  terminal: NodeJS.WriteStream | null;
}) {
  const { total, say, terminal } = on;
  const show = (text: string) =>
    terminal?.write(`\r\x1b[2K${text.slice(0, (terminal.columns ?? 80) - 1)}`);
  return {
    begin: () => void show("starting the lab …"),
    started: (name: string, place: number) => void show(`[${place}/${total}] ${name}`),
    ended({ case_name, passed, failure_reason, ms }: EvalResult): void {
      if (passed && terminal) return;
      show("");
      say(passed ? `ok ${case_name} (${ms} ms)` : `FAILED ${case_name}: ${failure_reason}`);
    },
    end: () => void show(""),
  };
}
