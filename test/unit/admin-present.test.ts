import { expect, it } from "vitest";
import { present, presentAll } from "../../src/admin/present.ts";
import { presentTrace } from "../../src/admin/routes/conversations.ts";

const ROW = { id: "default", openedAt: 0, mac: "0f".repeat(32) };

it("shows a row without the hash that it is signed with", () => {
  const shown = { id: "default", opened_at: "1970-01-01T00:00:00.000Z" };
  expect(present(ROW)).toEqual(shown);
  expect(presentAll([ROW, ROW])).toEqual([shown, shown]);
});

it("shows no such hash in any part of a conversation's trace", () => {
  const trace = { conversation: ROW, messages: [ROW], feedback: [], approvals: [ROW] };
  const shown = presentTrace(trace as unknown as Parameters<typeof presentTrace>[0]);
  expect(JSON.stringify(shown)).not.toContain("mac");
  expect(shown.approvals).toHaveLength(1);
});
