import { describe, expect, it } from "vitest";
import { findNumbers } from "../../src/sandbox/model/amounts.ts";
import { unitOf } from "../../src/sandbox/model/lexicon.ts";
import { placeIn } from "../../src/sandbox/model/place.ts";
import { answerByRules } from "../../src/sandbox/model/rules.ts";
import { readTerms } from "../../src/sandbox/model/terms.ts";

/** Every name that an object has though nobody put it there. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];
const TOOLS = ["compute_exchange_quote", "get_exchange_business_info", "handoff_to_operator"];

function answerTo(text: string) {
  return answerByRules({
    model: "played",
    messages: [{ role: "user", content: text }],
    tools: TOOLS.map((name) => ({ type: "function", function: { name } })),
  } as unknown as Parameters<typeof answerByRules>[0]);
}

describe("words that every object knows", () => {
  it.each(INHERITED)("%s is a word like any other", (word) => {
    expect(unitOf(word)).toBeUndefined();
    expect(findNumbers(word)).toEqual([]);
    expect(findNumbers(`1000 ${word} 5`).map(({ value }) => value)).toEqual(["1000", "5"]);
    for (const text of [word, `1000 ${word} to baht`, `${word} 20 usdt`, `exchange ${word}`]) {
      const answer = answerTo(text);
      expect(answer.calls ?? answer.content).toBeTruthy();
    }
  });

  it("are the whole answer where a request names them as fields and labels", () => {
    const schema = { type: "object", required: ["constructor", "toString"], properties: {} };
    const answer = answerByRules({
      model: "played",
      messages: [{ role: "user", content: "hi" }],
      response_format: { type: "json_schema", json_schema: { schema } },
    } as unknown as Parameters<typeof answerByRules>[0]);
    expect(JSON.parse(answer.content ?? "")).toEqual({ constructor: {}, toString: {} });
  });
});

describe("a place is told on whole", () => {
  it.each([
    [
      "bring it by courier to hotel Sunrise, 12 Palm Road, room 5",
      "hotel Sunrise, 12 Palm Road, room 5",
    ],
    [
      "bring it to hotel Sunrise, room 5, 12 Palm Road instead of the office?",
      "hotel Sunrise, room 5, 12 Palm Road",
    ],
    ["отель Hilton, комната 12", "отель Hilton, комната 12"],
    [
      "привезите в отель «Grand Beach», Патонг, номер 305",
      "отель «Grand Beach», Патонг, номер 305",
    ],
    ["адрес: ул. Тавиванг 12, кв. 7. Спасибо", "ул. Тавиванг 12, кв. 7"],
    ["My address is 12/3 Soi Bangla, Patong", "12/3 Soi Bangla, Patong"],
    ["deliver to the Palm Resort 5, 20 Beach Road please", "Palm Resort 5, 20 Beach Road"],
    ["500 USDT, courier to hotel Sunrise, 2000 usdt if you can", "hotel Sunrise"],
    ["Hotel Sunrise. Please hurry", "Hotel Sunrise"],
  ])("%s", (text, place) => {
    expect(placeIn(text)).toBe(place);
  });

  it.each([
    "change 500 USDT to 17000 THB",
    "send it to Anna",
    "bring it to my hotel",
    "отель какой-нибудь",
    "I want to change 12 BTC to baht at 10 AM",
  ])("there is none in: %s", (text) => {
    expect(placeIn(text)).toBeUndefined();
  });

  it("and its numbers are no sums", () => {
    const { terms, bareNumber } = readTerms("отель Hilton, комната 12");
    expect([terms.amount, bareNumber]).toEqual([undefined, undefined]);
    const priced = readTerms("500 USDT trc20 to baht, bring it to hotel Sunrise, 12 Palm Road");
    expect(priced.terms).toMatchObject({ asset: "USDT", amount: "500" });
  });
});

describe("the holder of an account", () => {
  it.each([
    ["Kasikorn 123-4-56789-0, Anna Petrova", "Anna Petrova"],
    ["Anna Petrova, Kasikornbank 123-4-56789-0", "Anna Petrova"],
    ["SCB, account 987 654 3210, holder: Ivan Ivanov", "Ivan Ivanov"],
    ["Bangkok Bank 123-4-56789-0. Анна Петрова", "Анна Петрова"],
    ["Bangkok Bank 123-4-56789-0", undefined],
    ["my Thai Account 123-4-56789-0, Krungthai Bank", undefined],
  ])("%s", (text, holder) => {
    expect(readTerms(text).terms.payoutHolder).toBe(holder);
  });
});
