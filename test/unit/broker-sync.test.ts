import { describe, expect, it } from "vitest";
import type { ModelAttempt } from "../../src/domain/model-attempt.ts";
import { SyncRefusedError } from "../../src/domain/model-desk.ts";
import { changeOf } from "../../src/model/broker/sync-catalog.ts";
import { entry } from "../support/model-pool.ts";

const rows = (llmName: string, ...said: [ModelAttempt["status"], number | null][]) => {
  const made = said.map(([status, httpStatus]) => ({ llmName, status, httpStatus }));
  return { calls: async () => made as ModelAttempt[] }; // only what is looked at
};
const NONE = { calls: async () => [] };
const [a, b] = [entry("a"), entry("b")];
const change = (journal: Parameters<typeof changeOf>[0], over: object) =>
  changeOf(journal, { before: [a, b], after: [a], remove: [], ...over });

describe("another list of models", () => {
  it("tells what is added, changed and removed, by name", async () => {
    const after = [{ ...a, weight: 7 }, entry("c")];
    expect(await change(NONE, { after, remove: ["b"] })).toEqual({
      ...{ added: ["c"], changed: ["a"], removed: ["b"] },
    });
  });

  it.each<[string, [ModelAttempt["status"], number | null][]]>([
    ["was never asked", []],
    ["answers", [["ok", null]]],
    [
      "answered among refusals",
      [
        ["failed", 401],
        ["ok", null],
        ["failed", 404],
      ],
    ],
    [
      "is limited, and once said 404",
      [
        ["failed", 429],
        ["failed", 404],
      ],
    ],
    ["is down", [["failed", null]]],
  ])("loses no model by a slip that %s", async (_, said) => {
    const refused = change(rows("b", ...said), {});
    await expect(refused).rejects.toThrow(SyncRefusedError);
    await expect(refused).rejects.toMatchObject({ models: ["b"] });
  });

  it.each<[string, [ModelAttempt["status"], number | null][]]>([
    [
      "says that it is gone",
      [
        ["failed", 404],
        ["failed", 401],
        ["failed", 403],
      ],
    ],
    [
      "was given up by callers, else gone",
      [
        ["superseded", null],
        ["failed", 404],
      ],
    ],
  ])("may drop one that %s", async (_, said) => {
    expect(await change(rows("b", ...said), {})).toMatchObject({ removed: ["b"] });
  });

  it("may name a model anew, or drop one that is off; another account is another model", async () => {
    const renamed = { ...b, name: "better" };
    expect(await change(NONE, { after: [a, renamed] })).toMatchObject({ added: ["better"] });
    const off = { ...b, enabled: false };
    expect(await change(NONE, { before: [a, off] })).toMatchObject({ removed: ["b"] });
    const second = { ...b, name: "second", apiKeyRef: "SECOND_KEY" };
    const before = [a, b, second];
    await expect(change(NONE, { before, after: [a, second] })).rejects.toThrow(SyncRefusedError);
  });
});
