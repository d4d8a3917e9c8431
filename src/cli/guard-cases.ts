import { readFile } from "node:fs/promises";
import { z } from "zod";
import { guardReply } from "../engine/guard/guard.ts";
import { guardFactsSchema } from "../engine/guard/guard-facts.ts";

const guardCaseSchema = z.object({
  id: z.string(),
  lang: z.string().default("en"),
  reply: z.string(),
  facts: guardFactsSchema.prefault({}),
});

/** `blocked`: drafts that the guard held back, rightly or not. */
export interface GuardCasesSummary {
  total: number;
  passed: number;
  blocked: number;
}

/**
 * Runs the reply guard on every line of a JSONL file and writes one verdict a line. Blank lines are
 * skipped. Throws at the first malformed line, with its number.
 */
export async function runGuardCases(
  file: string,
  write: (line: string) => void,
): Promise<GuardCasesSummary> {
  const lines = (await readFile(file, "utf8")).split("\n");
  const summary: GuardCasesSummary = { total: 0, passed: 0, blocked: 0 };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const { id, ...request } = parseCase(line, `${file}:${index + 1}`);
    const outcome = guardReply(request);
    write(JSON.stringify({ id, ...outcome }));
    summary.total += 1;
    if (outcome.verdict === "pass") summary.passed += 1;
    else summary.blocked += 1;
  }
  return summary;
}

function parseCase(line: string, place: string): z.infer<typeof guardCaseSchema> {
  const parsed = guardCaseSchema.safeParse(parseJson(line, place));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${place}: not a guard case: ${issue?.path.join(".")}: ${issue?.message}`);
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${place}: not a line of JSON`, { cause });
  }
}
