import { randomBytes } from "node:crypto";
import type { ChatMessage, Desk, Lead } from "./desk-people.ts";

export const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";

export function createLead(desk: Desk, id: number): Lead {
  const { world } = desk;
  let heard = 0;
  let hasWritten = false;
  const chat = async (): Promise<ChatMessage[]> =>
    hasWritten ? world.get(`telegram/chats/${id}/messages`) : [];
  const lead: Lead = {
    id,
    chat,
    async writes(message) {
      hasWritten = true;
      const who = { chat_id: id, user_id: id, first_name: `Lead ${id}` };
      return world.post("telegram/messages", { ...who, ...message });
    },
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
      const shown = (await desk.slackCards()).filter((message) => !message.ephemeral_for);
      const card = shown.findLast(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
      if (!card) throw new Error(`there is no card ${name}`);
      return card;
    },
  };
  return lead;
}
