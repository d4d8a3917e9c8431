import type { ModelAnswer } from "./completion.ts";
import {
  ask,
  type Context,
  call,
  has,
  inLanguage,
  offered,
  resultOf,
  type Skill,
} from "./context.ts";
import { asksPerson, type ToolResult } from "./reading.ts";
import { refusalAnswer } from "./refusal.ts";
import { payoutTarget } from "./skill-order.ts";
import { agreedWay } from "./speak-deal.ts";
import { readTerms } from "./terms.ts";
import { workText } from "./wish.ts";
import { withPerson } from "./with-person.ts";

const CHANGE_TOOL = "change_payout_destination";
const BRINGS = /(?:привез|подвез|достав|bring|deliver)/i;
const CANCELS = /отмен|cancel/i;
/** Trouble with the way that was agreed is no wish for that very way. */
const COMPLAINS =
  /не (?:принима|работа|выда|наш|вижу)|(?:does(?:n't| not)|won't|did(?:n't| not)) (?:accept|work|take|give)/i;

/** Another way or place for the payout of an order: people decide, whatever the lead says. */
export const changeDestination: Skill = (context) => {
  if (!wantsOtherWay(context)) return undefined;
  const { payoutMethod } = context.terms;
  const named = { payoutMethod, ...payoutTarget(context.terms) };
  const asked = ask(context, call(CHANGE_TOOL, named));
  if (asked) return asked;
  const result = resultOf(context, CHANGE_TOOL);
  return result && changeAnswer(context, result);
};

function wantsOtherWay(context: Context): boolean {
  if (resultOf(context, CHANGE_TOOL)) return true;
  const { text } = context.reading;
  if (!offered(context, CHANGE_TOOL) || CANCELS.test(text) || COMPLAINS.test(text)) return false;
  const { phase, order } = context.deal;
  const { payoutMethod } = context.terms;
  if (!context.namesMethod || payoutMethod === undefined) return false;
  const isSame = payoutMethod === order.payoutMethod;
  if (isSame && isNoOtherPlace(context)) return false;
  if (phase === "paid" || phase === "payout") return true;
  const namesPlace = isSame && readTerms(text).terms.payoutLocation !== undefined;
  // before that a bank or an account may as well be the one that the lead pays from
  const isOrdered = phase === "ordered" || phase === "requisites" || phase === "proof";
  return isOrdered && (namesPlace || has(context, "change") || BRINGS.test(text));
}

/** The place that an order has, or the one that a fresh order still lacks: it takes that as it is. */
function isNoOtherPlace({ deal, terms }: Context): boolean {
  const { phase, order } = deal;
  if (terms.payoutLocation === undefined || terms.payoutLocation === order.payoutLocation)
    return true;
  return phase === "ordered" && !order.payoutLocation;
}

function changeAnswer(context: Context, result: ToolResult): ModelAnswer | undefined {
  if (result.code === "no_change") return undefined;
  if (result.code === "payout_decided" || result.status === "denied")
    return withPerson(context, {
      reason: "payout_review",
      said: inLanguage(
        context,
        "Сам изменить это уже не могу.",
        "I can no longer change this myself.",
      ),
      isAsked: asksPerson(result),
    });
  const waits = result.approval !== undefined || result.status === "waiting_approval";
  if (!waits && !result.ok) return refusalAnswer(context, result);
  const subject: [string, string] = ["Изменение выдачи", "the change of your payout"];
  const content = workText(context, result, subject);
  return content === undefined ? undefined : { content };
}

/** While people decide where the money goes, nothing is asked about the payout itself. */
export function changeWaitsText(context: Context): string | undefined {
  const { change } = context.deal;
  if (change?.status !== "waiting") return undefined;
  const number = change.approval ? ` (${change.approval})` : "";
  return inLanguage(
    context,
    `Изменение выдачи проверяет оператор${number}. Напишу, как только он ответит.`,
    `An operator is checking the change of your payout${number}. I will write as soon as there is an answer.`,
  );
}

/** The order says what holds now; a paid one's payout was asked for together with the change. */
export function changeDoneText(context: Context): string {
  const way = agreedWay(context);
  const now = inLanguage(
    context,
    `Теперь вы получаете так: ${way}.`,
    `You now receive it as ${way}.`,
  );
  return `${now} ${payoutText(context)}`.trim();
}

/** `why`: the operator's reason as a sentence of its own, or nothing. */
export function changeDeclinedText(context: Context, why: string): string {
  const way = agreedWay(context);
  const stays =
    way && inLanguage(context, ` Остаётся как было: ${way}.`, ` It stays as it was: ${way}.`);
  const declined = inLanguage(
    context,
    `Оператор ответил отказом по изменению выдачи.${why}${stays}`,
    `An operator declined the change of your payout.${why}${stays}`,
  );
  return `${declined} ${payoutText(context)}`.trim();
}

function payoutText(context: Context): string {
  const { phase, payout } = context.deal;
  const number = payout?.approval ? ` (${payout.approval})` : "";
  if (payout?.status === "waiting")
    return inLanguage(
      context,
      `Выдачу проверяет и готовит оператор${number}. Напишу сразу, как он ответит.`,
      `An operator is checking and preparing your payout${number}. I will write as soon as there is an answer.`,
    );
  if (phase !== "paid") return "";
  return inLanguage(
    context,
    "Напишите, когда вам удобно получить деньги.",
    "Tell me when it suits you to receive the money.",
  );
}
