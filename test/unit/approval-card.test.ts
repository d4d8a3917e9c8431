import { describe, expect, it } from "vitest";
import {
  approvalCard,
  type CardApproval,
  cardKindOf,
  readBoundValue,
} from "../../src/tools/approval-card.ts";

const APPROVAL: CardApproval = {
  ...{ id: "a-1", number: 17, toolName: "issue_exchange_payout", requestedAction: "payout" },
  ...{ clientSays: null, digest: "0123456789abcdef", approvalsRequired: 1, votes: 0 },
  ...{ expiresAt: null, outcome: null },
  material: [
    { label: "Amount", value: "40 THB" },
    { label: "To", value: "a very long destination that stands whole" },
  ],
};
const card = (over: Partial<CardApproval> = {}, language: "ru" | "en" = "en", sandbox = false) =>
  approvalCard({ ...APPROVAL, ...over }, { language, sandbox });

describe("an approval's card", () => {
  it("shows every material field whole, in order, and the digest's head", () => {
    expect(card().facts).toEqual(APPROVAL.material);
    expect(card().title).toBe("Payout: approve? · A-17");
    expect(card().footer).toEqual(["issue_exchange_payout · 01234567"]);
  });

  it("has Approve first, then Reject, in the staff's language", () => {
    const labels = (language: "ru" | "en") => card({}, language).buttons.map((one) => one.label);
    expect(labels("en")).toEqual(["Approve", "Reject"]);
    expect(labels("ru")).toEqual(["Одобрить", "Отклонить"]);
  });

  it("names on Approve what is shown, so that a card of before grants nothing newer", () => {
    expect(card().buttons.map((one) => one.value)).toEqual(["a-1.01234567", "a-1"]);
    expect(readBoundValue("a-1.01234567")).toEqual({ approvalId: "a-1", seen: "01234567" });
    expect(readBoundValue("a-1")).toEqual({ approvalId: "a-1", seen: null });
  });

  it("has Edit where an approver may change something, and fits Telegram's buttons", () => {
    const id = "01981c9e-0000-7000-8000-000000000001";
    const { buttons } = card({ id, isEditable: true });
    expect(buttons.map((one) => one.label)).toEqual(["Approve", "Reject", "Edit"]);
    for (const { action, value } of buttons)
      expect(Buffer.byteLength(`${action}:${value}`)).toBeLessThanOrEqual(64);
  });

  it("keeps what the client says apart from the facts", () => {
    const shown = card({ clientSays: "Amount: 9000" });
    expect(shown.clientSays).toEqual({ label: "client says", text: "Amount: 9000" });
    expect(shown.facts).toEqual(APPROVAL.material);
    expect(card()).not.toHaveProperty("clientSays");
  });

  it("counts votes where several are needed, and says until when", () => {
    const expiresAt = Date.UTC(2026, 10, 1, 9, 30);
    const { footer } = card({ approvalsRequired: 2, votes: 1, expiresAt });
    expect(footer).toContain("approvals: 1/2");
    expect(footer).toContain("open until 2026-11-01T09:30Z");
  });

  it("has no buttons once it is decided", () => {
    expect(card({ outcome: "Approved by Bob" })).toMatchObject({
      outcome: "Approved by Bob",
      buttons: [],
    });
  });

  it("of the sandbox says so", () => {
    expect(card({}, "en", true).footer).toContain("SANDBOX");
    expect(card().footer).not.toContain("SANDBOX");
  });

  it("of an action without a title of its own still asks", () => {
    expect(card({ requestedAction: cardKindOf("some_new_tool") }).title).toContain("this action?");
  });
});
