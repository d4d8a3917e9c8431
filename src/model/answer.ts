import type { ChatOutcome, ModelJournal, ProposedCall } from "../domain/chat-model.ts";

/**
 * Reads what an endpoint answered with status 200. The endpoint is not trusted: it may be any of
 * a dozen servers, so every field is looked at before it is believed.
 */
export function readAnswer(body: unknown, journal: ModelJournal): ChatOutcome {
  const failed = (error: string, retryable = true): ChatOutcome => ({
    kind: "failed",
    retryable,
    retryAfterMs: null,
    error,
    journal,
  });
  if (!isObject(body)) return failed("the endpoint answered no JSON object");
  if (isObject(body.error))
    return failed(`the endpoint answered an error: ${textOf(body.error.message)}`);
  const usage = isObject(body.usage) ? body.usage : {};
  journal.inputTokens = countOf(usage.prompt_tokens);
  journal.outputTokens = countOf(usage.completion_tokens);
  if (typeof body.model === "string" && body.model !== "")
    journal.modelId = body.model.slice(0, 200);
  const choice = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isObject(choice) || !isObject(choice.message)) return failed("the answer has no choice");
  const finish = typeof choice.finish_reason === "string" ? choice.finish_reason : null;
  journal.finishReason = finish;
  if (finish === "error") return failed("the endpoint broke off the answer");
  const { message } = choice;
  const calls = callsOf(message.tool_calls);
  const text = contentOf(message.content);
  if (calls.length === 0 && text.trim() === "") return failed("the answer is empty");
  return { kind: "answer", text, calls, cut: finish === "length", journal };
}

function callsOf(value: unknown): ProposedCall[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    if (!isObject(entry) || !isObject(entry.function)) return [];
    const name = textOf(entry.function.name);
    return [
      { providerId: textOf(entry.id), name, arguments: argumentsOf(entry.function.arguments) },
    ];
  });
}

/** Some servers send an object instead of text; anything else goes on as it is and is refused. */
function argumentsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined ? "" : JSON.stringify(value);
}

/** Text, or a list of parts of which only the text is for the client. */
function contentOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((part) =>
      isObject(part) && (part.type === "text" || part.type === "output_text")
        ? textOf(part.text)
        : "",
    )
    .join("");
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
