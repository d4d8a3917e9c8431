import type { MessengerName } from "./inbound.ts";

/** A button of a card. `value` names a row of ours, at most 64 bytes together with `action`. */
export interface CardButton {
  label: string;
  action: string;
  value: string;
  style?: "primary" | "danger";
}

/** Action of the button that has a reply sent again; `value` is the outbox row's id. */
export const RESEND_REPLY = "resend_reply";

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
  | { kind: "secret_text"; text: string; orderId: string };

/** One thing to send or edit, ready for a messenger (secrets filled in). */
export interface Delivery {
  outboxId: string;
  chatId: string;
  threadId: string | null;
  content:
    | { kind: "text"; text: string; link?: string; protect: boolean }
    | { kind: "card"; card: Card }
    | { kind: "card_edit"; card: Card; externalId: string };
  /** External ids of the parts already sent by an earlier attempt. */
  sentParts: readonly string[];
  /** Called after each part that went out, before the next one; `last`: none follows. */
  onPart(externalId: string, last?: boolean): Promise<void>;
}

/**
 * How a delivery ended. `uncertain`: the messenger may have it, its answer was lost.
 * `refused` is final; `retry` waits at least `afterMs`.
 */
export type DeliveryResult =
  | { kind: "sent" }
  | { kind: "retry"; afterMs: number; error: string }
  | { kind: "uncertain"; error: string }
  | { kind: "blocked"; error: string }
  | { kind: "moved"; chatId: string }
  | { kind: "refused"; error: string };

/** The outgoing side of a messenger. One per channel. */
export interface Messenger {
  readonly name: MessengerName;
  readonly channelId: string;
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
  /** "is typing", where the messenger has it; never throws. */
  showTyping(chatId: string): Promise<void>;
}
