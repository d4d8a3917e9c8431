import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const DOCS = readdirSync(new URL("docs/", ROOT), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`);

const namedIn = (file: string) =>
  readFileSync(new URL(file, ROOT), "utf8").match(/test\/[\w/-]+\.test\.ts/g) ?? [];

describe("tests that a page names", () => {
  it("are there", () => {
    const named = DOCS.flatMap(namedIn);
    expect(named.length).toBeGreaterThan(10);
    const isThere = (name: string) => existsSync(fileURLToPath(new URL(name, ROOT)));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});
