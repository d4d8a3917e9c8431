import { coachAnswer, isCoaching } from "./coach.ts";
import type { ModelAnswer } from "./completion.ts";
import { type Context, type Skill, understand } from "./context.ts";
import { readRequest } from "./reading.ts";
import { repairedText } from "./repair.ts";
import { bookMeeting, deskWork } from "./skill-desk.ts";
import { changeDestination } from "./skill-destination.ts";
import { answerInfo, answerQuestion } from "./skill-knowledge.ts";
import { answerWordless, mediaNotes, refuseLargeFile } from "./skill-media.ts";
import {
  closeDeal,
  explainEarlyRequisites,
  fillPlace,
  noteMethod,
  quoteTerms,
} from "./skill-order.ts";
import { acceptObjection, outcomeText, tellOutcome } from "./skill-outcome.ts";
import { checkPayment, payOut, receiveIdentity } from "./skill-payment.ts";
import { cancelDeal, handOver } from "./skill-people.ts";
import { askForPositiveSum, askForTerms, introduce, smallTalk, tellStatus } from "./skill-talk.ts";
import { structuredAnswer, summaryText } from "./summary.ts";
import type { ChatRequest } from "./wire.ts";

/** The order is the precedence: money on its way first, talk last. */
const SKILLS: Skill[] = [
  tellOutcome,
  acceptObjection,
  handOver,
  refuseLargeFile,
  checkPayment,
  changeDestination,
  cancelDeal,
  answerWordless,
  receiveIdentity,
  askForPositiveSum,
  fillPlace,
  quoteTerms,
  payOut,
  closeDeal,
  explainEarlyRequisites,
  noteMethod,
  deskWork,
  bookMeeting,
  answerInfo,
  tellStatus,
  askForTerms,
  introduce,
  answerQuestion,
  smallTalk,
];

/** The built-in model: one request in, text or calls out; nothing else is known to it. */
export function answerByRules(request: ChatRequest): ModelAnswer {
  const operation = request.metadata?.operation ?? "";
  if (operation === "repair") return { content: repairedText(request, speak) };
  if (/summar/.test(operation)) return { content: summaryText(request) };
  if (isCoaching(request)) return { content: coachAnswer(request) };
  if (request.response_format?.type.startsWith("json"))
    return { content: structuredAnswer(request) };
  return speak(request);
}

function speak(request: ChatRequest): ModelAnswer {
  const context = understand(readRequest(request));
  for (const skill of SKILLS) {
    const answer = skill(context);
    if (answer) return answer.calls ? answer : { content: framed(context, answer.content ?? "") };
  }
  return { content: "" };
}

/** A greeting is answered once, and an outcome that joined the turn is told first. */
function framed(context: Context, text: string): string {
  const { reading } = context;
  const news = reading.trigger
    ? []
    : reading.notices
        .filter((each) => each.status !== "waiting_approval")
        .map((notice) => outcomeText(context, notice));
  const greets = context.intents.has("greet") && reading.isFirstReply;
  const greeting = reading.language === "ru" ? "Здравствуйте!" : "Hello!";
  const starts = greets && !text.startsWith(greeting) ? [greeting] : [];
  const notes = mediaNotes(context).filter((note) => !text.includes(note));
  return [...starts, ...news, text, ...notes].filter((part) => part !== "").join(" ");
}
