import type { ModelAnswer } from "./completion.ts";
import { ask, type Context, call, inLanguage, resultOf } from "./context.ts";

const HANDOFF_TOOL = "handoff_to_operator";
const SUMMARY_LENGTH = 300;

/** What is said together with asking a person; the asking is a call of its own. */
export interface PersonWanted {
  reason: "operator_request" | "payment_review" | "payout_review" | "kyc_review";
  /** What is told before the word about the person. */
  said?: string;
  /** The word about the person, where the plain one does not fit. */
  promise?: string;
  /** The refusal has already asked a person. */
  isAsked?: boolean;
}

/** A person is promised only when one was asked in this turn; else the call that asks goes first. */
export function withPerson(context: Context, wanted: PersonWanted): ModelAnswer {
  const { reason, said = "" } = wanted;
  const isAsked = wanted.isAsked === true || context.reading.personCalled;
  if (!isAsked) {
    const summary = clipped(context.reading.text) || "The client needs a person";
    const asked = ask(context, call(HANDOFF_TOOL, { reason, summary }));
    if (asked) return asked;
  }
  const stands = isAsked || resultOf(context, HANDOFF_TOOL)?.ok === true;
  const person = stands ? (wanted.promise ?? passedOnText(context)) : cannotText(context);
  return { content: [said, person].filter((text) => text !== "").join(" ") };
}

export function cannotText(context: Context): string {
  return inLanguage(
    context,
    "Сам я этого сделать не могу. Скажите «оператор», и я его позову.",
    'I cannot do this by myself. Say "operator" and I will call one.',
  );
}

/** To what the handoff tool takes as its summary. */
export function clipped(text: string): string {
  return text.slice(0, SUMMARY_LENGTH);
}

function passedOnText(context: Context): string {
  return inLanguage(
    context,
    "Передал вопрос оператору: решит человек и свяжется с вами напрямую.",
    "I have passed your question to an operator: a person decides and will contact you directly.",
  );
}
