import { z } from "zod";
import { type ChatRequest, messageText } from "./wire.ts";

/** As much of the request as the stand-in reads. */
const styleSchema = z.looseObject({ guidance: z.string() });
const defectSchema = z.looseObject({ label: z.string() });

/** One line of guidance for each kind of complaint: what words can do about it. */
const ADVICE = new Map(
  Object.entries({
    wrong_tool:
      "Before going on, say in one short sentence what was understood of the client's wish.",
    missing_tool:
      "When a client wants something done, name the next step instead of general words.",
    bad_args:
      "When a detail is missing or unclear, ask one short question and say the answer back.",
  }),
);

/** Is a suggestion for a style asked for? */
export function isCoaching({ metadata, response_format }: ChatRequest): boolean {
  const format = response_format as { json_schema?: { name?: string } } | null | undefined; // OpenAI's shape
  return metadata?.operation === "coach" || format?.json_schema?.name === "coach_suggestion";
}

/** The stand-in reads the labels alone, and adds a line for each kind that is not there yet. */
export function coachAnswer(request: ChatRequest): string {
  const asked = request.messages.filter(({ role }) => role === "user").map(messageText);
  const text = asked.find((one) => one.includes("<defects>")) ?? "";
  const [style] = rowsIn(text, "style", styleSchema);
  const defects = rowsIn(text, "defects", defectSchema);
  const labels = [...new Set(defects.map(({ label }) => label))].sort();
  const present = style?.guidance.trim() ?? "";
  const lines = labels.flatMap((label) => {
    const line = ADVICE.get(label);
    return line && !present.includes(line) ? [line] : [];
  });
  const counts = labels.map((label) => {
    const count = defects.filter((defect) => defect.label === label).length;
    return `${label} ${count}`;
  });
  return JSON.stringify({
    guidance: lines.length > 0 ? [present, ...lines].join("\n").trim() : null,
    addExamples: [],
    attachSkills: [],
    detachSkills: [],
    rationale: `People marked replies (${counts.join(", ")}). Words can make a wish and a missing detail plainer; which tool is called, and how, is for people to change elsewhere.`,
  });
}

/** JSON, one row a line, between a pair of marks; lines of another shape are left out. */
function rowsIn<T>(text: string, name: string, schema: z.ZodType<T>): T[] {
  const [, inside = ""] = new RegExp(`<${name}>\\n([\\s\\S]*?)\\n</${name}>`).exec(text) ?? [];
  return inside.split("\n").flatMap((line) => {
    const parsed = schema.safeParse(jsonOf(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
