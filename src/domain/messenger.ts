import type { ChatFacts } from "./chat-facts.ts";
import type { Media, MessengerName } from "./inbound.ts";

/** A button of a card. `value` names a row of ours, at most 64 bytes together with `action`. */
export interface CardButton {
  label: string;
  action: string;
  value: string;
  style?: "primary" | "danger";
}

/** Action of the button that has a reply sent again; `value` is the outbox row's id. */
export const RESEND_REPLY = "resend_reply";
/** Action of the button that closes a request for a person; `value` is the handoff's id. */
export const CLOSE_HANDOFF = "close_handoff";

/** A card in the operators' chat, free of any messenger's format. */
export interface Card {
  title: string;
  /** Material facts from the database, in this order, never cut. */
  facts: { label: string; value: string }[];
  /** What a lead, a model or a document wrote; rendered apart, escaped, on one line. */
  clientSays?: { label: string; text: string };
  /** Small print: number, digest's head, SANDBOX. */
  footer: string[];
  /** Set once decided: replaces the buttons. */
  outcome?: string;
  buttons: CardButton[];
  /** Buttons that belong together in a row; two when left out. */
  columns?: number;
}

/** What the outbox holds. Texts are plain; adapters escape and split them. */
export type Outgoing =
  | { kind: "text"; text: string; link?: string; format?: "plain" }
  | { kind: "card"; card: Card }
  /** Edits the card that another outbox row sent. */
  | { kind: "card_edit"; card: Card; cardOutboxId: string }
  /**
   * A text of which a part must not be read in our rows: `{secret}` in `text` stands for the
   * decrypted order code. Sent with protected content where the messenger can.
   */
  | { kind: "secret_text"; text: string; orderId: string }
  /** What a lead sent, shown to staff right before the card that asks about it; `caption`: whose. */
  | { kind: "files"; files: LeadFile[]; caption: string }
  /** Opens the thread or topic of a conversation; its row is named by `reviewThreadId`. */
  | { kind: "thread"; title: string };

/** A file that a lead sent: in which message it stands, and what is known of it. */
export interface LeadFile {
  channelId: string;
  chatId: string;
  /** The messenger's own id of the message in that chat. */
  messageId: string;
  media: Media;
}

/** One thing to send or edit, ready for a messenger (secrets filled in). */
export interface Delivery {
  outboxId: string;
  chatId: string;
  threadId: string | null;
  content: /** `quiet`: shown to staff as others wrote it; notifies nobody and becomes no mention or link. */
    | { kind: "text"; text: string; link?: string; protect: boolean; quiet?: boolean }
    | { kind: "card"; card: Card }
    | { kind: "card_edit"; card: Card; externalId: string }
    | { kind: "thread"; title: string }
    /** Messages of another chat of the same account. `notShown`: said when not all can be copied. */
    | { kind: "copies"; fromChatId: string; messageIds: readonly string[]; notShown: string }
    /** `patient`: what may work a little later is answered as `retry`; else it is said in the chat. */
    | { kind: "uploads"; caption: string; files: readonly UploadFile[]; patient: boolean };
  /** External ids of the parts already sent by an earlier attempt. */
  sentParts: readonly string[];
  /** Called after each part that went out, before the next one; `last`: none follows. */
  onPart(externalId: string, last?: boolean): Promise<void>;
  /** A long step went well that is no part yet. Throws when the row is not ours any more. */
  onStep(): Promise<void>;
}

/** A file to be shown in a chat of another account or messenger; fetched one at a time. */
export interface UploadFile {
  media: Media;
  load(signal: AbortSignal): Promise<LoadedFile>;
  /** Said in its place when the chat's messenger does not take it. */
  notShown: string;
}

/** A file's bytes, or why it cannot be shown. `later`: the delivery is tried again as a whole. */
export type LoadedFile =
  | { kind: "file"; bytes: Uint8Array<ArrayBuffer>; name: string }
  /** What is said in its place. */
  | { kind: "line"; text: string }
  | { kind: "later"; error: string };

/** What came of fetching a file; no error holds an address or a token. */
export type Download =
  | { kind: "file"; bytes: Uint8Array<ArrayBuffer>; name: string }
  | { kind: "too_big" }
  | { kind: "gone"; error: string }
  | { kind: "later"; error: string };

/**
 * How a delivery ended. `uncertain`: the messenger may have it, its answer was lost.
 * `refused` is final; `retry` waits at least `afterMs`. `rightsLost`: not the message is at fault,
 * the account is refused or is not in the chat any more.
 */
export type DeliveryResult =
  | { kind: "sent" }
  | { kind: "retry"; afterMs: number; error: string; rightsLost?: boolean }
  | { kind: "uncertain"; error: string }
  | { kind: "blocked"; error: string }
  | { kind: "moved"; chatId: string }
  | { kind: "refused"; error: string; rightsLost?: boolean }
  /** The chat has no threads, or we may not open one. */
  | { kind: "no_threads"; error: string }
  /** The thread was deleted; the chat is there. */
  | { kind: "thread_gone"; error: string };

/** The outgoing side of a messenger. One per channel. */
export interface Messenger {
  readonly name: MessengerName;
  readonly channelId: string;
  /** It copies messages between chats of its account, with their files. */
  readonly canCopy?: boolean;
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult>;
  /** Slack can look a message up by its metadata: its external id, or null when absent. */
  lookUp?(query: {
    chatId: string;
    threadId: string | null;
    outboxId: string;
    /** Which part of a split text, from 0. */
    part?: number;
    sinceMs: number;
  }): Promise<string | null | "unreachable">;
  /** Fetches a file that came in by this account, from the messenger's own hosts only. */
  download?(media: Media, signal: AbortSignal): Promise<Download>;
  /** What it says of a chat and of our place in it; never throws. */
  chatFacts?(chatId: string): Promise<ChatFacts>;
  /** Takes a person's message off a chat; false: it stands there still. Never throws. */
  deleteMessage?(message: { chatId: string; messageId: string }): Promise<boolean>;
  /** "is typing", where the messenger has it; never throws. */
  showTyping(chatId: string): Promise<void>;
}
