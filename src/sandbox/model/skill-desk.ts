import type { ModelAnswer } from "./completion.ts";
import { ask, type Context, call, has, inLanguage, resultOf, type Skill } from "./context.ts";
import { changeWish, profileWish } from "./skill-card.ts";
import { mailWish } from "./skill-mail.ts";
import { taskWish } from "./skill-task.ts";
import type { Wish } from "./wish.ts";

const BOOKING_TOOL = "offer_booking_link";

/** A wish for a call or a meeting is met with the link that the business set. */
export const bookMeeting: Skill = (context) => {
  if (!has(context, "booking")) return undefined;
  const asked = ask(context, call(BOOKING_TOOL));
  if (asked) return asked;
  const result = resultOf(context, BOOKING_TOOL);
  const url = result?.ok ? (result.data.url ?? result.data.booking_url) : undefined;
  if (url)
    return say(
      context,
      `Выберите удобное время по ссылке: ${url}`,
      `Pick a time that suits you here: ${url}`,
    );
  return say(
    context,
    "Ссылки для записи сейчас нет. Напишите, какое время вам удобно.",
    "There is no booking link at the moment. Write which time suits you.",
  );
};

/** The first that fits stands alone; a letter and a task may be wished for at once. */
const WISHES: ((context: Context) => Wish | undefined)[][] = [
  [changeWish],
  [mailWish, taskWish],
  [profileWish],
];

/** Mail, customer data and tasks: each is a proposal, most of them wait for a person. */
export const deskWork: Skill = (context) => {
  const wishes = WISHES.map((together) => together.flatMap((wish) => wish(context) ?? []));
  const wanted = wishes.find((found) => found.length > 0);
  if (!wanted) return undefined;
  const asked = ask(context, ...wanted.flatMap(({ calls }) => calls));
  if (asked) return asked;
  return { content: wanted.map((wish) => wish.said()).join(" ") };
};

function say(context: Context, russian: string, english: string): ModelAnswer {
  return { content: inLanguage(context, russian, english) };
}
