import type { ChatFacts } from "../domain/chat-facts.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Db, Tx } from "../store/db.ts";
import type { Secrets } from "../store/secrets.ts";
import type { ApprovalDress } from "../tools/ask-approval.ts";
import type { Registry } from "../tools/registry.ts";

/** What desk functions work with; most are handed a transaction beside it, and stay within that. */
export interface DeskDeps {
  db: Db;
  clock: Clock;
  /** What no sandbox moves: tells whether the machine slept. */
  realNow(): number;
  /** Language and look of cards, and the jobs. */
  dress: ApprovalDress;
  log: Log;
  secrets: Secrets;
  registry: Registry;
  /** Tools, secrets or rates change in this transaction: what is cached of them goes at its commit. */
  toolsChanged(tx: Tx, tenantId: string): void;
  /** Asks the messenger about a chat; called outside any transaction. */
  chatFacts(channelId: string, chatId: string): Promise<ChatFacts>;
  /** Takes a message off a chat, at once; false: it stands there still. Outside any transaction. */
  deleteMessage(message: {
    channelId: string;
    chatId: string;
    messageId: string;
  }): Promise<boolean>;
  /** What people think of models has changed in this transaction. */
  ratingsChanged(tx: Tx): void;
  /** Is there a key of a model's endpoint, in the environment or among these secrets? */
  hasModelKey(secretNames: ReadonlySet<string>): boolean;
}
