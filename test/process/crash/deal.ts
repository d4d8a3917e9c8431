import { randomBytes } from "node:crypto";
import type { Played } from "../../support/played-world.ts";
import type { Card, DeskProcess } from "../desk-process.ts";

const OPERATORS = "C0OPERATORS";
export const GROUP = -1_002_000_000_001;
const LEAD_WALLET = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf";
const WALLET = "TJtc7HX9ttjj26qEk6LjNtwDcu7eokALUA";

/** One thing that somebody does. It is done again when `isDone` says that it got lost. */
export interface Act {
  name: string;
  run(): Promise<void>;
  isDone(): Promise<boolean>;
  /** Only the world is changed: nobody is killed here. */
  isWorldOnly?: boolean;
}

/** A client of its own, and what people do with and for him. */
export interface Person {
  chatId: number;
  name: string;
  card(title: string): RegExp;
  says(text: string): Act;
  documents: Act;
  presses(label: string, card: RegExp): Act;
  heard(): Promise<string[]>;
}

/** A click counts once, however often it is made. */
const never = async () => false;

export function createPerson(desk: DeskProcess, chatId: number): Person {
  const { world } = desk;
  const name = `Client ${chatId}`;
  // before the first word there is no chat
  const chat = () =>
    world.get<Played[]>(`telegram/chats/${chatId}/messages`).catch((): Played[] => []);
  const own = async () => (await chat()).filter((one) => !one.from_bot);
  const from = { chat_id: chatId, user_id: chatId, first_name: name };
  const write = (message: object) => world.post("telegram/messages", { ...from, ...message });
  return {
    chatId,
    name,
    card: (title) => new RegExp(`^${title}[^]*${name}\\b`),
    says: (text) => ({
      name: `writes "${text.slice(0, 24)}"`,
      run: async () => void (await write({ text })),
      isDone: async () => (await own()).some((one) => one.text === text),
    }),
    documents: {
      name: "sends documents",
      async run() {
        if ((await own()).length === 0) await write({ photo: {} });
        await write({ video_note: {} });
      },
      isDone: async () => (await own()).length >= 2,
    },
    presses: (label, card) => ({
      name: `${label} pressed`,
      run: async () => void (await pressed(desk, label, card)),
      isDone: never,
    }),
    heard: async () => (await chat()).filter(({ from_bot }) => from_bot).map(({ text }) => text),
  };
}

/** Alice presses on the newest card that fits and has the button, in Slack. */
export async function pressed(desk: DeskProcess, label: string, card: RegExp): Promise<Played> {
  const cards = await desk.cards(card);
  const isOpen = ({ buttons }: Card) => buttons.some((button) => button.label === label);
  const ts = (cards.findLast(isOpen) ?? cards.at(-1))?.ts;
  return desk.world.post("slack/buttons", { channel: OPERATORS, user: "U0ALICE", ts, label });
}

/** From documents to the question when the money can be had: the payout's card is then open. */
export function actsUpToPayout(
  desk: DeskProcess,
  person: Person,
  how = "хочу забрать баты в вашем офисе",
): Act[] {
  const hash = randomBytes(32).toString("hex");
  return [
    ...actsUpToOrder(person, how),
    pays(desk, hash),
    person.says(`Отправил: ${hash}`),
    person.says("Когда подойти?"),
  ];
}

export function actsUpToOrder(person: Person, how = "хочу забрать баты в вашем офисе"): Act[] {
  return [
    person.documents,
    person.presses("Approve", person.card("Identity documents")),
    person.says(`Есть 2000 USDT в сети TRC20, ${how}`),
    person.says("Устраивает, оформляем"),
  ];
}

export function pays(desk: DeskProcess, hash: string): Act {
  return worldOnly("pays", async () => {
    await desk.world.post("chain/transfers", {
      ...{ network: "trc20", contract: "USDT", from: LEAD_WALLET, to: WALLET },
      ...{ amount: "2000", tx_hash: hash, confirmed: true },
    });
  });
}

export function worldOnly(name: string, run: () => Promise<void>): Act {
  return { name, run, isDone: never, isWorldOnly: true };
}

/** Something goes wrong outside the next time it is used; a count of 0 ends that. */
export function fault(desk: DeskProcess, what: object): Act {
  return worldOnly(`fault ${JSON.stringify(what)}`, async () => {
    await desk.world.post("faults", { count: 1, ...what });
  });
}

export function timePasses(desk: DeskProcess, seconds: number): Act {
  return {
    name: `${seconds} s pass`,
    run: async () => void (await desk.world.post("clock", { advance_s: seconds })),
    isDone: never,
  };
}

/** An operator's command in Slack. */
export function command(desk: DeskProcess, text: string, channel = OPERATORS): Act {
  const [name, ...rest] = text.split(" ");
  return {
    name: text,
    async run() {
      const typed = { command: name, text: rest.join(" ") };
      await desk.world.post("slack/commands", { channel, user: "U0ADMIN", ...typed });
    },
    isDone: never,
  };
}

/** The process is killed in the middle of something, and starts again. */
export function startsAgain(
  desk: DeskProcess,
  name: string,
  before: () => Promise<void> = async () => {},
): Act {
  return {
    name,
    async run() {
      await before();
      await desk.kill();
      await desk.start();
    },
    // who was killed in the start has been started since
    isDone: async () => true,
  };
}

const FOR_EVER_MS = 600_000;

/** The next answer of a service is held back; `act` is under way while it waits for that. */
export function whileHeld(desk: DeskProcess, service: string, act: Act): () => Promise<void> {
  return async () => {
    desk.mark();
    const held = { service, kind: "latency", delay_ms: FOR_EVER_MS, count: 1 };
    await desk.world.post("faults", held);
    await act.run();
    await desk.happened(({ kind, data }) => kind === "fault.used" && data.service === service);
  };
}
