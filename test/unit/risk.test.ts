import { expect, it } from "vitest";
import { RISK_CLASSES } from "../../src/domain/tool.ts";
import { hasSideEffect, riskFloor } from "../../src/policy/risk.ts";

it("only reads and our own drafts run without a person", () => {
  const free = RISK_CLASSES.filter((risk) => riskFloor(risk) === "allow");
  expect(free).toEqual(["read_only", "draft_only"]);
});

it("deleting is never done", () => {
  expect(RISK_CLASSES.filter((risk) => riskFloor(risk) === "deny")).toEqual(["delete"]);
});

it("what needs a person has effects, and what runs freely has none", () => {
  for (const risk of RISK_CLASSES) expect(hasSideEffect(risk)).toBe(riskFloor(risk) !== "allow");
});
