import { type Context, call, has, inLanguage, offered, resultOf } from "./context.ts";
import { type Wish, workText } from "./wish.ts";

const TASK_TOOL = "create_task_draft";
const NAMED = /(?:задач[а-яё]*|task)\s*[:—–-]\s*([^.!?\n]{3,})/iu;
const TITLE_CHARS = 80;
const DESCRIPTION_CHARS = 500;

/** Something that people should do later: a draft of ours, nobody has to approve it. */
export function taskWish(context: Context): Wish | undefined {
  if (!has(context, "task") || !offered(context, TASK_TOOL)) return undefined;
  const { text } = context.reading;
  const title = (NAMED.exec(text)?.[1] ?? text).trim().slice(0, TITLE_CHARS);
  const isUrgent = /срочн|urgent|asap/i.test(text);
  const draft = call(TASK_TOOL, {
    title,
    description: text.slice(0, DESCRIPTION_CHARS),
    priority: isUrgent ? "high" : "normal",
  });
  return { calls: [draft], said: () => draftText(context) };
}

function draftText(context: Context): string {
  const result = resultOf(context, TASK_TOOL);
  const failed = workText(context, result, ["Задачу", "the task"]);
  if (failed !== undefined) return failed;
  const name = typeof result?.data.task === "string" ? ` ${result.data.task}` : "";
  const url = typeof result?.data.url === "string" ? ` ${result.data.url}` : "";
  return inLanguage(
    context,
    `Записал черновик задачи${name} для команды.${url}`,
    `I noted a draft task${name} for the team.${url}`,
  );
}
