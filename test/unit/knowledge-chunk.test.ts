import { describe, expect, it } from "vitest";
import { chunkDocument } from "../../src/knowledge/chunk.ts";

describe("cutting a document into chunks", () => {
  it("keeps the titles around a section with its text", () => {
    const chunks = chunkDocument("# A\nintro\n## B\nbody b\n### C\nbody c\n## D\nbody d\n");
    expect(chunks).toEqual([
      { heading: ["A"], text: "intro" },
      { heading: ["A", "B"], text: "body b" },
      { heading: ["A", "B", "C"], text: "body c" },
      { heading: ["A", "D"], text: "body d" },
    ]);
  });

  it("takes plain text without titles", () => {
    expect(chunkDocument("one\n\ntwo")).toEqual([{ heading: [], text: "one\n\ntwo" }]);
  });

  it("cuts a long text between sentences and loses no word", () => {
    const sentence = "Это предложение ровно о том, как мы меняем деньги. ";
    const chunks = chunkDocument(sentence.repeat(60));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.every(({ text }) => text.length <= 900 && text.endsWith("."))).toBe(true);
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
    expect(chunks.flatMap(({ text }) => words(text))).toEqual(words(sentence.repeat(60)));
  });

  it("cuts a line without any sentence at blanks, and a word without blanks anyway", () => {
    expect(chunkDocument("слово ".repeat(400)).every(({ text }) => text.length <= 900)).toBe(true);
    expect(chunkDocument("x".repeat(2000)).map(({ text }) => text.length)).toEqual([900, 900, 200]);
  });

  it("takes no title from fenced code and drops front matter", () => {
    const text = "---\ntitle: x\n---\n# A\n```\n# not a title\n\nb\n```\n";
    expect(chunkDocument(text)).toEqual([{ heading: ["A"], text: "```\n# not a title\n\nb\n```" }]);
  });
});
