import { randomBytes } from "node:crypto";
import type { Played, PlayedWorld } from "../support/played-world.ts";

const HAPPENS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";

/** Somebody who writes to a bot in another process: only what the world shows tells of its work. */
export interface OutsideClient {
  /** Says something and gives the bot's next words. */
  asks(said: object): Promise<string>;
  /** The bot's next words. */
  hears(): Promise<string>;
}

/** Waits until `look` finds something; what it looks for is named when it does not come. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = Date.now() + HAPPENS_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`${what} did not come`);
}

export function createOutsideClient(world: PlayedWorld, id: number): OutsideClient {
  let heard = 0;
  const hears = async () => {
    const said = await eventually("the bot's answer", async () => {
      const chat: Played[] = await world.get(`telegram/chats/${id}/messages`);
      return chat.find(({ from_bot, message_id }) => from_bot && message_id > heard);
    });
    heard = said.message_id;
    return said.text;
  };
  return {
    hears,
    async asks(said) {
      const who = { chat_id: id, user_id: id, first_name: `Client ${id}` };
      const { message_id } = await world.post("telegram/messages", { ...who, ...said });
      heard = Math.max(heard, message_id);
      return hears();
    },
  };
}

/** Alice presses Approve on the next card with such a text, in Slack. */
export async function aliceApproves(world: PlayedWorld, look: RegExp): Promise<void> {
  const card = await eventually(`a card like ${look}`, async () => {
    const shown: Played[] = await world.get("slack/channels/C0OPERATORS/messages");
    return shown.findLast(({ text, buttons }) => buttons.length > 0 && look.test(text));
  });
  const click = { channel: "C0OPERATORS", user: "U0ALICE", ts: card.ts, label: "Approve" };
  await world.post("slack/buttons", click);
}

/** Dialog d01 from outside: what the client heard at each step, and the payouts that were made. */
export async function playFirstDialog(world: PlayedWorld, id: number) {
  const client = createOutsideClient(world, id);
  const documents = await client.asks({ photo: {}, text: "мой паспорт" });
  await aliceApproves(world, /^Identity documents/);
  const verified = await client.hears();
  const quote = await client.asks({
    text: "Привет! Есть две тысячи USDT в сети трон, хочу забрать баты в вашем офисе",
  });
  const requisites = await client.asks({ text: "Устраивает, оформляем" });
  const { tx_hash } = await world.post("chain/transfers", {
    ...{ network: "trc20", contract: "USDT", from: LEAD_WALLET, to: WALLET, amount: "2000" },
    ...{ tx_hash: randomBytes(32).toString("hex"), confirmed: true },
  });
  const paid = await client.asks({ text: `Отправил: ${tx_hash}` });
  const checking = await client.asks({ text: "Когда подойти?" });
  await aliceApproves(world, /^Payout/);
  const done = await client.hears();
  const payouts: Played[] = await world.get("payouts");
  return { documents, verified, quote, requisites, paid, checking, done, payouts };
}
