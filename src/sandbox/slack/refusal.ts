import type { Problem } from "./schema.ts";
import type { Json } from "./state.ts";

/** The service says no; `body` is the exact JSON it answers, with status 200. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly body: Json;

  constructor(code: string, details: Json = {}) {
    super(code);
    this.body = { ok: false, error: code, ...details };
  }
}

/** Wrong blocks of a message: listed twice, as Slack does. */
export function invalidBlocks(problems: readonly Problem[]): Refusal {
  const errors = problems.map((problem) => `${problem.message} [json-pointer:${problem.pointer}]`);
  return new Refusal("invalid_blocks", { errors, response_metadata: messagesOf(errors) });
}

/** With a JSON pointer for each, as Slack tells them. */
export function invalidArguments(problems: readonly Problem[]): Refusal {
  const errors = problems.map((problem) => `${problem.message} [json-pointer:${problem.pointer}]`);
  return new Refusal("invalid_arguments", { response_metadata: messagesOf(errors) });
}

function messagesOf(errors: readonly string[]): Json {
  return { messages: errors.map((error) => `[ERROR] ${error}`) };
}
