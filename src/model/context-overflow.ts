const WORDS =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|tokens_limit_reached|prompt_too_long|string_above_max_length/;

const TOO_LARGE = /request too large for/i;

/** How OpenAI, vLLM, llama.cpp, TGI, Mistral, Gemini, Bedrock, xAI, Groq and Qwen put it. */
const TEXTS = [
  /(maximum|max|model'?s?) (context|prompt|input) length/i,
  /context[_ ](length|window|size|limit)/i,
  /(prompt|input|request|messages?|conversation) (is|are|was|were) too (long|large)/i,
  /input (token count|length)\b.{0,80}\bexceeds?/i,
  /(prompt|input) tokens? exceeds?/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
  TOO_LARGE,
  /too many (input |prompt )?tokens\b/i,
  /too large for model with/i,
  /inputs?`? ?tokens\b.{0,60}must be <=/i,
  /range of input length should be/i,
];

const NEVER: ReadonlySet<number> = new Set([401, 403, 404]);

/** Was the request refused because it does not fit into the model's context? */
export function isContextOverflow(said: {
  status: number | null;
  words: string;
  message: string;
}): boolean {
  if (NEVER.has(said.status ?? 0)) return false;
  // of a minute's tokens: that passes by itself, unless one request is more than a minute's worth
  if (said.status === 429) return TOO_LARGE.test(said.message);
  if (WORDS.test(said.words)) return true;
  return TEXTS.some((text) => text.test(said.message));
}
