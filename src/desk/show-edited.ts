import type { Language } from "../domain/language.ts";
import { setApproval } from "../store/approvals.ts";
import type { Tx } from "../store/db.ts";
import { conversationOfChat, lockOpenOf } from "../store/objected-approvals.ts";
import { knownWords } from "../store/receive-edit.ts";
import { countStandingVotes } from "../store/standing-votes.ts";
import type { DeskDeps } from "./deps.ts";
import { oneLine, saidNow } from "./said-now.ts";
import { showCards } from "./show-approval.ts";

/**
 * The client changed words that were there when people were asked: their cards show the new ones,
 * and that they are new. Before anything of the conversation is locked.
 */
export async function showEdited(
  tx: Tx,
  deps: DeskDeps,
  said: { tenantId: string; channelId: string; chatId: string; text: string; editOf: string },
): Promise<void> {
  const { tenantId, text, editOf: externalId } = said;
  const conversationId = await conversationOfChat(tx, said);
  if (conversationId === null) return;
  const before = await knownWords(tx, tenantId, { conversationId, externalId });
  if (before === null || before.text === text) return;
  const { edited, emptied } = TEXTS[deps.dress.staffLanguage];
  const words = oneLine(text);
  for (const approval of await lockOpenOf(tx, { tenantId, conversationId })) {
    if (approval.createdAt < before.createdAt) continue; // asked without these words
    const clientSays = saidNow(approval, words === "" ? emptied : `${edited} ${words}`);
    await setApproval(tx, { tenantId, id: approval.id, clientSays });
    const votes = await countStandingVotes(tx, approval);
    await showCards(tx, deps, { ...approval, clientSays }, { votes, outcome: null });
  }
}

const TEXTS = {
  en: { edited: "(edited)", emptied: "(edited: the words were taken away)" },
  ru: { edited: "(изменено)", emptied: "(изменено: текст убран)" },
} as const satisfies Record<Language, unknown>;
