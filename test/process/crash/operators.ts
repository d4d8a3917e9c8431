import type { Played } from "../../support/played-world.ts";
import type { DeskProcess } from "../desk-process.ts";
import { type Act, GROUP, type Person, pressed } from "./deal.ts";

const BOB = 2002;
const LOOK_EVERY_MS = 20;
const COMES_WITHIN_MS = 20_000;

/** Money out of a machine is paid by hand from now on; what one admin asks for takes ten minutes. */
export async function payMachinesByHand(desk: DeskProcess): Promise<void> {
  const payout_providers = { cardless_atm: "manual", atm: "manual" };
  await desk.admin("/exchange/settings", { quote_asset: "THB", payout_providers }, "PUT");
  await desk.world.post("clock", { advance_s: 600 });
  await desk.settles();
}

/** Somebody looks at the playground, and asks what the product knows. */
export function looks(desk: DeskProcess, person: Person): Act[] {
  const listed = (): Promise<Played[]> => desk.world.get("conversations");
  const act = (name: string, run: () => Promise<unknown>): Act => ({
    name,
    run: async () => void (await run()),
    isDone: async () => false,
  });
  return [
    act("the list is looked at", listed),
    act("the conversation is looked at", async () => {
      const own = (await listed()).find(({ chat_id }) => chat_id === String(person.chatId));
      await desk.world.get(`conversations/${own?.id}`);
    }),
    act("the knowledge is searched", () => desk.admin("/kb/search?q=opening%20hours")),
  ];
}

/** The newest request about the person, decided over HTTP. */
export function decidedInApi(desk: DeskProcess, person: Person): Act {
  return {
    name: "approved in the API",
    async run() {
      const name = await newestRequest(desk, person);
      await desk.admin(`/approvals/${name}/decision`, { decision: "approve" });
    },
    // a decision that was made is refused the second time
    async isDone() {
      const { status } = await desk.admin(`/approvals/${await newestRequest(desk, person)}`);
      return status !== "pending";
    },
  };
}

async function newestRequest(desk: DeskProcess, person: Person): Promise<string> {
  const [name] = /A-\d+/.exec((await desk.cards(person.card(""))).at(-1)?.text ?? "") ?? [];
  if (name === undefined) throw new Error(`nothing was asked for ${person.name}`);
  return name;
}

/** Bob types the code of a payout in the Telegram group, sees it and sends it. */
export function codeTyped(desk: DeskProcess, person: Person): Act {
  const { world } = desk;
  const messages = (): Promise<Played[]> => world.get(`telegram/chats/${GROUP}/messages`);
  const presses = (label: string, { message_id }: Played) =>
    world.post("telegram/buttons", { chat_id: GROUP, user_id: BOB, message_id, label });
  const code = `ZZ${person.chatId}HAND`;
  const find = (look: (one: Played) => boolean) =>
    comes(async () => (await messages()).findLast(look));
  return {
    name: "the code is typed in the group",
    async run() {
      const own = new RegExp(`^Pay out by hand[^]*${person.name}\\b`);
      const card = await find(({ text }) => own.test(text));
      await presses("Enter the code", card);
      const question = await find(
        ({ text, message_id }) => message_id > card.message_id && /Answer with the code/.test(text),
      );
      const reply = { chat_id: GROUP, user_id: BOB, reply_to_message_id: question.message_id };
      await world.post("telegram/messages", { ...reply, text: code });
      const echo = await find(
        ({ text, message_id }) => message_id > question.message_id && /typed by Bob/.test(text),
      );
      await presses("Send", echo);
      await desk.settles();
      await world.post("clock", { advance_s: 2 });
      await presses("Send", echo);
    },
    isDone: async () => (await person.heard()).some((text) => text.includes(code)),
  };
}

export function handedOver(desk: DeskProcess, person: Person): Act {
  return {
    name: "handed over",
    run: async () => void (await pressed(desk, "Handed over", person.card("Pay out by hand"))),
    isDone: async () => false,
  };
}

/** What a person would wait for. */
export async function comes<T>(look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAt = Date.now() + COMES_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error("what is waited for did not come");
}
