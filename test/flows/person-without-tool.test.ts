import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const TOOL = "handoff_to_operator";

forEachEngine((engine) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(engine);
  });
  afterAll(() => desk.close());
  afterEach(async () => {
    await desk.admin("PATCH", `/tools/${TOOL}`, { is_active: true });
    await desk.script([]);
  });

  const handoffs = async (lead: Lead) =>
    (await lead.trace()).handoffs.map(({ reason }: Played) => reason);

  it.each([
    ["Can I talk to a person?", /operator/],
    ["Позовите оператора", /оператор/],
  ])("a lead who asks gets a person though the tool is off: %s", async (words, told) => {
    const off = await desk.admin("PATCH", `/tools/${TOOL}`, { is_active: false });
    expect(off.warnings).toEqual([expect.stringContaining(TOOL)]);
    const lead = desk.lead();
    await lead.says("hello");
    const answer = await lead.says(words);
    expect(answer).toMatch(told);
    expect(answer).not.toMatch(/Say "operator"|Скажите «оператор»/);
    expect(await handoffs(lead)).toEqual(["operator_request"]);
    await lead.says(words);
    expect(await handoffs(lead)).toEqual(["operator_request"]); // one request is one card
  });

  it("a lead gets one, too, where the model's own call is refused", async () => {
    await desk.admin("PATCH", `/tools/${TOOL}`, { is_active: false });
    const lead = desk.lead();
    const args = { reason: "operator_request", summary: "The client is lost" };
    await desk.script([
      { tool_calls: [{ name: TOOL, arguments: args }] },
      { content: "One moment." },
    ]);
    await lead.says("zz this is odd");
    expect(await handoffs(lead)).toEqual(["operator_request"]);
  });

  it("with the tool it stays the model's own call", async () => {
    const lead = desk.lead();
    await lead.says("Can I talk to a person?");
    const { handoffs: raised, messages } = await lead.trace();
    expect(raised).toHaveLength(1);
    const events = messages.filter(({ text }: Played) => /asked to step in/.test(text));
    expect(events).toEqual([]);
  });
});
