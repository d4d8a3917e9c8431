import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { chunkDocument } from "../../src/knowledge/chunk.ts";
import { buildIndex, searchChunks } from "../../src/knowledge/rank.ts";

interface Question {
  text: string;
  document: string | null;
}

const FOLDER = new URL("../../examples/desk/kb/", import.meta.url);
const QUESTIONS: Question[] = JSON.parse(
  readFileSync(new URL("../data/kb_questions.json", import.meta.url), "utf8"),
);

const chunks = readdirSync(FOLDER).flatMap((document) =>
  chunkDocument(readFileSync(new URL(document, FOLDER), "utf8")).map((chunk, at) => ({
    id: `${document}#${at}`,
    document,
    ...chunk,
  })),
);
const index = buildIndex(chunks);
const found = (text: string) => searchChunks(index, text, 3).map(({ chunk }) => chunk.document);

describe("search in the sample knowledge base", () => {
  const answerable = QUESTIONS.filter((one) => one.document !== null);

  it("puts the right document first for four of five questions people type", () => {
    const missed = answerable.filter((one) => found(one.text)[0] !== one.document);
    const share = 1 - missed.length / answerable.length;
    expect(share, missed.map((one) => one.text).join("; ")).toBeGreaterThanOrEqual(0.8);
  });

  it("has the right document among three for nine of ten questions", () => {
    const missed = answerable.filter((one) => !found(one.text).includes(one.document ?? ""));
    const share = 1 - missed.length / answerable.length;
    expect(share, missed.map((one) => one.text).join("; ")).toBeGreaterThanOrEqual(0.9);
  });

  it.each(QUESTIONS.filter((one) => one.document === null))(
    "finds nothing for: $text",
    ({ text }) => {
      expect(found(text)).toEqual([]);
    },
  );

  it("finds nothing in an empty base and for an empty question", () => {
    expect(searchChunks(buildIndex([]), "часы работы", 5)).toEqual([]);
    expect(searchChunks(index, "", 5)).toEqual([]);
    expect(searchChunks(index, "?!", 5)).toEqual([]);
  });

  it("gives at most as many chunks as were asked for, each once", () => {
    const ids = searchChunks(index, "обмен usdt офис оператор", 4).map(({ chunk }) => chunk.id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });
});
