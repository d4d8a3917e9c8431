import type { ChatMessage } from "../../domain/chat-model.ts";
import type { AskedOutcome } from "../../domain/model-attempt.ts";
import type { CoachSuggestion } from "../../domain/quality.ts";
import type { NamedModel } from "../replay/replays.ts";
import {
  COACH_PROMPT_VERSION,
  type CoachBrief,
  coachMessages,
  repairMessages,
} from "./coach-prompt.ts";
import { readSuggestion, SUGGESTION_FORMAT } from "./suggestion.ts";

/** What came of it, with every call for the journal. */
export interface Coaching {
  /** null: no answer could be used. */
  suggestion: CoachSuggestion | null;
  /** What was wrong with the last answer. */
  problems: string[];
  outcomes: AskedOutcome[];
}

const LIMIT_MS = 60_000;
/** The first, and one that is told what was wrong with it. */
const ATTEMPTS = 2;

/** Asks for a suggestion; what does not pass all checks is asked for once more, then given up. */
export async function askCoach(
  { model }: NamedModel,
  brief: CoachBrief,
  signal: AbortSignal,
): Promise<Coaching> {
  const coached = { draft: brief.draft, skillIds: new Set(brief.skills.map(({ id }) => id)) };
  const outcomes: AskedOutcome[] = [];
  let messages: ChatMessage[] = coachMessages(brief);
  let problems: string[] = [];
  while (outcomes.length < ATTEMPTS) {
    const outcome = await model.chat({
      ...{
        messages,
        tools: [],
        operation: "coach",
        promptVersion: COACH_PROMPT_VERSION,
        responseSchema: SUGGESTION_FORMAT,
      },
      ...{ timeoutMs: LIMIT_MS, signal },
    });
    outcomes.push(outcome);
    if (outcome.kind === "failed")
      return { suggestion: null, problems: ["the model gave no answer"], outcomes };
    const read = outcome.cut
      ? { problems: ["the answer was cut off; write less"] }
      : readSuggestion(outcome.text, coached);
    if ("suggestion" in read) return { suggestion: read.suggestion, problems: [], outcomes };
    problems = read.problems;
    messages = [...messages, ...repairMessages(outcome.text, problems)];
  }
  return { suggestion: null, problems, outcomes };
}
