import { describe, expect, it } from "vitest";
import { readAuditArgs } from "../../src/cli/audit.ts";
import { resultLine } from "../../src/store/audit-calls.ts";
import { AUDIT_EVENTS } from "../../src/store/audit-events.ts";
import { cardHead } from "../../src/store/audit-verify.ts";

describe("the events of the trail", () => {
  it("have the ten steps of a call among them", () => {
    expect(AUDIT_EVENTS).toEqual(
      expect.arrayContaining([
        "candidate.proposed",
        "arguments.checked",
        "gate.decided",
        "approval.requested",
        "approval.decided",
        "execution.queued",
        "execution.completed",
        "execution.failed",
        "execution.retry_scheduled",
        "result.returned",
      ]),
    );
  });

  it("are named noun first, each once", () => {
    const others = AUDIT_EVENTS.filter((event) => event !== "stale_click"); // a name that is fixed elsewhere
    for (const event of others) expect(event).toMatch(/^[a-z_]+\.[a-z_]+$/);
    expect(new Set(AUDIT_EVENTS).size).toBe(AUDIT_EVENTS.length);
  });
});

it("a result is told by ids and codes, never by what it says", () => {
  const said = { summary: "Ivan asked for 4111 1111 1111 1111", data: { name: "Ivan" } };
  const done = { ok: true, resource_type: "exchange_order", resource_id: "EX-7", ...said };
  expect(resultLine(done)).toBe("done: exchange_order EX-7");
  expect(resultLine({ ...done, ok: false, resource_id: null })).toBe("refused: exchange_order");
  const error = { code: "NOT_FOUND" as const, message: "no Ivan" };
  expect(resultLine({ ...done, ok: false, error })).toBe("failed: NOT_FOUND");
});

it("a head is read as people copy it", () => {
  expect(cardHead(" 1A2B3C4D\n")).toBe("1a2b3c4d");
  expect(cardHead("1a2b3c4d".repeat(8))).toBe("1a2b3c4d");
  for (const none of ["", "1a2b", "1a2b3c4g", "audit 1a2b3c4d"]) expect(cardHead(none)).toBeNull();
});

describe("the command's arguments", () => {
  it("name what is wanted", () => {
    expect(readAuditArgs(["verify"])).toEqual({ verb: "verify", tenantId: null, head: null });
    expect(readAuditArgs(["verify", "--tenant", "t", "--head", "1A2B3C4D"])).toEqual({
      ...{ verb: "verify", tenantId: "t", head: "1a2b3c4d" },
    });
    expect(readAuditArgs(["show", "A-1", "--json"])).toEqual({
      ...{ verb: "show", tenantId: "default", which: "A-1", json: true },
    });
  });

  it("that name nothing, or too much, are refused", () => {
    for (const args of [[], ["verify", "x"], ["verify", "--json"], ["show"], ["show", "a", "b"]])
      expect(readAuditArgs(args), args.join(" ")).toBeNull();
    expect(() => readAuditArgs(["verify", "--tenants"])).toThrow();
  });
});
