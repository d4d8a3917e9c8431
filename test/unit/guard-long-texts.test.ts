import { describe, expect, it } from "vitest";
import { guardReply } from "../../src/engine/guard/guard.ts";
import { guardFactsSchema } from "../../src/engine/guard/guard-facts.ts";
import { findIdentifiers } from "../../src/engine/guard/identifiers.ts";

/** As long as a Telegram message can be; a pattern with two ways to read a run never ends on it. */
const LONGEST = 4096;
const PIECES = [
  "x",
  "*",
  "·",
  "1",
  "a",
  "я",
  "-",
  " ",
  ".",
  "1 ",
  "1-",
  "x ",
  "** ",
  "a.",
  "@a",
  "A-",
  "(1)",
  "+1 ",
  "1,",
  "два ",
];

describe("a text of the longest kind is judged like any other", () => {
  it.each(PIECES)("made of %j only, in a reply", (piece) => {
    const reply = piece.repeat(Math.ceil(LONGEST / piece.length)).slice(0, LONGEST);
    expect(["pass", "block"]).toContain(judge(reply, []).verdict);
  });

  it.each(PIECES)("made of %j only, from a lead", (piece) => {
    const said = piece.repeat(Math.ceil(LONGEST / piece.length)).slice(0, LONGEST);
    expect(judge("Сколько вы хотите обменять?", [said]).verdict).toBe("pass");
  });
});

it("finds the visible end of a card behind any number of marks", () => {
  const found = findIdentifiers("Карта **** **** **** 9010, она же xxxx9010").found;
  expect(found.map(({ kind, value }) => [kind, value])).toEqual([
    ["card_part", "9010"],
    ["card_part", "9010"],
  ]);
});

describe("a person who looks at a payment", () => {
  const refused = {
    tool: "verify_exchange_payment",
    status: "denied",
    data: { ok: false, needsOperator: true, reason: "action_not_allowed_for_stage" },
  };

  it.each([
    "Этот перевод посмотрит человек и свяжется с вами.",
    "Оплату ещё проверяет человек.",
    "Your payment will be checked by a person.",
    "An operator will look into this.",
  ])("%s — needs somebody who was called", (reply) => {
    expect(judge(reply, [], [refused]).verdict).toBe("block");
    const called = guardFactsSchema.parse({ tool_results: [refused], handoff: true });
    expect(guardReply({ reply, lang: "ru", facts: called }).verdict).toBe("pass");
  });
});

function judge(reply: string, leadTexts: string[], results: unknown[] = []) {
  const facts = guardFactsSchema.parse({ lead_texts: leadTexts, tool_results: results });
  return guardReply({ reply, lang: "ru", facts });
}
