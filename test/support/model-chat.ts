import OpenAI from "openai";
import type {
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import type { PlayedPart } from "./sandbox-part.ts";

const MAX_ROUNDS = 4;

export interface MadeCall {
  tool: string;
  args: Record<string, unknown>;
}

export interface Turn {
  calls: MadeCall[];
  reply: string;
  modelCalls: number;
}

/** Answers a call as the backend would: the body of the tool message. */
export type Backend = (call: MadeCall) => Record<string, unknown>;

export function openai(part: PlayedPart): OpenAI {
  return new OpenAI({
    baseURL: part.env.OPENAI_BASE_URL,
    apiKey: part.env.OPENAI_API_KEY,
    maxRetries: 0,
  });
}

export const EXCHANGE_TOOLS = [
  "search_knowledge_base",
  "offer_booking_link",
  "compute_exchange_quote",
  "check_exchange_verification",
  "create_exchange_order",
  "fetch_exchange_requisites",
  "verify_exchange_payment",
  "issue_exchange_payout",
  "cancel_exchange_order",
  "get_exchange_business_info",
  "handoff_to_operator",
];

/** A lead's chat with the built-in model through the real client: plays the bot's tool loop. */
export class ModelChat {
  readonly messages: ChatCompletionMessageParam[];
  readonly #client: OpenAI;
  readonly #tools: ChatCompletionTool[];
  readonly #backend: Backend;

  constructor(
    part: PlayedPart,
    options: { backend?: Backend; tools?: string[]; system?: string } = {},
  ) {
    this.#client = openai(part);
    this.#backend = options.backend ?? (() => ({ ok: true, status: "completed", data: {} }));
    this.#tools = (options.tools ?? EXCHANGE_TOOLS).map((name) => ({
      type: "function",
      function: { name, parameters: { type: "object" } },
    }));
    this.messages = [{ role: "system", content: options.system ?? "You answer leads." }];
  }

  say(text: string): Promise<Turn> {
    return this.#run({ role: "user", content: text });
  }

  outcome(text: string): Promise<Turn> {
    return this.#run({ role: "system", content: text });
  }

  async #run(message: ChatCompletionMessageParam): Promise<Turn> {
    this.messages.push(message);
    const calls: MadeCall[] = [];
    for (let modelCalls = 1; modelCalls <= MAX_ROUNDS; modelCalls += 1) {
      const said = await this.#complete();
      this.messages.push(said);
      if (!said.tool_calls) return { calls, reply: String(said.content), modelCalls };
      for (const call of said.tool_calls) {
        if (call.type !== "function") continue;
        const made = { tool: call.function.name, args: JSON.parse(call.function.arguments) };
        calls.push(made);
        const content = JSON.stringify(this.#backend(made));
        this.messages.push({ role: "tool", tool_call_id: call.id, content });
      }
    }
    throw new Error(`no reply after ${MAX_ROUNDS} model calls`);
  }

  async #complete() {
    const answer = await this.#client.chat.completions.create({
      model: "sandbox-rules",
      messages: this.messages,
      ...(this.#tools.length > 0 ? { tools: this.#tools } : {}),
    });
    const message = answer.choices[0]?.message;
    if (!message) throw new Error("no choice");
    return message;
  }
}

export const ok = (data: Record<string, unknown>) => ({
  ok: true,
  status: "completed",
  summary: "",
  data,
});
