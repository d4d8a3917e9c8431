import { type Context, has, inLanguage, type Skill } from "./context.ts";
import { offerText } from "./skill-talk.ts";

const UNHEARD = ["voice", "audio"];

/** Came alone and larger than a messenger lets through: neither receipt nor document yet. */
export const refuseLargeFile: Skill = (context) => {
  const { hasTooLarge, media, text } = context.reading;
  if (!hasTooLarge || media.length > 0 || context.hash) return undefined;
  const isAboutFile = has(context, "identity", "receipt", "paid", "finished");
  return text === "" || isAboutFile ? { content: largeFileText(context) } : undefined;
};

/** A message without words and without a file that a person could look at. */
export const answerWordless: Skill = (context) => {
  const { wordless, media, text } = context.reading;
  if (text !== "" || media.length > 0 || wordless.length === 0) return undefined;
  if (wordless.some((kind) => UNHEARD.includes(kind))) return { content: voiceText(context) };
  if (wordless.includes("location")) return { content: locationText(context) };
  if (wordless.every((kind) => kind === "sticker"))
    return {
      content: `${inLanguage(context, "Рад вас видеть!", "Nice to see you!")} ${offerText(context)}`,
    };
  return {
    content: inLanguage(
      context,
      "Прочитать это я не могу. Напишите, пожалуйста, словами.",
      "I cannot read that. Please write it in words.",
    ),
  };
};

/** What an answer to the rest of the turn must not pass over. */
export function mediaNotes(context: Context): string[] {
  const { hasTooLarge, wordless } = context.reading;
  const isUnheard = wordless.some((kind) => UNHEARD.includes(kind));
  return [
    ...(hasTooLarge ? [largeFileText(context)] : []),
    ...(isUnheard ? [voiceText(context)] : []),
  ];
}

function largeFileText(context: Context): string {
  return inLanguage(
    context,
    "Файл слишком большой, открыть его здесь никто не может: людям видно только его имя. Пришлите, пожалуйста, файл поменьше.",
    "That file is too large, so nobody can open it here: people see only its name. Please send a smaller one.",
  );
}

function voiceText(context: Context): string {
  return inLanguage(
    context,
    "Голосовые сообщения я прослушать не могу. Напишите, пожалуйста, текстом.",
    "I cannot listen to voice messages. Please write to me instead.",
  );
}

function locationText(context: Context): string {
  return inLanguage(
    context,
    "Спасибо за геопозицию. Подскажите, пожалуйста, для чего она?",
    "Thank you for the location. Could you tell me what it is for?",
  );
}
