import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/domain/chat-model.ts";
import { compactHistory } from "../../src/model/compact-history.ts";
import { NO_RESULT, repairHistory } from "../../src/model/repair-history.ts";

const user = (content: string): ChatMessage => ({ role: "user", content });
const says = (content: string): ChatMessage => ({ role: "assistant", content });
const system = (content: string): ChatMessage => ({ role: "system", content });
const result = (toolCallId: string, content = "done"): ChatMessage => ({
  ...{ role: "tool", toolCallId, content },
});
const calls = (...ids: string[]): ChatMessage => ({
  ...{ role: "assistant", content: "" },
  toolCalls: ids.map((id) => ({ id, name: "quote", arguments: "{}" })),
});

describe("a history is repaired", () => {
  it("a call without a result gets one that says so", () => {
    expect(repairHistory([calls("a", "b"), result("b")])).toEqual([
      ...[calls("a", "b"), result("a", NO_RESULT), result("b")],
    ]);
  });

  it("of several results the last counts", () => {
    expect(repairHistory([calls("a"), result("a", "running"), result("a", "paid")])).toEqual([
      ...[calls("a"), result("a", "paid")],
    ]);
  });

  it("a result that nobody asked for, or before its call, is dropped", () => {
    expect(repairHistory([result("a"), calls("a"), result("b")])).toEqual([
      ...[calls("a"), result("a", NO_RESULT)],
    ]);
  });

  it("a result that came late moves to its call", () => {
    expect(repairHistory([calls("a"), user("hello?"), result("a")])).toEqual([
      ...[calls("a"), result("a"), user("hello?")],
    ]);
  });

  it("equal ids of one message are met in order and told apart", () => {
    const repaired = repairHistory([calls("a", "a"), result("a", "one"), result("a", "two")]);
    const [message, ...results] = repaired;
    const ids = message?.role === "assistant" ? message.toolCalls?.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(2);
    expect(results).toEqual([result(ids?.[0] ?? "", "one"), result(ids?.[1] ?? "", "two")]);
  });

  it("arguments become an object, names what every server takes", () => {
    const toolCalls = ["", "null", "{", "[1]", '{"a":1}'].map((args, index) => ({
      ...{ id: `c${index}`, name: "x<|y|>", arguments: args },
    }));
    const [message] = repairHistory([{ role: "assistant", content: "", toolCalls }]);
    const made = message?.role === "assistant" ? (message.toolCalls ?? []) : [];
    expect(made.map((one) => one.arguments)).toEqual(["{}", "{}", "{}", "{}", '{"a":1}']);
    expect(made[0]?.name).toBe("x__y__");
  });

  it("an assistant who said nothing is left out", () => {
    expect(repairHistory([user("hi"), says(" \n"), user("hi?")])).toEqual([
      user("hi"),
      user("hi?"),
    ]);
  });

  it("what is sound stays as it is", () => {
    const sound = [system("s"), user("u"), calls("a"), result("a"), says("b"), system("late")];
    expect(repairHistory(sound)).toEqual(sound);
  });

  it("system messages stand first, as one, where that is demanded", () => {
    const given = [system("a"), user("u"), system("b")];
    expect(repairHistory(given, { systemFirst: true })).toEqual([system("a\n\nb"), user("u")]);
  });

  it("roles take turns where that is demanded", () => {
    const given = [says("hello"), user("a"), user("b"), calls("c"), result("c"), user("d")];
    const repaired = repairHistory([...given, says("e"), says("f")], { alternate: true });
    expect(repaired.map(({ role }) => role)).toEqual([
      ...["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant"],
    ]);
    expect(repaired[2]).toEqual(user("a\n\nb"));
  });
});

const id = fc.constantFrom("a", "b", "c", "", "functions.x:0", "c00000001", "ß");
const text = fc.constantFrom("", " ", "x", "long text");
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom("system" as const, "user" as const), content: text }),
  fc.record({ role: fc.constant("tool" as const), toolCallId: id, content: text }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: text,
    toolCalls: fc.array(fc.record({ id, name: fc.string(), arguments: fc.string() }), {
      maxLength: 3,
    }),
  }),
);
const history = fc.array(message, { maxLength: 12 });
const rules = fc.record({
  ...{ alternate: fc.boolean(), systemFirst: fc.boolean(), shortIds: fc.boolean() },
});

/** Every call has its result right after its message, and there is no other result. */
function expectPairs(messages: readonly ChatMessage[]): void {
  const open: string[] = [];
  const seen = new Set<string>();
  for (const one of messages) {
    if (one.role === "tool") {
      expect(open.shift()).toBe(one.toolCallId);
      continue;
    }
    expect(open).toEqual([]);
    if (one.role !== "assistant") continue;
    expect(one.content.trim() === "" && !one.toolCalls?.length).toBe(false);
    for (const made of one.toolCalls ?? []) {
      expect(seen.has(made.id)).toBe(false);
      expect(JSON.parse(made.arguments)).toBeTypeOf("object");
      seen.add(made.id);
      open.push(made.id);
    }
  }
  expect(open).toEqual([]);
}

describe("whatever the history", () => {
  it("each call has exactly one result, and the input is left alone", () => {
    fc.assert(
      fc.property(history, rules, (given, demanded) => {
        const before = structuredClone(given);
        expectPairs(repairHistory(given, demanded));
        expect(given).toEqual(before);
      }),
    );
  });

  it("a second repair changes nothing", () => {
    fc.assert(
      fc.property(history, rules, (given, demanded) => {
        const once = repairHistory(given, demanded);
        expect(repairHistory(once, demanded)).toEqual(once);
      }),
    );
  });

  it("no user's and no system's word is lost", () => {
    fc.assert(
      fc.property(history, (given) => {
        const spoken = (all: ChatMessage[]) => all.filter((one) => /user|system/.test(one.role));
        expect(spoken(repairHistory(given))).toEqual(spoken(given));
      }),
    );
  });

  it("a shorter one keeps the newest turn, system messages and pairs", () => {
    fc.assert(
      fc.property(history, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const sound = repairHistory(given);
        const shorter = compactHistory(sound, share);
        if (!shorter) return;
        const { messages, leftOut } = shorter;
        expect(leftOut).toBe(sound.length - messages.length);
        expect(leftOut).toBeGreaterThan(0);
        expectPairs(messages);
        const isSystem = ({ role }: ChatMessage) => role === "system";
        expect(messages.filter(isSystem)).toEqual(sound.filter(isSystem));
        const newest = sound.slice(sound.findLastIndex(({ role }) => role === "user"));
        expect(messages.slice(-newest.length)).toEqual(newest);
      }),
    );
  });
});

describe("a shorter history", () => {
  const long = (name: string) => [user(`${name} ${"x".repeat(100)}`), calls(name), result(name)];

  it("leaves out the oldest whole exchanges", () => {
    const given = [system("s"), ...long("a"), ...long("b"), user("now")];
    const shorter = compactHistory(given, 0.6);
    expect(shorter).toEqual({ messages: [system("s"), ...long("b"), user("now")], leftOut: 3 });
  });

  it("is not to be had of one turn", () => {
    expect(compactHistory([system("s"), user("now"), calls("a"), result("a")], 0)).toBeNull();
  });
});
