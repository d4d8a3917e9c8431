import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, openDesk } from "../support/desk.ts";
import type { Lead, Sent } from "../support/desk-lead.ts";
import {
  type Dialog,
  type DialogTurn,
  namedRequisites,
  readDialogs,
  says,
} from "../support/dialogs.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());

  test.each(readDialogs())("$id: $title", async (dialog) => {
    const lead = desk.lead();
    const hashes = await START[dialog.id]?.(lead, desk);
    if (dialog.kyc === "verified" && !hashes?.verified) await lead.passesKyc();
    const fill = (text: string) => text.replace(/<[\w-]+>/g, (name) => hashes?.[name] ?? name);
    for (const turn of dialog.turns) await playTurn(desk, lead, filled(turn, fill));
  });
});

type Hashes = Record<string, string>;

/** What has happened before a dialog begins, and the transfers that it speaks of. */
const START: Partial<Record<Dialog["id"], (lead: Lead, desk: Desk) => Promise<Hashes>>> = {
  d01: async (lead) => ({ "<64-hex>": await lead.transfers("2000") }),
  d10: async (lead, desk) => {
    const used = await settleEarlierOrder(lead, desk);
    await orders450(lead);
    const foreign = { contract: "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj", symbol: "USDT" };
    return {
      verified: "yes",
      "<hash-A>": await lead.transfers("450", { confirmed: false }),
      "<hash-B>": await lead.transfers("450", foreign),
      "<hash-C>": used,
    };
  },
  d14: async (lead) => {
    await lead.says("I want to change 1000 USDT on TRC20 to baht, cash at your office");
    await lead.says("yes, create the order");
    expect((await lead.trace()).conversation.stage).toBe("kyc_collection");
    return {};
  },
};

async function settleEarlierOrder(lead: Lead, desk: Desk): Promise<string> {
  await lead.passesKyc();
  await orders450(lead);
  const hash = await lead.transfers("450");
  await lead.says(`sent ${hash}`);
  await lead.says("when can I come?");
  await desk.operator("U0ALICE").presses("Approve", await lead.card());
  return hash;
}

async function orders450(lead: Lead): Promise<void> {
  await lead.says("Change 450 USDT on TRC20 to baht, I will take the cash at your office");
  await lead.says("Yes, go ahead, where do I pay?");
  expect((await lead.trace()).conversation.stage).toBe("requisites_sent");
}

function filled(turn: DialogTurn, fill: (text: string) => string): DialogTurn {
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

async function playTurn(desk: Desk, lead: Lead, turn: DialogTurn): Promise<void> {
  if (turn.user.startsWith("[operator")) {
    await desk.operator("U0BOB").presses("Approve", await lead.card());
    return;
  }
  const before = (await traceOf(lead)).calls.length;
  const reply = await lead.sends(...messagesOf(turn));
  const after = await traceOf(lead);
  expect(after.calls.slice(before).map((call) => call.tool)).toEqual(
    turn.expectTools.map((call) => call.tool),
  );
  expect(after.calls.slice(before)).toMatchObject(
    turn.expectTools.map(({ args, expect: data }) => ({ args: args ?? {}, result: data ?? {} })),
  );
  expectState(after.trace, turn);
  expectReply(reply, after.trace, turn);
  if (!turn.afterApprove) return;
  await desk.operator("U0ALICE").presses("Approve", await lead.card());
  expectState((await traceOf(lead)).trace, turn.afterApprove);
}

function messagesOf({ user, media }: DialogTurn): Sent[] {
  const [first, ...others] = media;
  if (!first) return [{ text: user }];
  const captioned = first === "photo" ? [{ photo: {}, caption: user }] : [{ text: user }, media0()];
  return [...captioned, ...others.map((kind) => ({ [kind]: {} }))];
  function media0(): Sent {
    return { video_note: {} };
  }
}

/** Calls of the model with arguments and the whole of what came back, oldest first. */
async function traceOf(lead: Lead) {
  const isKnown = (await lead.chat()).some((said) => said.from_bot);
  const trace: Played = isKnown ? await lead.trace() : { candidates: [] };
  const calls = trace.candidates
    .filter(({ source, tool_name }: Played) => source === "model" && !SIDE_TOOLS.has(tool_name))
    .map(({ tool_name: tool, arguments_json: args, reply }: Played) => ({
      tool,
      args,
      result: { ...reply, ...reply?.data },
    }));
  return { trace, calls: calls as { tool: string; args: object; result: object }[] };
}

/** Looking things up and calling a person change no deal; a dialog tells hand-overs apart. */
const SIDE_TOOLS = new Set(["search_knowledge_base", "handoff_to_operator"]);

function expectState(trace: Played, wanted: Partial<DialogTurn>): void {
  const reached = {
    stageAfter: trace.conversation.stage,
    orderAfter: trace.orders.at(-1)?.status,
    handoff: trace.handoffs.at(-1)?.reason,
  };
  const { stageAfter, orderAfter, handoff } = wanted;
  const expected = Object.entries({ stageAfter, orderAfter, handoff });
  expect(reached).toMatchObject(Object.fromEntries(expected.filter(([, value]) => value)));
  const open = trace.orders.filter(({ status }: Played) => status === "awaiting_payment");
  expect(open.length).toBeLessThanOrEqual(1);
}

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
