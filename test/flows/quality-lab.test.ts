import { afterAll, beforeAll, expect, test } from "vitest";
import { checkRecord } from "../../src/quality/regressions/check-record.ts";
import { openDesk, SETUP_TOKEN } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

const QUALITY = "/quality/tool-call-feedback";

forEachEngine((engine) => {
  let desk: Desk;
  let lead: Lead;
  let callId: string;
  let toolName: string;

  beforeAll(async () => {
    desk = await openDesk(engine);
    lead = desk.lead();
    await lead.says("How much is 500 USDT?");
    const { items } = await desk.admin("GET", "/quality/tool-calls");
    [{ id: callId, tool_name: toolName }] = items;
  });
  afterAll(() => desk.close());

  /** To the newest reply in the review channel. */
  async function reacts(user: string, name: string): Promise<void> {
    const posts: Played[] = await desk.world.get("slack/channels/C0REVIEW/messages");
    const reply = posts.at(-1);
    const shown = { channel: "C0REVIEW", ts: reply?.ts };
    await desk.world.post("slack/reactions", { ...shown, user, name });
    await desk.idle();
  }
  const pending = async (): Promise<Played[]> =>
    (await desk.admin("GET", `${QUALITY}/proposals?status=pending`)).items;
  async function exported(path: string): Promise<Played[]> {
    const headers = { authorization: `Bearer ${SETUP_TOKEN}` };
    const answer = await fetch(`${desk.origin()}/api/admin${path}`, { headers });
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    return (await answer.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  test("an operator's reaction to a reply asks for another tool", async () => {
    await reacts("U0ALICE", "thinking_face");
    expect(await pending()).toMatchObject([
      {
        ...{ number: 1, kind: "tool_selection", label: "wrong_tool", tool_name: toolName },
        evidence: [{ tool_call_id: callId }],
      },
    ]);
  });

  test("a proposal that was dismissed comes anew with the next reaction, at once", async () => {
    await desk.admin("POST", "/quality/proposals/1/dismiss", { note: "it was right" });
    expect(await pending()).toEqual([]);
    await reacts("U0BOB", "thinking_face");
    expect(await pending()).toMatchObject([{ number: 2, labels: 1, tool_name: toolName }]);
  });

  test("an admin makes a case of it: the call, and the words that led to it", async () => {
    const made = await desk.admin("POST", "/quality/proposals/2/case", {});
    expect(checkRecord(made).faults).toEqual([]);
    expect(made).toMatchObject({
      ...{ id: 1, toolName, proposalId: 2, expected: { forbiddenTools: [toolName] } },
      context: { policyResult: "allow", modelId: expect.any(String), language: "en" },
    });
    expect(made.input.messages.at(-1)).toEqual({ role: "user", content: "How much is 500 USDT?" });
    expect(made.input.messages.map(({ role }: Played) => role)).not.toContain("system");
    const { items } = await desk.admin("GET", "/quality/tool-calls");
    const judged = items.find(({ id }: Played) => id === callId);
    expect([made.input.args, made.toolCallId]).toEqual([judged.args, judged.number]);
    expect(await exported("/quality/tool-call-regression-cases/export.jsonl")).toEqual([made]);
    expect(await exported(`${QUALITY}/export.jsonl`)).toMatchObject([
      { label: "wrong_tool", source: "reaction", toolCall: { toolName } },
      { label: "wrong_tool", source: "reaction", toolCall: { toolName } },
    ]);
  });

  test("the rules that stand say of recorded calls what they said then", async () => {
    const { policies } = await desk.admin("GET", "/policies");
    const same = await desk.admin("POST", "/policies/simulate", { policies });
    expect(same).toMatchObject({ changed: [], counts: {}, unreadable: 0 });
    expect(same.candidates).toBeGreaterThan(0);
    const none = await desk.admin("POST", "/policies/simulate", { policies: [] });
    expect(none.changed.map(({ after }: Played) => after.result)).toContain("deny");
  });

  test("usage tells how often models and tools were called", async () => {
    const { model, tools, latencies } = await desk.admin("GET", "/usage");
    expect(model).toMatchObject([{ operation: "reply", failed: 0 }]);
    expect(tools.map((one: Played) => [one.tool_name, one.calls])).toContainEqual([toolName, 1]);
    expect(latencies.map(({ component }: Played) => component)).toContain("model");
  });
});
