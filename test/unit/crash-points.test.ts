import { describe, expect, it } from "vitest";
import { allFaultPoints } from "../process/crash/fault-points.ts";
import { NOT_IN_A_STORY } from "../process/crash/not-in-a-story.ts";

describe("fault points of the crash matrix", () => {
  it("are each named once", () => {
    const points = allFaultPoints();
    expect(points.length).toBeGreaterThan(0);
    expect(new Set(points).size).toBe(points.length);
  });

  it("that no story passes still stand in the code, and say why", () => {
    const points = allFaultPoints();
    const named = Object.entries(NOT_IN_A_STORY);
    expect(named.map(([point]) => point).filter((point) => !points.includes(point))).toEqual([]);
    expect(named.filter(([, why]) => why.trim() === "")).toEqual([]);
  });
});
