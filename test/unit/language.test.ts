import { describe, expect, it } from "vitest";
import { languageOf, languageOfCode } from "../../src/domain/language.ts";

describe("the language of a message", () => {
  const cases: [string, "ru" | "en"][] = [
    ["Здравствуйте, хочу обменять 500 USDT", "ru"],
    ["Hello, I want to change 500 USDT", "en"],
    ["хочу usdt в thb", "ru"],
    ["да", "ru"],
    ["yes please", "en"],
    ["USDT TRC20 на Бангкок Банк", "ru"],
    ["Мой адрес TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE", "ru"],
    ["ок :thumbsup::skin-tone-2:", "ru"],
    ["смотрю binance.com/en/my/wallet", "ru"],
    ["ok :+1: thanks", "en"],
  ];
  it.each(cases)("%s", (text, language) => {
    expect(languageOf(text, language === "ru" ? "en" : "ru")).toBe(language);
  });

  const wordless = [
    "",
    "500",
    "👍",
    "500 USDT",
    "https://example.com/hello",
    "lea@example.com",
    "/start",
    "@somebody",
    ":thumbsup:",
    ":thumbsup::skin-tone-2: :white_check_mark:",
    "www.example.com",
    "example.com/hello/world",
    "tg://user?id=1",
    "a1b2c3d4e5f60718293a4b5c6d7e8f90",
  ];
  it.each(wordless)("%j has no words and keeps the one before", (text) => {
    expect(languageOf(text, "ru")).toBe("ru");
    expect(languageOf(text, "en")).toBe("en");
  });
});

it("a messenger's code is a first guess", () => {
  expect(languageOfCode("ru")).toBe("ru");
  expect(languageOfCode("uk-UA")).toBe("ru");
  expect(languageOfCode("de")).toBe("en");
  expect(languageOfCode(null)).toBeNull();
  expect(languageOfCode("")).toBeNull();
});
