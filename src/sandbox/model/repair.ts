import type { ModelAnswer } from "./completion.ts";
import { readRequest } from "./reading.ts";
import { type ChatRequest, messageText } from "./wire.ts";

const RISKY =
  /\d|https?:|[€$฿]|\b(?:paid|sent|approved|verified|booked|confirmed)\b|оплач|подтвер|одобр|провер|отправлен/iu;

/**
 * The guard refused a draft: says what is left of a fresh answer without figures, links and claims,
 * which are what a guard refuses.
 */
export function repairedText(
  request: ChatRequest,
  speak: (request: ChatRequest) => ModelAnswer,
): string {
  const messages = withoutDraft(request.messages);
  const conversation = { ...request, messages, tools: undefined };
  const answer = messages.length > 0 ? (speak(conversation).content ?? "") : "";
  const safe = answer.split(/(?<=[.!?])\s+/).filter((sentence) => !RISKY.test(sentence));
  if (safe.join("") !== "") return safe.join(" ");
  const isRussian = messages.length > 0 && readRequest(conversation).language === "ru";
  return isRussian
    ? "Уточните, пожалуйста, что для вас сделать дальше."
    : "Could you tell me what I should do for you next?";
}

/** The refused draft and the findings behind it are no part of what the lead said. */
function withoutDraft(messages: ChatRequest["messages"]): ChatRequest["messages"] {
  const draft = messages.findLastIndex(
    (message) => message.role === "assistant" && !message.tool_calls && messageText(message) !== "",
  );
  const isAtEnd = draft >= 0 && messages.length - draft <= 2;
  if (isAtEnd) return messages.slice(0, draft);
  return messages.at(-1)?.role === "system" ? messages.slice(0, -1) : messages;
}
