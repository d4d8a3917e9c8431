import fc from "fast-check";
import type { JsonObject } from "../../src/domain/json.ts";
import type { Fault } from "../../src/sandbox/faults.ts";
import type { DueWork } from "../../src/store/due-work.ts";
import { brokenRules, wrongCalls, wrongPayouts } from "./invariants.ts";
import {
  type LiveOffice,
  type MortalWork,
  OPERATORS,
  READERS,
  type Reader,
  SUPPLIER,
} from "./live-office.ts";
import type { Life } from "./mortal-database.ts";
import { TENANT } from "./office.ts";
import type { ModelStep } from "./office-run.ts";
import { PAYOUT } from "./paying-office.ts";
import type { Played } from "./played-world.ts";

const WORDS = {
  asks: "How many are there?",
  wantsPayout: "Please send me my money",
  wantsSupplier: "Please pay the supplier",
  wantsAll: "Do everything at once, please",
  stops: "Stop, don't send it!",
  takesBack: "It was a mistake, go on and send it",
} as const;
type Word = keyof typeof WORDS;

/** Something that somebody does, or that befalls the desk. */
export type Act = (
  | { kind: "writes"; word: Word; sum: number }
  | { kind: "redelivers"; nth: number }
  | { kind: "presses"; by: Reader; label: string; nth: number; times: number }
  | { kind: "race"; nth: number }
  | { kind: "forges"; by: Reader; nth: number; how: "value" | "action" | "chat" | "nonsense" }
  | { kind: "works"; on: DueWork["kind"]; twice: boolean }
  | { kind: "dies"; on: MortalWork; commits: number; moment: Life["moment"] }
  | { kind: "sends" }
  | { kind: "payoutFault"; fault: Fault["kind"]; count: number }
  | { kind: "telegramFault"; fault: Fault["kind"]; count: number }
  | { kind: "modelFault"; retryable: boolean }
  | { kind: "passes"; seconds: number }
) & {
  /** At the same time as the act before, right after it, or when the house has looked at its work. */
  pace: "together" | "next" | "rested";
};

