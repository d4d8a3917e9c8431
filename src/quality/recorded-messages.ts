import type { ChatMessage } from "../domain/chat-model.ts";
import { buildPrompt } from "../engine/prompt.ts";
import type { Tx } from "../store/db.ts";
import { loadTranscript } from "../store/transcript.ts";

/** As many as a turn's prompt has. */
const MOST_MESSAGES = 60;

/**
 * What a model was shown of a conversation before a place in it, oldest first, without the rules
 * and evidence that stand before it. Lines about outcomes, of role `system`, are part of it. Calls
 * show what has come of them since.
 */
export async function recordedMessages(
  tx: Tx,
  of: { tenantId: string; conversationId: string; beforeSeq: number },
): Promise<ChatMessage[]> {
  const transcript = await loadTranscript(tx, { ...of, limit: MOST_MESSAGES });
  const [_rules, ...messages] = buildPrompt({
    ...{ transcript, evidence: [], language: "en", businessName: "", continuation: false },
  });
  return messages;
}
