import { describe, expect, test } from "vitest";
import type { DeliveryResult, Messenger } from "../../src/domain/messenger.ts";
import { createChatLimits } from "../../src/outbound/chat-limits.ts";
import { endOf, stepInDoubt, waitForThread } from "../../src/outbound/next-step.ts";
import { type ClaimedRow, SENT_ONCE_MORE } from "../../src/store/outbox-claim.ts";
import { REOPENED } from "../../src/store/outbox-finish.ts";
import type { ReviewThread } from "../../src/store/review-threads.ts";

function makeRow(over: Partial<ClaimedRow> = {}): ClaimedRow {
  return {
    ...{ id: "o1", tenantId: "t1", channelId: "c1", chatId: "1", threadId: null },
    ...{ purpose: "reply", content: { kind: "text", text: "hi" }, attempts: 1, sentParts: [] },
    ...{
      approvalId: null,
      conversationId: null,
      reviewThreadId: null,
      reviewThread: null,
      lastError: null,
      createdAt: 0,
      leaseToken: "l",
      uncertain: false,
    },
    ...over,
  };
}

function inThread(status: ReviewThread["status"], over: Partial<ClaimedRow> = {}): ClaimedRow {
  const client = { name: "Lena", messenger: "telegram" as const };
  const reviewThread = { status, threadId: status === "open" ? "7" : null, client };
  return makeRow({ purpose: "mirror", reviewThreadId: "r1", reviewThread, ...over });
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

describe("a row for a thread", () => {
  test.each<[string, ClaimedRow, object | null]>([
    ["begins when it is open", inThread("open"), null],
    ["begins where there are none", inThread("flat"), null],
    ["opens it", inThread("opening", { content: { kind: "thread", title: "x" } }), null],
    ["goes behind what opens it", inThread("opening"), { kind: "behind", dueAt: 10_000 }],
    [
      "ends when it could not be opened",
      makeRow({ reviewThreadId: "r1" }),
      { kind: "failed", error: "its thread could not be opened" },
    ],
    ["does not wait for ever", inThread("opening", { createdAt: -90_000_000 }), { kind: "failed" }],
  ])("%s", (_, row, end) => {
    const waiting = waitForThread(row, 10_000);
    if (end === null) expect(waiting).toBeNull();
    else expect(waiting).toMatchObject(end);
  });

  test("looks again only after a moment when it is not open the second time", () => {
    const first = waitForThread(inThread("opening"), 10_000);
    const lastError = first && "error" in first ? first.error : null;
    const again = waitForThread(inThread("opening", { lastError }), 10_000);
    expect(again).toMatchObject({ kind: "behind", dueAt: 11_000 });
  });
});

const GONE = { kind: "thread_gone" as const, error: "gone" };

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
    ["a gone thread", inThread("open"), GONE, { kind: "reopen" }],
    [
      "a thread gone again",
      inThread("open", { lastError: `${REOPENED}x` }),
      GONE,
      { kind: "failed" },
    ],
    ["a gone thread of others", makeRow({ threadId: "7" }), GONE, { kind: "failed" }],
    [
      "a chat without threads",
      inThread("opening", { content: { kind: "thread", title: "Lena" } }),
      { kind: "no_threads", error: "no forum" },
      { kind: "flat" },
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
    ["slack", "C1", 10],
  ] as const)("%s %s bears a burst at once, and then asks to wait", async (name, chat, burst) => {
    const taken = await waits(name, chat, burst + 1);
    expect(taken.slice(0, burst)).toEqual(Array(burst).fill(0));
    expect(taken[burst]).toBeGreaterThan(0);
  });

  test("keep room for cards when mirrors alone would use all of it", async () => {
    const limits = createChatLimits();
    let mirrors = 0;
    while ((await limits.take(messenger("telegram"), "-1001", "mirror")) === 0) mirrors += 1;
    expect(mirrors).toBeLessThan(20);
    for (let card = 0; card < 20 - mirrors; card += 1)
      expect(await limits.take(messenger("telegram"), "-1001")).toBe(0);
  });

  test("of one chat do not touch another", async () => {
    const limits = createChatLimits();
    for (let at = 0; at < 5; at += 1) await limits.take(messenger("telegram"), "1");
    expect(await limits.take(messenger("telegram"), "2")).toBe(0);
  });
});
