import { expect } from "vitest";
import type { Desk, Person, Sent } from "./desk-people.ts";
import { type Dialog, type DialogTurn, namedRequisites, says } from "./dialogs.ts";
import type { Played } from "./played-world.ts";

/** How operators decide: presses Approve on the newest card about the lead. */
export type Approves = (lead: Person) => Promise<unknown>;

/** Plays a written dialog from its beginning and expects everything that it says of each turn. */
export async function playDialog(
  desk: Desk,
  lead: Person,
  dialog: Dialog,
  { used = "", approves = bySlack(desk) }: { used?: string; approves?: Approves } = {},
): Promise<void> {
  if (dialog.kyc === "verified") await lead.passesKyc();
  await START[dialog.startStage ?? ""]?.(lead);
  for (const turn of dialog.turns) await playTurn(lead, await withHash(turn, lead, used), approves);
}

function bySlack(desk: Desk): Approves {
  return async (lead) => desk.operator("U0ALICE").presses("Approve", await lead.card());
}

const START: Record<string, (lead: Person) => Promise<void>> = {
  async kyc_collection(lead) {
    await lead.says("I want to change 1000 USDT on TRC20 to baht, cash at your office");
    await lead.says("yes, create the order");
    expect((await lead.trace()).conversation.stage).toBe("kyc_collection");
  },
  requisites_sent: orders450,
};

async function orders450(lead: Person): Promise<void> {
  await lead.says("Change 450 USDT on TRC20 to baht, I will take the cash at your office");
  await lead.says("Yes, go ahead");
  await lead.says("Where do I pay?");
  expect((await lead.trace()).conversation.stage).toBe("requisites_sent");
}

const OTHER_USDT = { contract: "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj", symbol: "USDT" };

/** Before the dialog's own order: two open orders of one sum would make the payer doubtful. */
export async function settleEarlierOrder(earlier: Person): Promise<string> {
  await earlier.passesKyc();
  await orders450(earlier);
  const hash = await earlier.transfers("450");
  await earlier.says(`sent ${hash}`);
  expect((await earlier.trace()).orders[0].status).toBe("paid");
  return hash;
}

/** The transfers that dialogs speak of; each is made just before the lead names it. */
const TRANSFERS: Record<string, (lead: Person, used: string) => Promise<string>> = {
  "<64-hex>": (lead) => lead.transfers("2000"),
  "<hash-A>": (lead) => lead.transfers("450", { confirmed: false }),
  "<hash-B>": (lead) => lead.transfers("450", OTHER_USDT),
  "<hash-C>": async (_, used) => used,
};

async function withHash(turn: DialogTurn, lead: Person, used: string): Promise<DialogTurn> {
  const [name] = /<[\w-]+>/.exec(turn.user) ?? [];
  const transfer = name === undefined ? undefined : TRANSFERS[name];
  if (name === undefined || !transfer) return turn;
  const hash = await transfer(lead, used);
  const fill = (text: string) => text.replaceAll(name, hash);
  const expectTools = turn.expectTools.map((call) => ({
    ...call,
    args: mapStrings(call.args ?? {}, fill),
  }));
  return { ...turn, user: fill(turn.user), expectTools };
}

function mapStrings(values: Record<string, unknown>, change: (text: string) => string) {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([k, v]) => [k, typeof v === "string" ? change(v) : v]));
}

async function playTurn(lead: Person, turn: DialogTurn, approves: Approves): Promise<void> {
  if (turn.user.startsWith("[operator")) {
    await approves(lead);
    return;
  }
  const before = (await traceOf(lead)).calls.length;
  const reply = await lead.sends(...messagesOf(turn));
  const after = await traceOf(lead);
  const calls = after.calls.slice(before);
  expect(calls.map((call) => call.tool)).toEqual(turn.expectTools.map((call) => call.tool));
  expect(calls).toMatchObject(
    turn.expectTools.map(({ args, expect: data }) => ({
      args: args ?? {},
      result: shownToModel(data ?? {}),
    })),
  );
  expectPrice(after.trace, turn);
  expectState(after.trace, turn);
  expectReply(reply, after.trace, turn);
  if (!turn.afterApprove) return;
  await approves(lead);
  expectState((await traceOf(lead)).trace, turn.afterApprove);
}

/** The words stand under the first file, as people send them. */
function messagesOf({ user, media }: DialogTurn): Sent[] {
  if (media.length === 0) return [{ text: user }];
  return media.map((kind, index) => ({ [kind]: {}, ...(index === 0 ? { caption: user } : {}) }));
}

/** Calls of the model with arguments and the whole of what came back, oldest first. */
async function traceOf(lead: Person) {
  const trace: Played = (await lead.isKnown()) ? await lead.trace() : { candidates: [] };
  const calls = trace.candidates
    .filter(({ source, tool_name }: Played) => source === "model" && !SIDE_TOOLS.has(tool_name))
    .map(({ tool_name: tool, arguments_json: args, reply }: Played) => ({
      tool,
      args,
      result: { ...reply, ...reply?.data },
    }));
  return { trace, calls: calls as { tool: string; args: object; result: object }[] };
}

/** The desk's own figures, which no model is shown: they stand in the quote. */
const INNER = ["marginPct", "feeFixed", "tierMin"];

function shownToModel(data: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !INNER.includes(name)));
}

function expectPrice(trace: Played, { expectTools }: DialogTurn): void {
  const quote = expectTools.find(({ expect: data }) => data?.marginPct !== undefined)?.expect;
  if (!quote) return;
  const { margin_pct, fee_fixed } = trace.quotes.at(-1);
  expect({ marginPct: margin_pct, feeFixed: fee_fixed }).toEqual({
    marginPct: quote.marginPct,
    feeFixed: quote.feeFixed,
  });
}

/** Looking things up and calling a person change no deal; a dialog tells hand-overs apart. */
const SIDE_TOOLS = new Set(["search_knowledge_base", "handoff_to_operator"]);

function expectState(trace: Played, wanted: Partial<DialogTurn>): void {
  const reached = {
    stageAfter: trace.conversation.stage,
    orderAfter: trace.orders.at(-1)?.status,
    handoff: handoffOf(trace),
  };
  const { stageAfter, orderAfter, handoff } = wanted;
  const expected = Object.entries({ stageAfter, orderAfter, handoff });
  expect(reached).toMatchObject(Object.fromEntries(expected.filter(([, value]) => value)));
  const open = trace.orders.filter(({ status }: Played) => status === "awaiting_payment");
  expect(open.length).toBeLessThanOrEqual(1);
}

/** A card that asks for a decision is the hand-over to a person. */
function handoffOf({ handoffs, approvals }: Played): string | undefined {
  const asked = approvals.findLast(({ status }: Played) => status === "pending");
  return handoffs.at(-1)?.reason ?? CARDS[asked?.requested_action];
}

const CARDS: Record<string, string> = {
  kyc: "kyc_review",
  payout: "office_payout",
  payment_review: "payment_review",
};

function expectReply(reply: string, trace: Played, turn: DialogTurn): void {
  const missing = turn.replyMust.filter((wanted) => !says(reply, wanted));
  const forbidden = turn.replyMustNot.filter((wanted) => says(reply, wanted));
  const known = JSON.stringify(trace.orders.map(({ requisites_json }: Played) => requisites_json));
  const invented = namedRequisites(reply).filter((one) => !known.includes(one));
  expect({ reply, missing, forbidden, invented }).toEqual({
    reply,
    missing: [],
    forbidden: [],
    invented: [],
  });
}
