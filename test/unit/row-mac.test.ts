import { describe, expect, it } from "vitest";
import { isVerified, RowKey, type Verified } from "../../src/domain/verified.ts";
import { rowKeyOf } from "../../src/store/row-mac.ts";
import { meaningOf, type SignedRows } from "../../src/store/row-meaning.ts";

const KEY = rowKeyOf(Buffer.alloc(32, 1));
const STAFF = { id: "s1", tenantId: "t1", name: "Al", role: "operator", status: "active" } as const;
const mac = (row: object, table: "staff" | "destinations" = "staff") =>
  KEY.mac(meaningOf(table, row));

describe("the hash of a row", () => {
  it("covers each field that gives power, and where the row stands", () => {
    const others = [
      { ...STAFF, role: "admin" },
      { ...STAFF, suspendedBy: "s9" },
      { ...STAFF, status: "suspended" },
      { ...STAFF, id: "s2" },
      { ...STAFF, tenantId: "t2" },
    ];
    for (const other of others) expect(mac(other)).not.toBe(mac(STAFF));
    expect(mac(STAFF, "destinations")).not.toBe(mac(STAFF));
  });

  it("of a client's account covers whose it is, and which", () => {
    const account = {
      ...{ id: "a1", tenantId: "t1", contactId: "c1", messenger: "slack" as const },
      ...{ teamId: "", userId: "U1" },
    };
    const hash = (over: object) =>
      KEY.mac(meaningOf("contact_identities", { ...account, ...over }));
    const others = [
      ...[{ contactId: "c2" }, { messenger: "telegram" }, { teamId: "T1" }, { userId: "U2" }],
      ...[{ id: "a2" }, { tenantId: "t2" }, { teamId: null }],
    ];
    for (const over of others) expect(hash(over)).not.toBe(hash({}));
    expect(hash({ mac: "anything" })).toBe(hash({}));
    expect(KEY.mac(meaningOf("staff_identities", account))).not.toBe(hash({}));
  });

  it("is another one under another master key, and none that the key itself gives away", () => {
    const other = rowKeyOf(Buffer.alloc(32, 2));
    expect(other.mac("x")).not.toBe(KEY.mac("x"));
    expect(new RowKey(Buffer.alloc(32, 1)).mac("x")).not.toBe(KEY.mac("x"));
    expect(JSON.stringify(KEY)).toBe("{}");
  });

  it("stays when what means nothing changes", () => {
    expect(mac({ ...STAFF, createdAt: 5, suspendedAt: null })).toBe(mac(STAFF));
  });

  it("is the same for a row before and after the database has held it", () => {
    const order = { id: "o1", tenantId: "t1", amountTo: "1300", rate: "32.5", number: 7 };
    const stored = { ...order, amountTo: "1300.00", rate: "32.50", payerName: null };
    const hash = (row: object) => KEY.mac(meaningOf("exchange_orders", row));
    expect(hash(stored)).toBe(hash(order));
    const event = { kind: "click", value: "A-1", reply: undefined };
    const inbox = (payload: unknown) => KEY.mac(meaningOf("inbox", { id: "i", payload } as never));
    expect(inbox(JSON.parse(JSON.stringify(event)))).toBe(inbox(event));
  });

  it("tells a missing field from an empty one, and one field from the next", () => {
    const votes = (row: Partial<SignedRows["approval_votes"]>) =>
      KEY.mac(meaningOf("approval_votes", { id: "v", tenantId: "t", ...row }));
    expect(votes({ staffId: "" })).not.toBe(votes({}));
    expect(votes({ staffId: "ab", approvalId: "c" })).not.toBe(
      votes({ staffId: "a", approvalId: "bc" }),
    );
  });
});

describe("a verified row", () => {
  const content = { is: "this" };
  const signed = { content, mac: KEY.mac(content) };

  it("comes only from a hash that holds", () => {
    expect(KEY.verify({ a: 1 }, signed)).toEqual({ a: 1 });
    const macs = ["", "00", `${signed.mac}00`, signed.mac.replace(/^./, "g"), KEY.mac("other")];
    for (const forged of macs) expect(KEY.verify({ a: 1 }, { content, mac: forged })).toBeNull();
    expect(rowKeyOf(Buffer.alloc(32, 2)).verify({ a: 1 }, signed)).toBeNull();
  });

  it("is told from every look-alike at run time", () => {
    const genuine = KEY.verify({ a: 1 }, signed);
    expect(genuine && isVerified(genuine)).toBe(true);
    for (const alike of [{ a: 1 }, { ...genuine }, structuredClone(genuine), { ...genuine, a: 2 }])
      expect(isVerified(alike ?? {})).toBe(false);
  });

  it("does not compile as a look-alike", () => {
    const wants = (row: Verified<{ a: number }>) => isVerified(row);
    // @ts-expect-error: nobody vouches for it
    expect(wants({ a: 1 })).toBe(false);
  });

  it("cannot be changed afterwards", () => {
    const genuine = KEY.verify({ a: 1 }, signed) as { a: number };
    expect(() => {
      genuine.a = 2;
    }).toThrow(TypeError);
  });
});
