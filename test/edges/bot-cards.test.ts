import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainLine } from "../../src/bot/plain-line.ts";
import { escapedCost, escapeSlack, unescapeSlack } from "../../src/bot/slack/escape.ts";
import { renderModal, renderCard as renderSlack } from "../../src/bot/slack/render-card.ts";
import { wordsBlock } from "../../src/bot/slack/rich-text.ts";
import { splitText } from "../../src/bot/split-text.ts";
import { renderCard as renderTelegram } from "../../src/bot/telegram/render-card.ts";
import type { Card } from "../../src/domain/messenger.ts";
import { checkBlocks } from "../../src/sandbox/slack/block-check.ts";
import { pingsOf, readBlocks, readMessage } from "../../src/sandbox/slack/reading.ts";
import { createState } from "../../src/sandbox/slack/seed.ts";
import type { Json, Message } from "../../src/sandbox/slack/state.ts";

function makeCard(over: Partial<Card> = {}): Card {
  return { title: "Payout", facts: [], footer: [], buttons: [], ...over };
}

describe("splitting", () => {
  test("prefers a paragraph, then a sentence, then a word", () => {
    expect(splitText("aaaa aaaa.\n\nbbbb bbbb", 14)).toEqual(["aaaa aaaa.", "bbbb bbbb"]);
    expect(splitText("One two. Three four five", 18)).toEqual(["One two.", "Three four five"]);
    expect(splitText("one two three", 8)).toEqual(["one two", "three"]);
  });

  test("never loses or reorders what can be seen, and keeps the limit", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (given, limit) => {
        const parts = splitText(given, limit);
        const seen = (value: string) => value.replace(/\s+/g, "");
        expect(seen(parts.join(""))).toBe(seen(given));
        for (const part of parts) expect(Array.from(part).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test("counts Slack's escaped length", () => {
    for (const part of splitText("<&>".repeat(900), 1000, escapedCost))
      expect(escapeSlack(part).length).toBeLessThanOrEqual(1000);
  });
});

test("a line shows no control, bidi or invisible character and stays one line", () => {
  expect(plainLine("a\u202Eb\u200B\u0000c\nd\u2028e\u3164 \t f")).toBe("abc d e f");
  expect(plainLine("abcdef", 4)).toBe("abc…");
});

describe("a card in Telegram", () => {
  test("escapes what it shows and makes no link of it", () => {
    const { parts } = renderTelegram(
      makeCard({
        facts: [{ label: "To", value: "<b>Ann</b> @boss https://evil.example" }],
        clientSays: { label: "Client says", text: "pay\nAmount: 9 999 @boss" },
      }),
    );
    expect(parts).toHaveLength(1);
    expect(parts[0]?.html.split("\n").filter((line) => line.startsWith("<b>"))).toHaveLength(3);
    expect(parts[0]?.html).toContain(
      "<code>&lt;b&gt;Ann&lt;/b&gt; @boss https://evil.example</code>",
    );
    expect(parts[0]?.html).toContain("<code>pay Amount: 9 999 @boss</code>");
  });

  test("is split when the facts do not fit, every part within the limit", () => {
    const facts = Array.from({ length: 12 }, (_, at) => ({
      label: `Fact ${at}`,
      value: "<&>".repeat(400),
    }));
    const { parts } = renderTelegram(makeCard({ facts }));
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(Array.from(part.plain).length).toBeLessThanOrEqual(4096);
    expect(
      parts
        .map((part) => part.plain)
        .join("")
        .match(/<&>/g),
    ).toHaveLength(4800);
  });

  test("refuses a button that says more than Telegram takes", () => {
    const buttons = [{ label: "Approve", action: "approve", value: "x".repeat(60) }];
    expect(() => renderTelegram(makeCard({ buttons }))).toThrow(RangeError);
  });
});

describe("a card in Slack", () => {
  const hostile = fc.string({ unit: fc.constantFrom("<", "&", ">", "a", " ", "*", "`", "\n") });

  test("is valid whatever its facts, quotation and buttons are", () => {
    const facts = fc.array(
      fc.record({
        label: fc.constantFrom("To", "Amount <&>"),
        value: fc.tuple(hostile, fc.nat(600)).map(([text, times]) => text.repeat(times)),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(facts, hostile, fc.nat(60), (some, text, count) => {
        const buttons = Array.from({ length: count }, (_, at) => ({
          label: `Approve A-${at}`,
          action: "approve",
          value: `a-${at}`,
        }));
        const clientSays = { label: "Client says", text: text.repeat(40) };
        const card = makeCard({ title: "t".repeat(200), facts: some, clientSays, buttons });
        const { blocks, text: fallback } = renderSlack(card);
        const found = checkBlocks(blocks, 50).filter(({ message }) => !/block_id/.test(message));
        if (blocks.length <= 50) expect(found).toEqual([]);
        expect(fallback.length).toBeLessThanOrEqual(4000);
      }),
      { numRuns: 40 },
    );
  });

  test("cannot ping anybody", () => {
    const { blocks, text } = renderSlack(
      makeCard({ facts: [{ label: "To", value: "<!channel> <@U1>" }] }),
    );
    expect(pingsOf({ text, blocks } as unknown as Message)).toEqual([]); // it reads no more of it
    expect(pingsOf({ text: "<!channel>", blocks: [] } as unknown as Message)).toEqual(["!channel"]);
  });

  const read = (blocks: unknown) => readBlocks(createState(), blocks as Json[]); // what JSON holds
  const marked = fc
    .array(fc.constantFrom(..."*_~`<>&|@#!:;.-a b5é\n", "&lt;", ":smile:", "<!channel>", "🙂"))
    .map((parts) => parts.join(""));
  const seen = (text: string) => plainLine(text) || "—";

  test.each([
    "_ceo_@example.com",
    "Lea *Pay out* ~5~",
    ":white_check_mark: paid",
    "`a` ```b```",
    "&lt;b&gt;",
    "<https://a.example|bank>",
  ])("shows %s as it is", (value) => {
    const { blocks } = renderSlack(makeCard({ facts: [{ label: "To", value }] }));
    expect(read(blocks)).toBe(`Payout\nTo: ${value}`);
  });

  test("shows every value, quotation and outcome as it is", () => {
    const facts = fc.array(fc.record({ label: fc.constantFrom("To", "Sum"), value: marked }));
    fc.assert(
      fc.property(facts, marked, marked, (some, said, outcome) => {
        const clientSays = { label: "Client says", text: said };
        const { blocks } = renderSlack(makeCard({ facts: some, clientSays, outcome }));
        expect(read(blocks).split("\n")).toEqual([
          "Payout",
          ...some.map(({ label, value }) => `${label}: ${seen(value)}`),
          `Client says: ${plainLine(said)}`,
          seen(outcome),
        ]);
      }),
    );
  });

  test("shows a value over several blocks without loss", () => {
    const value = Array.from({ length: 1500 }, (_, at) => `*${at}*_`).join("");
    const { blocks } = renderSlack(makeCard({ facts: [{ label: "Text", value }] }));
    expect(blocks.length).toBeGreaterThan(2);
    const shown = read(blocks).replace(/\n/g, "");
    expect(shown).toBe(`PayoutText: ${value}`);
  });

  test("and a message show addresses to be clicked, and every other word as it is", () => {
    const said = fc.array(
      fc.oneof(marked, fc.constantFrom(" https://a.example/x_y_?z=*1* ", "\n")),
    );
    fc.assert(
      fc.property(
        said.map((parts) => parts.join("")),
        fc.boolean(),
        (text, links) => {
          const blocks = [wordsBlock(text, { links })];
          expect(read(blocks)).toBe(text);
          const found = JSON.stringify(blocks).includes('"link"');
          expect(found).toBe(links && /https:\/\/a/.test(text));
          const message = { text: escapeSlack(text), blocks } as unknown as Message; // it reads no more of it
          expect(readMessage(createState(), message)).toBe(text);
        },
      ),
    );
  });

  test("shows the outcome in place of the buttons", () => {
    const buttons = [{ label: "Approve", action: "approve", value: "a-1" }];
    const { blocks } = renderSlack(makeCard({ buttons, outcome: "Rejected by Bob" }));
    expect(blocks.map((block) => block.type)).not.toContain("actions");
    expect(JSON.stringify(blocks)).toContain("Rejected by Bob");
  });

  test("asks by a modal that Slack takes", () => {
    const field = { label: "Why", multiline: true, optional: false, maxLength: 90_000 };
    const form = { form: "f", subject: "s", title: "T".repeat(60), submitLabel: "Send" };
    const view = renderModal(
      { ...form, fields: [{ ...field, name: "reason" }] },
      { subject: "s", chatId: "C1", threadId: null },
    );
    expect(checkBlocks(view.blocks, 100)).toEqual([]);
  });
});

test.each([
  ["1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"],
  ["see <https://a.example/x?y=1&amp;z=2>", "see https://a.example/x?y=1&z=2"],
  ["<http://example.com|example.com>", "example.com"],
  ["<https://evil.example|your bank>", "your bank (https://evil.example)"],
  ["<mailto:a@b.example|a@b.example>", "a@b.example"],
  ["hi <@U1|ann> in <#C1|ops> <!channel>", "hi @ann in #ops @channel"],
  ["&amp;lt;", "&lt;"],
])("Slack's %s was typed as %s", (delivered, typed) => {
  expect(unescapeSlack(delivered)).toBe(typed);
});
