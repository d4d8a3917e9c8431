import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainLine } from "../../src/bot/plain-line.ts";
import { escapedCost, escapeSlack, unescapeSlack } from "../../src/bot/slack/escape.ts";
import { renderModal, renderCard as renderSlack } from "../../src/bot/slack/render-card.ts";
import { splitText } from "../../src/bot/split-text.ts";
import { renderCard as renderTelegram } from "../../src/bot/telegram/render-card.ts";
import type { Card } from "../../src/domain/messenger.ts";
import { checkBlocks } from "../../src/sandbox/slack/block-check.ts";

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
    const card = makeCard({
      title: "<!here>",
      facts: [{ label: "To", value: "<!channel> <@U1>" }],
    });
    const { blocks, text } = renderSlack(card);
    const markup = JSON.stringify(blocks.filter((block) => block.type === "section"));
    expect(markup).not.toMatch(/<[!@]/);
    expect(text).not.toMatch(/<[!@]/);
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