const pace = fc.constantFrom("rested", "rested", "next", "together");
/** Mostly what is newest. */
const nth = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 1 }) }, fc.nat({ max: 7 }));
const act = <Kind extends Act["kind"]>(
  kind: Kind,
  more: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Act> =>
  fc.record({ kind: fc.constant(kind), ...more, pace }) as unknown as fc.Arbitrary<Act>; // the fields are those of the kind
const by = fc.constantFrom<Reader>("alice", "bob", "alice", "bob", "eve");
const count = fc.integer({ min: 1, max: 3 });

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: act("writes", {
      word: fc.constantFrom(...(Object.keys(WORDS) as Word[])),
      sum: fc.integer({ min: 900, max: 902 }),
    }),
  },
  { weight: 1, arbitrary: act("redelivers", { nth }) },
  {
    weight: 7,
    arbitrary: act("presses", {
      ...{ by, nth, times: count },
      label: fc.constantFrom("Approve", "Approve", "Approve", "Reject", "Unfreeze"),
    }),
  },
  { weight: 2, arbitrary: act("race", { nth }) },
  {
    weight: 1,
    arbitrary: act("forges", {
      ...{ by, nth },
      how: fc.constantFrom("value", "action", "chat", "nonsense"),
    }),
  },
  {
    weight: 5,
    arbitrary: act("works", {
      on: fc.constantFrom("run", "run", "execution", "approval"),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: act("dies", {
      ...{ on: fc.constantFrom("run", "run", "execution"), commits: count },
      moment: fc.constantFrom("before", "after"),
    }),
  },
  { weight: 4, arbitrary: act("sends", {}) },
  {
    weight: 2,
    arbitrary: act("payoutFault", {
      fault: fc.constantFrom("drop_response_after_effect", "down", "status", "latency"),
      count,
    }),
  },
  {
    weight: 1,
    arbitrary: act("telegramFault", {
      fault: fc.constantFrom("drop_response_after_effect", "status", "lose_first"),
      count,
    }),
  },
  { weight: 1, arbitrary: act("modelFault", { retryable: fc.boolean() }) },
  { weight: 3, arbitrary: act("passes", { seconds: fc.constantFrom(1, 61, 1_801, 3_601, 3_601) }) },
);

export const storyOfActs = fc.array(anyAct, { minLength: 6, maxLength: 20, size: "max" });

/** Acts that happen one after another; those of a group at the same time. */
export function groupsOf(acts: readonly Act[]): Act[][] {
  const groups: Act[][] = [];
  for (const one of acts) {
    const last = groups.at(-1);
    if (one.pace === "together" && last) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

let chats = 80_000;
let messageIds = 5_000_000;
let callbackIds = 0;

/** One client of the office, from paid money on; acts are played with and for him. */
export async function openStory(live: LiveOffice) {
  chats += 1;
  const chatId = chats;
  const { script, office } = live;
  const askedBefore = script.asked.length;
  const written: object[] = [];
  const writes = (text: string): Promise<void> => {
    messageIds += 1;
    const from = { id: chatId, is_bot: false, first_name: `Client ${chatId}` };
    const chat = { id: chatId, type: "private", first_name: from.first_name };
    const message = { message_id: messageIds, date: Math.floor(Date.now() / 1000), chat, from };
    const update = { update_id: messageIds, message: { ...message, text } };
    written.push(update);
    return live.delivers(update);
  };
  const buttons = createButtonMemory(live, String(chatId));
  const press = (reader: Reader, button: Button, over: object = {}): object => {
    callbackIds += 1;
    const chat = { id: OPERATORS, type: "supergroup", title: "Operators" };
    const message = { message_id: button.messageId, date: 1, chat };
    const from = { id: READERS[reader], is_bot: false, first_name: reader };
    const query = { id: `press-${callbackIds}`, from, chat_instance: "1", message };
    return { callback_query: { ...query, data: button.data, ...over } };
  };
  const plays: {
    [Kind in Act["kind"]]: (given: Extract<Act, { kind: Kind }>) => Promise<unknown>;
  } = {
    writes({ word, sum }) {
      script.steps.push(...stepsFor(word, chatId, sum));
      return writes(WORDS[word]);
    },
    redelivers: async ({ nth }) => {
      const again = written[nth % written.length];
      if (again) await live.delivers(again);
    },
    async presses({ by, label, nth, times }) {
      const button = await buttons.find(label, nth);
      if (button) await live.delivers(...Array.from({ length: times }, () => press(by, button)));
    },
    async race({ nth }) {
      const [yes, no] = [await buttons.find("Approve", nth), await buttons.find("Reject", nth)];
      if (!yes || !no) return;
      const first = press("alice", yes);
      // the same press again, as Telegram does when it got no answer
      await live.delivers(first, press("bob", no), press("bob", yes), first);
    },
    async forges({ by, nth, how }) {
      const button = await buttons.find("Approve", nth);
      if (button) await live.delivers(press(by, button, forgery(button, how)));
    },
    works: ({ on, twice }) => live.works(on, twice),
    dies: ({ on, commits, moment }) => live.dies(on, { diesAt: commits, moment }),
    sends: () => live.sends(),
    payoutFault: ({ fault, count }) => live.fault("payout", faultOf(fault, count)),
    telegramFault: ({ fault, count }) => live.fault("telegram", faultOf(fault, count)),
    async modelFault({ retryable }) {
      script.steps.unshift({ fails: { retryable, retryAfterMs: null } });
    },
    // a worker that has begun is not that slow: leases hold while acts go on
    async passes({ seconds }) {
      office.time.now += seconds * 1000;
    },
  };
  await writes("Hello");
  await live.isPaid(chatId);
  await live.works("run");
  // without something to decide most acts would fall flat
  await plays.writes({ kind: "writes", word: "wantsAll", sum: 900, pace: "next" });
  return {
    chatId,
    async plays(group: readonly Act[]): Promise<void> {
      if (group[0]?.pace === "rested") await live.looks();
      await Promise.all(group.map((one) => plays[one.kind](one as never))); // of that kind
      office.time.real = Math.max(office.time.real, office.time.now);
    },
    /** Ends all trouble, waits for what is due, and tells which rule does not hold. */
    async ends(): Promise<string[]> {
      await clearFaults(live);
      const left = await live.settles();
      await writes("Thank you");
      left.push(...(await live.settles()));
      const trace = await live.trace(chatId);
      const requests = script.asked.slice(askedBefore).map(({ messages }) => messages);
      script.steps.length = 0;
      return [
        ...left.map((what) => `never ends: ${what}`),
        ...brokenRules(trace),
        ...requests.flatMap((messages) => wrongCalls(messages)),
        ...wrongPayouts(trace, gatewayPayouts(live)),
        ...wrongSupplies(trace, live.supplied),
        ...(await wrongChats(live, trace, chatId)),
        ...(await wrongTrail(live)),
      ];
    },
  };
}
export type Story = Awaited<ReturnType<typeof openStory>>;

/** What the model answers next to such words. */
function stepsFor(word: Word, chatId: number, sum: number): ModelStep[] {
  const payout = { name: PAYOUT, args: {} };
  const order = `EX-${chatId}-${sum}`;
  const supplier = { name: SUPPLIER, args: { amount: String(sum), orderId: order } };
  const price = { name: "read_price", args: { item: "baht" } };
  const invalid = { name: SUPPLIER, args: { amount: "much", orderId: order } };
  switch (word) {
    case "wantsPayout":
      return [{ calls: [payout] }];
    case "wantsSupplier":
      return [{ calls: [supplier] }];
    case "wantsAll":
      return [{ calls: [price, price, payout, supplier, invalid] }];
    default:
      return [];
  }
}

interface Button {
  messageId: number;
  label: string;
  data: string;
}

/** Every button that a card about the client ever had: a person may still see an old one. */
function createButtonMemory(live: LiveOffice, name: string) {
  const known = new Map<string, Button>();
  return {
    /** The newest first. */
    async find(label: string, nth: number): Promise<Button | undefined> {
      for (const { message_id: messageId, text, buttons } of await live.messages(OPERATORS))
        for (const { label: shown, data } of text.includes(name) ? buttons.flat() : [])
          known.set(`${messageId} ${data}`, { messageId, label: shown, data });
      const own = [...known.values()].filter((button) => button.label.includes(label)).reverse();
      return own[nth % own.length];
    },
  };
}

function forgery({ data }: Button, how: Extract<Act, { kind: "forges" }>["how"]): object {
  switch (how) {
    case "value":
      return { data: data.replace(/[0-9a-f]{4}$/, "0000") };
    case "action":
      return { data: data.replace(/^[a-z]+/, "constructor") };
    case "chat":
      return { message: { message_id: 1, date: 1, chat: { id: -999, type: "supergroup" } } };
    default:
      return { data: "__proto__:__proto__" };
  }
}

function faultOf(kind: Fault["kind"], count: number): Omit<Fault, "service"> {
  return { kind, count, status: 503, ...(kind === "latency" ? { delay_ms: 50 } : {}) };
}

async function clearFaults(live: LiveOffice): Promise<void> {
  for (const kind of ["drop_response_after_effect", "down", "status", "latency"] as const)
    await live.fault("payout", { kind, count: 0 });
  for (const kind of ["drop_response_after_effect", "status", "lose_first"] as const)
    await live.fault("telegram", { kind, count: 0 });
}

function gatewayPayouts(live: LiveOffice): { order_id: string; amount: string }[] {
  return live.office.payouts().map(({ order }) => order);
}

/** Money to suppliers, which no gateway would refuse a second time. */
function wrongSupplies(
  { executions, candidates }: Played,
  supplied: readonly JsonObject[],
): string[] {
  const calls: Played[] = candidates.filter(({ tool_name }: Played) => tool_name === SUPPLIER);
  const orders = new Set(calls.map(({ action_json }) => action_json?.orderId).filter(Boolean));
  return [...orders].flatMap((orderId) => {
    const own = calls.filter(({ action_json }) => action_json?.orderId === orderId);
    const done = executions.filter(
      (one: Played) =>
        one.status === "completed" && own.some(({ id }: Played) => id === one.candidate_id),
    );
    const times = supplied.filter((one) => one.orderId === orderId).length;
    return times === done.length && times <= 1
      ? []
      : [`the supplier of ${orderId} was paid ${times} times by ${done.length} executions`];
  });
}

/** The client reads each text once, unless nobody knows whether it came; open cards can be pressed. */
async function wrongChats(live: LiveOffice, trace: Played, chatId: number): Promise<string[]> {
  const own = trace.outbox.filter((row: Played) => row.chat_id === String(chatId));
  const sent = own.filter(({ status }: Played) => status === "sent").length;
  const doubtful = own.filter(({ status }: Played) => status === "uncertain").length;
  const heard = (await live.messages(chatId)).filter(({ from_bot }) => from_bot).length;
  const wrong =
    heard >= sent && heard <= sent + doubtful
      ? []
      : [`the client has ${heard} texts, ${sent} were sent and ${doubtful} are in doubt`];
  const shown = await live.messages(OPERATORS);
  for (const { number, status } of trace.approvals) {
    if (!["pending", "frozen"].includes(status)) continue;
    const isThere = shown.some(
      ({ text, buttons }) => new RegExp(`A-${number}(?!\\d)`).test(text) && buttons.length > 0,
    );
    if (!isThere) wrong.push(`A-${number} is ${status}, and nobody can press anything`);
  }
  return wrong;
}

async function wrongTrail(live: LiveOffice): Promise<string[]> {
  const trail = live.trails.of(TENANT);
  await trail.seal();
  const { problems, unsealed } = await trail.verify();
  return [
    ...problems.map(({ index, what }) => `the trail at ${index}: ${what}`),
    ...(unsealed > 0 ? [`${unsealed} lines of the trail are not sealed`] : []),
  ];
}
