import { expect } from "vitest";
import { wrongCalls } from "../../support/invariants.ts";
import type { Played } from "../../support/played-world.ts";
import type { DeskProcess } from "../desk-process.ts";
import type { Person } from "./deal.ts";

/** What must be true whenever everything has come to rest, wherever the process was killed on the way. */
export async function expectSound(desk: DeskProcess, person: Person): Promise<void> {
  await saysMore(desk, person);
  const trace = await traceOf(desk, person);
  expectNothingLeftOpen(trace);
  await expectShown(desk, person, trace);
  await expectNobodyPaidTwice(desk);
  await expectOneReplyATurn(person, trace);
  await expectValidHistory(desk);
  await expectWholeTrail(desk);
}

async function traceOf(desk: DeskProcess, person: Person): Promise<Played> {
  const { items } = await desk.admin("/conversations?limit=200");
  const own = items.find((one: Played) => one.chat_id === String(person.chatId));
  return desk.admin(`/conversations/${own.id}`);
}

/** The order's money left once, by the operator's one approval. */
export async function expectPaidOnce(desk: DeskProcess, person: Person): Promise<void> {
  const cards = await desk.cards(person.card("Payout: approve\\?"));
  const [order] = /EX-\d+/.exec(cards.at(-1)?.text ?? "") ?? [];
  const payouts: Played[] = await desk.world.get("payouts");
  expect(payouts.filter(({ order_id }) => order_id === order)).toMatchObject([
    { amount: "62600", currency: "THB" },
  ]);
  expect(await desk.admin(`/exchange/orders/${order}`)).toMatchObject({ status: "payout" });
  const trace = await traceOf(desk, person);
  const effects = trace.executions.filter((one: Played) => one.has_side_effect);
  const names = effects.map((one: Played) => [one.tool_name, one.status]);
  expect(names).toEqual([
    ["set_kyc_status", "completed"],
    ["issue_exchange_payout", "completed"],
  ]);
}

/** Something was said to the client after the last of their words. */
export async function expectAnswered(person: Person): Promise<void> {
  expect((await person.heard()).length).toBeGreaterThan(0);
}

/** The conversation can go on: the next request to the model has all that was said and done. */
async function saysMore(desk: DeskProcess, person: Person): Promise<void> {
  const asked = (await requestsOf(desk)).length;
  await person.says("Спасибо, всего доброго").run();
  await desk.settles();
  expect((await requestsOf(desk)).length).toBeGreaterThan(asked);
}

const ENDED_APPROVALS = ["approved", "rejected", "superseded", "expired", "cancelled"];
const DONE_CANDIDATES = ["executed", "failed", "schema_failed", "blocked_by_policy"];

/** No approval is lost: what was asked waits, is decided, superseded, or ended in time. */
function expectNothingLeftOpen(trace: Played): void {
  for (const { status } of trace.approvals)
    expect([...ENDED_APPROVALS, "pending"]).toContain(status);
  const asked = trace.executions.filter(({ status }: Played) => status === "waiting_approval");
  const open = [...trace.approvals.filter(({ status }: Played) => status === "pending"), ...asked];
  const waiting = open.map((one: Played) => one.candidate_id);
  for (const { id, status } of trace.candidates)
    if (!waiting.includes(id)) expect(DONE_CANDIDATES).toContain(status);
  // nobody can tell whether a letter left: a person is asked
  for (const { tool_name, status } of trace.executions)
    if (tool_name !== "send_email" || status !== "waiting_approval")
      expect(["completed", "failed", "cancelled"]).toContain(status);
}

/** What people have to see stands in their channel, with buttons for as long as it waits. */
async function expectShown(desk: DeskProcess, person: Person, trace: Played): Promise<void> {
  for (const { number, status } of trace.approvals) {
    const cards = await desk.cards(new RegExp(`· A-${number}(?!\\d)`));
    expect(cards.length, `cards of A-${number}`).toBeGreaterThan(0);
    const hasButtons = cards.some(({ buttons }) => buttons.length > 0);
    if (status === "pending") expect(hasButtons, `buttons of A-${number}`).toBe(true);
  }
  const lost = trace.outbox.filter((row: Played) => isLostReply(person, row));
  const told = await desk.cards(person.card("A reply may not have arrived"));
  expect(told.length).toBeGreaterThanOrEqual(lost.length);
  for (const { tool_name, status } of trace.executions)
    if (status === "waiting_approval")
      expect(await desk.cards(person.card("")), tool_name).not.toEqual([]);
}

function isLostReply({ chatId }: Person, row: Played): boolean {
  return row.chat_id === String(chatId) && row.purpose === "reply" && row.status === "uncertain";
}

async function expectNobodyPaidTwice(desk: DeskProcess): Promise<void> {
  const payouts: Played[] = await desk.world.get("payouts");
  const orders = payouts.map(({ order_id }) => order_id);
  expect(orders.filter((order, at) => orders.indexOf(order) !== at)).toEqual([]);
}

/** The letter left once; when nobody knows whether it did, once at most. */
export async function expectLetters(
  desk: DeskProcess,
  person: Person,
  address: string,
): Promise<void> {
  const letters = (await desk.world.get<Played[]>("mail")).filter(({ to }) => to === address);
  const { executions } = await traceOf(desk, person);
  const sent = executions.filter(({ tool_name }: Played) => tool_name === "send_email");
  expect(sent).toHaveLength(1);
  if (sent[0].status === "waiting_approval") expect(letters.length).toBeLessThanOrEqual(1);
  else expect([sent[0].status, letters.length]).toEqual(["completed", 1]);
}

/** Each reply stands in the chat once; other words once more when nobody knew whether they arrived. */
async function expectOneReplyATurn(person: Person, trace: Played): Promise<void> {
  for (const { status } of trace.runs)
    expect(["completed", "superseded", "exhausted", "failed"]).toContain(status);
  const toLead = trace.outbox.filter((row: Played) => row.chat_id === String(person.chatId));
  for (const row of toLead) expect(["sent", "uncertain"]).toContain(row.status);
  const replies = toLead.filter((row: Played) => row.purpose === "reply");
  const turns = replies.map((row: Played) => row.message_id);
  expect(new Set(turns).size).toBe(turns.length);
  const certain = toLead.filter((row: Played) => row.status === "sent").length;
  const heard = (await person.heard()).length;
  expect(heard).toBeGreaterThanOrEqual(certain);
  expect(heard).toBeLessThanOrEqual(replies.length + 2 * (toLead.length - replies.length));
}

/** In every request that the model got, each call has exactly one result, right after it. */
async function expectValidHistory(desk: DeskProcess): Promise<void> {
  // since the last start
  for (const { body } of await requestsOf(desk)) expect(wrongCalls(body.messages)).toEqual([]);
}

function requestsOf(desk: DeskProcess): Promise<Played[]> {
  return desk.world.get("model/requests");
}

async function expectWholeTrail(desk: DeskProcess): Promise<void> {
  const { code, out, err } = await desk.shell(["audit", "verify"]);
  expect({ code, said: code === 0 ? "" : out + err }).toEqual({ code: 0, said: "" });
}
