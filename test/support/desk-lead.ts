import { randomBytes } from "node:crypto";
import type { ChatMessage, Desk, Lead, Person, Sent } from "./desk-people.ts";

export const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
/** Names many requests and is the card of none. */
const LIST = /^Requests that wait: /;
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";

/** Where a lead writes: the messenger's side of the played world. */
export interface LeadChat {
  chatId: string;
  write(message: Sent): Promise<unknown>;
  /** Changes the words of the message that was written last. */
  edit(text: string): Promise<unknown>;
  /** Everything that was said there, oldest first. */
  said(): Promise<{ fromBot: boolean; text: string }[]>;
}

/** A person in a private Telegram chat. */
export function createLead(desk: Desk, id: number): Lead {
  const { world } = desk;
  let hasWritten = false;
  const chat = async (): Promise<ChatMessage[]> =>
    hasWritten ? world.get(`telegram/chats/${id}/messages`) : [];
  let last = 0;
  const writes = async (message: Sent): Promise<{ message_id: number; update_id: number }> => {
    hasWritten = true;
    const who = { chat_id: id, user_id: id, first_name: `Lead ${id}` };
    const sent = await world.post("telegram/messages", { ...who, ...message });
    last = sent.message_id;
    return sent;
  };
  const edit = (text: string) =>
    world.post("telegram/edits", { chat_id: id, user_id: id, message_id: last, text });
  const said = async () =>
    (await chat()).map(({ from_bot, text }) => ({ fromBot: from_bot, text }));
  const person = createPerson(desk, { chatId: String(id), write: writes, edit, said });
  return { ...person, id, chat, writes };
}

/** What a lead does, in whatever messenger. */
export function createPerson(desk: Desk, { chatId, write, edit, said }: LeadChat): Person {
  const { world } = desk;
  let heard = 0;
  const lead: Person = {
    says: (text) => lead.sends({ text }),
    writes: write,
    async sends(...messages) {
      for (const message of messages) await write(message);
      await world.idle();
      return lead.hears();
    },
    async edits(text) {
      await edit(text);
      await world.idle();
      return lead.hears();
    },
    async hears() {
      const all = await said();
      const fresh = all.slice(heard).filter(({ fromBot }) => fromBot);
      heard = all.length;
      return fresh.map(({ text }) => text).join("\n");
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
    isKnown: async () => (await said()).some(({ fromBot }) => fromBot),
    async conversationId() {
      const { items } = await desk.admin("GET", "/conversations?limit=200");
      const own = items.find(({ chat_id }: { chat_id: string }) => chat_id === chatId);
      if (!own) throw new Error(`lead ${chatId} has no conversation`);
      return own.id;
    },
    trace: async () => desk.admin("GET", `/conversations/${await lead.conversationId()}`),
    async cardName() {
      const { approvals } = await lead.trace();
      return `A-${approvals.at(-1)?.number}`;
    },
    async card() {
      const name = await lead.cardName();
      const shown = (await desk.slackCards()).filter(
        ({ ephemeral_for: only, text }) => !only && !LIST.test(text),
      );
      const card = shown.findLast(({ text }) => isCard(text, name));
      if (!card) throw new Error(`there is no card ${name}`);
      return card;
    },
    async groupCard() {
      const name = await lead.cardName();
      const card = (await desk.groupCards()).findLast(
        ({ text }) => !LIST.test(text) && isCard(text, name),
      );
      if (!card) throw new Error(`there is no card ${name} in the group`);
      return card;
    },
  };
  return lead;
}

/** A card's title ends in the number; reminders and answers name it, too. */
function isCard(text: string, name: string): boolean {
  return new RegExp(`· ${name}(?!\\d)`).test(text);
}
