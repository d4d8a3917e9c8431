import { randomBytes } from "node:crypto";
import type { Desk, SlackMessage } from "./desk.ts";
import type { Played } from "./played-world.ts";

export const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";

export interface ChatMessage {
  message_id: number;
  from_bot: boolean;
  text: string;
  protected?: boolean;
}

/** What one person wrote at once: a text, files, or both. */
export interface Sent {
  text?: string;
  photo?: object;
  video_note?: object;
  voice?: object;
  document?: object;
  contact?: object;
  caption?: string;
}

/** A person who writes to the bot in a private Telegram chat. */
export interface Lead {
  id: number;
  /** Writes, waits until everything is done, and gives what the bot said since. */
  says(text: string): Promise<string>;
  sends(...messages: Sent[]): Promise<string>;
  /** Writes and does not wait. */
  writes(message: Sent): Promise<{ message_id: number; update_id: number }>;
  /** What the bot said since it was last listened to. */
  hears(): Promise<string>;
  chat(): Promise<ChatMessage[]>;
  /** Sends documents; Alice approves the card. */
  passesKyc(): Promise<void>;
  /** Plays a transfer to the desk's wallet; gives its hash. */
  transfers(amount: string, change?: object): Promise<string>;
  /** From a quote to the payment, up to the card of the payout. */
  reachesPayout(how?: { amount?: string; words?: string }): Promise<void>;
  conversationId(): Promise<string>;
  trace(): Promise<Played>;
  /** The newest card about this lead that Slack's operators see. */
  card(): Promise<SlackMessage>;
}

export function createLead(desk: Desk, id: number): Lead {
  const { world } = desk;
  let heard = 0;
  const chat = (): Promise<ChatMessage[]> => world.get(`telegram/chats/${id}/messages`);
  const lead: Lead = {
    id,
    chat,
    writes: (message) =>
      world.post("telegram/messages", {
        chat_id: id,
        user_id: id,
        first_name: `Lead ${id}`,
        ...message,
      }),
    says: (text) => lead.sends({ text }),
    async sends(...messages) {
      for (const message of messages) await lead.writes(message);
      await world.idle();
      return lead.hears();
    },
    async hears() {
      const all = await chat();
      const fresh = all.filter((said) => said.from_bot && said.message_id > heard);
      heard = all.at(-1)?.message_id ?? heard;
      return fresh.map((said) => said.text).join("\n");
    },
    async passesKyc() {
      await lead.sends({ photo: {} }, { video_note: {} });
      await desk.operator("U0ALICE").presses("Approve", await lead.card());
      await lead.hears();
    },
    async transfers(amount, change = {}) {
      const { tx_hash } = await world.post("chain/transfers", {
        network: "trc20",
        contract: "USDT",
        from: LEAD_WALLET,
        to: WALLET,
        amount,
        tx_hash: randomBytes(32).toString("hex"),
        confirmed: true,
        ...change,
      });
      return tx_hash;
    },
    async reachesPayout({ amount = "2000", words = "хочу забрать баты в вашем офисе" } = {}) {
      await lead.passesKyc();
      await lead.says(`Есть ${amount} USDT в сети TRC20, ${words}`);
      await lead.says("Устраивает, оформляем");
      await lead.says(`Отправил: ${await lead.transfers(amount)}`);
      await lead.says("Когда подойти?");
    },
    async conversationId() {
      const { items } = await desk.admin("GET", "/conversations?limit=200");
      const own = items.find(({ chat_id }: { chat_id: string }) => chat_id === String(id));
      if (!own) throw new Error(`lead ${id} has no conversation`);
      return own.id;
    },
    trace: async () => desk.admin("GET", `/conversations/${await lead.conversationId()}`),
    async card() {
      const { approvals } = await lead.trace();
      const name = `A-${approvals.at(-1)?.number}`;
      const cards = await desk.slackCards();
      const card = cards.findLast(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
      if (!card) throw new Error(`there is no card ${name}`);
      return card;
    },
  };
  return lead;
}
