import { describe, expect, it } from "vitest";
import { repairQuery } from "../../src/knowledge/repair.ts";
import { editDistance, trigrams } from "../../src/knowledge/similarity.ts";
import { stem, tokenize } from "../../src/knowledge/tokens.ts";
import { buildVocabulary } from "../../src/knowledge/vocabulary.ts";

const terms = (text: string) => tokenize(text).map(({ term }) => term);

describe("words of a text", () => {
  it("are stemmed by their own script, with е for ё and without stop words", () => {
    expect(terms("Курьёром в отели")).toEqual(terms("курьером отель"));
    expect(terms("The couriers are delivering")).toEqual(["courier", "deliv"]);
    expect(terms("USDT в сети TRC20")).toEqual(["usdt", "сет", "trc20"]);
  });
});

describe("likeness of words", () => {
  it("counts a swap of neighbours as one edit and gives up above two", () => {
    expect(editDistance("курьер", "курьер")).toBe(0);
    expect(editDistance("курьер", "курер")).toBe(1);
    expect(editDistance("обмен", "обемн")).toBe(1);
    expect(editDistance("office", "courier")).toBe(3);
  });

  it("cuts triples with blanks around the word", () => {
    expect(trigrams("cat")).toEqual(["  c", " ca", "cat", "at "]);
  });
});

describe("a vocabulary", () => {
  const vocabulary = buildVocabulary(tokenize("комиссия верификация паспорт office commission"));

  it.each([
    ["комисия", "комиссия"],
    ["верефикация", "верификация"],
    ["пасспорт", "паспорт"],
    ["comission", "commission"],
  ])("takes the mistyped %s for %s", (typed, meant) => {
    const [token] = tokenize(typed);
    expect(token && vocabulary.expand(token)[0]?.term).toBe(stem(meant));
  });

  it("gives nothing for a word that resembles none", () => {
    const [token] = tokenize("бассейн");
    expect(token && vocabulary.expand(token)).toEqual([]);
  });
});

describe("repair of a question", () => {
  const known = new Set(
    tokenize("часы работы офис обмен курс usdt office hours").map((one) => one.term),
  );
  const repair = (text: string) => repairQuery(text, (term) => known.has(term));

  it.each([
    ["xfcs hf,jns", "часы работы"],
    ["chasy raboty ofisa", "часы работы офиса"],
    ["obmen USDT kurs", "обмен USDT курс"],
    ["щаашсу рщгкы", "office hours"],
  ])("reads %s as %s", (typed, meant) => {
    expect(repair(typed)).toBe(meant);
  });

  it("leaves a question that reads well as it is", () => {
    expect(repair("office hours?")).toBe("office hours?");
    expect(repair("часы работы офиса")).toBe("часы работы офиса");
    expect(repair("lunch menu")).toBe("lunch menu");
  });
});
