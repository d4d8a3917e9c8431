import { describe, expect, test } from "vitest";
import type { DeliveryResult, Messenger } from "../../src/domain/messenger.ts";
import { createChatLimits } from "../../src/outbound/chat-limits.ts";
import { endOf, stepInDoubt } from "../../src/outbound/next-step.ts";
import { type ClaimedRow, SENT_ONCE_MORE } from "../../src/store/outbox-claim.ts";

function makeRow(over: Partial<ClaimedRow> = {}): ClaimedRow {
  return {
    ...{ id: "o1", tenantId: "t1", channelId: "c1", chatId: "1", threadId: null },
    ...{ purpose: "reply", content: { kind: "text", text: "hi" }, attempts: 1, sentParts: [] },
    ...{
      approvalId: null,
      conversationId: null,
      lastError: null,
      createdAt: 0,
      leaseToken: "l",
      uncertain: false,
    },
    ...over,
  };
}

const marked = `${SENT_ONCE_MORE}reset`;

describe("a row whose fate is not known", () => {
  test.each([
    ["a reply is left to a person", makeRow(), false, "leave"],
    ["a card is sent once more", makeRow({ purpose: "card" }), false, "send"],
    ["a notice is sent once more", makeRow({ purpose: "notice" }), false, "send"],
    ["not twice", makeRow({ purpose: "card", lastError: marked }), false, "leave"],
    ["is looked up where that is possible", makeRow(), true, "look_up"],
    ["but not for ever", makeRow({ attempts: 9 }), true, "leave"],
  ])("%s", (_, row, canLookUp, step) => {
    expect(stepInDoubt(row, canLookUp)).toBe(step);
  });
});

describe("the end of an attempt", () => {
  const at = { now: 10_000, canLookUp: false };
  test.each<[string, ClaimedRow, DeliveryResult, object]>([
    ["sent", makeRow(), { kind: "sent" }, { kind: "sent" }],
    ["refused", makeRow(), { kind: "refused", error: "x" }, { kind: "failed", error: "x" }],
    [
      "the wait that was asked for",
      makeRow(),
      { kind: "retry", afterMs: 7_200_000, error: "429" },
      { kind: "retry", dueAt: 7_210_000 },
    ],
    [
      "a growing wait when none was asked for",
      makeRow({ attempts: 4 }),
      { kind: "retry", afterMs: 0, error: "refused" },
      { kind: "retry", dueAt: 14_000 },
    ],
    [
      "given up after a day",
      makeRow({ createdAt: -90_000_000 }),
      { kind: "retry", afterMs: 0, error: "refused" },
      { kind: "failed" },
    ],
    ["an uncertain reply", makeRow(), { kind: "uncertain", error: "reset" }, { kind: "uncertain" }],
    [
      "an uncertain card",
      makeRow({ purpose: "card" }),
      { kind: "uncertain", error: "reset" },
      { kind: "in_doubt", dueAt: 11_000 },
    ],
  ])("%s", (_, row, result, end) => {
    expect(endOf(row, result, at)).toMatchObject(end);
  });
});

describe("limits of a chat", () => {
  function messenger(name: Messenger["name"]): Messenger {
    const deliver = async () => ({ kind: "sent" as const });
    return { name, channelId: "c1", deliver, showTyping: async () => {} };
  }

  async function waits(name: Messenger["name"], chatId: string, times: number): Promise<number[]> {
    const limits = createChatLimits();
    const taken: number[] = [];
    for (let at = 0; at < times; at += 1) taken.push(await limits.take(messenger(name), chatId));
    return taken;
  }

  test.each([
    ["telegram", "1001", 4],
    ["telegram", "-1001", 20],
    ["slack", "C1", 5],
  ] as const)("%s %s bears a burst at once, and then asks to wait", async (name, chat, burst) => {
    const taken = await waits(name, chat, burst + 1);
    expect(taken.slice(0, burst)).toEqual(Array(burst).fill(0));
    expect(taken[burst]).toBeGreaterThan(0);
  });

  test("of one chat do not touch another", async () => {
    const limits = createChatLimits();
    for (let at = 0; at < 5; at += 1) await limits.take(messenger("telegram"), "1");
    expect(await limits.take(messenger("telegram"), "2")).toBe(0);
  });
});
