import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFile, replaceFile } from "../../src/lib/whole-file.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-whole-"));
  file = join(folder, "kept");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = "a line\n".repeat(20_000);

it("a reader beside many writers sees one whole text, never a part", async () => {
  await replaceFile(file, TEXT);
  let writing = true;
  const seen = new Set<string>();
  const reader = (async () => {
    while (writing) {
      seen.add(readFileSync(file, "utf8"));
      await new Promise(setImmediate);
    }
  })();
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([replaceFile(file, TEXT), replaceFile(file, TEXT.toUpperCase())]);
  }
  writing = false;
  await reader;
  for (const text of seen) expect(text === TEXT || text === TEXT.toUpperCase()).toBe(true);
  expect(readdirSync(folder)).toEqual(["kept"]);
});

it("a new file is made once; a second one is refused and leaves the first", () => {
  createFile(file, "first");
  expect(() => createFile(file, "second")).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["kept"]);
});

it("what cannot be written leaves nothing behind", async () => {
  await expect(replaceFile(join(folder, "no", "such"), "x")).rejects.toMatchObject({
    code: "ENOENT",
  });
  expect(() => createFile(join(folder, "no", "such"), "x")).toThrow(/ENOENT/);
  expect(readdirSync(folder)).toEqual([]);
});
