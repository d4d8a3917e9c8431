import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowMac, type StoredAuditRow, sealMac } from "../../src/store/audit-mac.ts";

const KEY = randomBytes(32);
const ROW: StoredAuditRow = {
  ...{ id: "r-1", tenantId: "t", runId: null, conversationId: "c", candidateId: null },
  ...{ userId: "u", eventType: "approval.decided", toolName: null, decision: "approve" },
  ...{ summary: "A-1", refs: { approval: "a", digest: "d" }, sealNumber: null, createdAt: 5 },
};
const SEAL = {
  ...{ tenantId: "t", sealNumber: 2, firstIndex: 3, rowIds: ["r-1"], rowMacs: ["m"] },
  ...{ previousMac: "p", sealedAt: 9 },
};

describe("the keyed hash of a row", () => {
  const changes: Partial<StoredAuditRow>[] = [
    { id: "r-2" },
    { tenantId: "other" },
    { runId: "" },
    { conversationId: null },
    { candidateId: "c" },
    { userId: null },
    { eventType: "approval.refused" },
    { toolName: "t" },
    { decision: null },
    { summary: "A-2" },
    { refs: { approval: "a" } },
    { refs: { approval: "a", digest: "e" } },
    { createdAt: 6 },
  ];
  it.each(changes)("changes with %j", (change) => {
    expect(rowMac(KEY, { ...ROW, ...change }, 1)).not.toBe(rowMac(KEY, ROW, 1));
  });

  it("changes with its place and with the key", () => {
    expect(rowMac(KEY, ROW, 2)).not.toBe(rowMac(KEY, ROW, 1));
    expect(rowMac(randomBytes(32), ROW, 1)).not.toBe(rowMac(KEY, ROW, 1));
  });

  it("does not hang on the order in which the database gives the references, nor on the seal", () => {
    const turned = { ...ROW, refs: { digest: "d", approval: "a" }, sealNumber: 7 };
    expect(rowMac(KEY, turned, 1)).toBe(rowMac(KEY, ROW, 1));
  });

  it("tells two rows apart wherever their texts are cut", () => {
    const texts = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1]);
        const of = ([decision, summary]: [string, string]) =>
          rowMac(KEY, { ...ROW, decision, summary }, 1);
        expect(of(one)).not.toBe(of(other));
      }),
    );
  });
});

describe("the keyed hash of a seal", () => {
  const changes: Partial<typeof SEAL>[] = [
    { tenantId: "other" },
    { sealNumber: 3 },
    { firstIndex: 4 },
    { rowIds: ["r-1", "r-2"] },
    { rowMacs: [] },
    { previousMac: "" },
    { sealedAt: 8 },
  ];
  it.each(changes)("changes with %j", (change) => {
    expect(sealMac(KEY, { ...SEAL, ...change })).not.toBe(sealMac(KEY, SEAL));
  });
});
