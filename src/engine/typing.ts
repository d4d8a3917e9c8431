import type { EngineDeps } from "./deps.ts";

/** Messengers show it for five seconds. */
const AGAIN_MS = 4_000;

/** The chat shows that somebody writes, until `stop` is called. */
export function showsTyping(
  { showTyping }: Pick<EngineDeps, "showTyping">,
  { channelId, chatId }: { channelId: string; chatId: string },
): { stop(): void } {
  void showTyping(channelId, chatId);
  const timer = setInterval(() => void showTyping(channelId, chatId), AGAIN_MS);
  return { stop: () => clearInterval(timer) };
}
