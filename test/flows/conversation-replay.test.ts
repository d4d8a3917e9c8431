import { afterAll, beforeAll, expect, test } from "vitest";
import { openDesk } from "../support/desk.ts";
import type { Desk, Lead } from "../support/desk-people.ts";
import { forEachEngine } from "../support/engines.ts";
import type { Played } from "../support/played-world.ts";

forEachEngine((engine) => {
  let desk: Desk;
  let lead: Lead;
  let conversationId: string;
  beforeAll(async () => {
    desk = await openDesk(engine);
    lead = desk.lead();
    await lead.says("How many baht will I get for 100 USDT?");
    await lead.says("When do you open?");
    conversationId = (await lead.trace()).conversation.id;
  });
  afterAll(() => desk.close());

  const replay = (wish: object) => desk.admin("POST", "/quality/replays", wish);
  const allCalls = (turns: Played[], side: string) =>
    turns.flatMap((turn) => turn[side].calls) as Played[];

  test("under the rules as they are every call comes out as it was", async () => {
    const made = await replay({ conversation_id: conversationId });
    expect(allCalls(made.turns, "recorded").length).toBeGreaterThan(0);
    expect(made).toMatchObject({ model_id: "", different: 0 });
    expect(await desk.admin("GET", `/quality/replays/${made.id}`)).toEqual(made);
  });

  test("under a stricter rule the same calls are refused, and nothing else changes", async () => {
    const before = await lead.trace();
    const { policies } = await desk.admin("GET", "/policies");
    const stricter = policies.map((row: Played) =>
      row.tool_name === "compute_exchange_quote" ? { ...row, allow_call: false } : row,
    );
    const made = await replay({ conversation_id: conversationId, policies: stricter });
    const quotes = allCalls(made.turns, "replayed").filter(
      ({ toolName }) => toolName === "compute_exchange_quote",
    );
    expect(quotes.length).toBeGreaterThan(0);
    for (const quote of quotes) expect(quote).toMatchObject({ policyResult: "deny" });
    expect(made.different).toBeGreaterThan(0);
    expect(await desk.admin("GET", "/policies")).toEqual({ policies });
    expect((await lead.trace()).candidates).toEqual(before.candidates);
  });

  test("another model's answers stand beside the recorded ones", async () => {
    const seen = (await desk.world.get("model/requests")).length;
    const made = await replay({ conversation_id: conversationId, model: "another-model" });
    expect(made.model_id).toBe("another-model");
    const requests = (await desk.world.get("model/requests")).slice(seen);
    expect(requests).toHaveLength(made.turns.length);
    expect(requests[0].body.model).toBe("another-model");
    const first = made.turns[0];
    expect(first.asked).toBe("How many baht will I get for 100 USDT?");
    expect(first.replayed.calls[0].toolName).toBe(first.recorded.calls[0].toolName);
  });

  test.each([
    [{ conversation_id: "nobody" }, "not_found"],
    [{ conversation_id: "x", policies: [{}] }, "invalid"],
    [{}, "invalid"],
  ])("%j is refused as %s", async (wish, code) => {
    await expect(replay(wish)).rejects.toThrow(code);
  });
});
