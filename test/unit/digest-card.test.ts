import { describe, expect, it, test } from "vitest";
import { renderCard as renderSlack } from "../../src/bot/slack/render-card.ts";
import { MESSAGE_LIMIT, renderCard as renderTelegram } from "../../src/bot/telegram/render-card.ts";
import type { Card } from "../../src/domain/messenger.ts";
import type { DigestedApproval } from "../../src/store/approval-digests.ts";
import { approvalCard } from "../../src/tools/approval-card.ts";
import { MOST_ITEMS } from "../../src/tools/approval-digest.ts";
import { digestCard } from "../../src/tools/digest-card.ts";
import { shownFacts, wholeTexts } from "../../src/tools/long-values.ts";

const ID = "01981c9e-0000-7000-8000-000000000001";
const row = (number: number, over: object = {}) =>
  ({
    ...{ id: ID, number, status: "pending", actionDigest: "0123456789abcdef".repeat(4) },
    ...{ approvesItselfAt: null, approverName: null, ...over },
    materialJson: Array.from({ length: 9 }, () => ({ label: "Field", value: "<&".repeat(40) })),
  }) as unknown as DigestedApproval; // as far as the card looks
const full = {
  id: ID,
  rows: Array.from({ length: MOST_ITEMS }, (_, index) => row(100_000 + index)),
  bulk: { ids: Array.from({ length: MOST_ITEMS }, () => ID), limit: "1000000000.123456 USDT" },
  more: 12_345,
};

describe.each(["en", "ru"] as const)("the longest list, in %s", (staffLanguage) => {
  const card = digestCard(full, { staffLanguage, sandbox: true });

  test("is one message in Telegram, with no more buttons than it takes", () => {
    const { parts, keyboard } = renderTelegram(card);
    expect(parts).toHaveLength(1);
    expect([...(parts[0]?.plain ?? "")].length).toBeLessThanOrEqual(MESSAGE_LIMIT);
    const rows = keyboard.inline_keyboard;
    expect(rows.flat().length).toBeLessThanOrEqual(100);
    expect(rows.slice(0, -1).every((buttons) => buttons.length === 3)).toBe(true);
  });

  test("is one message in Slack: blocks, their texts and all of them together fit", () => {
    const { blocks } = renderSlack(card);
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(blocks.filter(({ type }) => type !== "actions")).length).toBeLessThan(
      13_000,
    );
  });
});

describe("a list", () => {
  const of = (rows: DigestedApproval[]) =>
    digestCard({ id: ID, rows, bulk: null, more: 0 }, { staffLanguage: "en", sandbox: false });

  it("says how each request ended, and has no buttons for it", () => {
    const card = of([row(1), row(2, { status: "approved", approverName: "Bob" })]);
    expect(card.title).toBe("Requests that wait: 1");
    expect(card.facts[1]).toEqual({ label: "A-2", value: "approved: Bob" });
    expect(card.buttons.map(({ label }) => label)).toEqual([
      "Approve A-1",
      "Reject A-1",
      "Open A-1",
    ]);
  });

  it("offers no Approve for what takes effect by itself", () => {
    const labels = of([row(1, { approvesItselfAt: 5 })]).buttons.map(({ label }) => label);
    expect(labels).toEqual(["Reject A-1", "Open A-1"]);
  });
});

describe("S6: a card with long values", () => {
  const value = Array.from({ length: 4_000 }, (_, index) => `<${index}>`).join("&");
  const material = [
    { label: "To", value: "lea@example.com" },
    { label: "Text", value },
    ...Array.from({ length: 12 }, (_, index) => ({ label: `F${index}`, value: "x".repeat(600) })),
  ];
  const card = (): Card =>
    approvalCard(
      {
        ...{ id: ID, number: 17, toolName: "send_email", requestedAction: "other", material },
        ...{ clientSays: "x".repeat(600), digest: "0123456789abcdef", approvalsRequired: 2 },
        ...{ votes: 1, expiresAt: 0, outcome: null, frozen: null },
      },
      { language: "en", sandbox: true },
    );

  it("is one message that an edit changes as a whole", () => {
    expect(renderTelegram(card()).parts).toHaveLength(1);
    expect(renderSlack(card()).blocks.length).toBeLessThanOrEqual(50);
  });

  it("keeps each label in its place, and every value whole on it or in the messages before", () => {
    const shown = shownFacts(material, "en");
    expect(shown.map(({ label }) => label)).toEqual(material.map(({ label }) => label));
    const whole = wholeTexts({ name: "A-17", material }, "en");
    for (const [index, fact] of material.entries()) {
      if (shown[index]?.value === fact.value) continue;
      const pieces = whole
        .flatMap(({ facts }) => facts)
        .filter(({ label }) => label === fact.label);
      expect(pieces.map((piece) => piece.value).join("")).toBe(fact.value);
    }
    for (const text of whole) {
      expect(renderTelegram(text).parts).toHaveLength(1);
      expect(JSON.stringify(renderSlack(text).blocks).length).toBeLessThan(13_000);
    }
  });

  it("is untouched where the values are short", () => {
    const short = [{ label: "Sum", value: "40 THB" }];
    expect(shownFacts(short, "ru")).toEqual(short);
    expect(wholeTexts({ name: "A-1", material: short }, "ru")).toEqual([]);
  });
});
