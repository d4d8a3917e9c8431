import { describe, expect, it } from "vitest";
import { refusalText } from "../../src/tools/exchange/payout-answer.ts";
import { foreignLine, withoutInnards } from "../../src/tools/foreign-line.ts";
import { withoutSecrets } from "../../src/tools/secret-shapes.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh12345";
const SECRETS = [
  `sk_${"live"}_abcdef0123456789abcdef`,
  `sk_${"test"}_abcdef0123456789abcdef`,
  `rk_${"live"}_abcdef0123456789abcdef`,
  `pk_${"live"}_abcdef0123456789abcdef`,
  `whsec_${"aB3".repeat(10)}`,
  `ghp_${"a1".repeat(18)}`,
  `github_pat_${"a1".repeat(20)}`,
  "xoxb-123456789012-abcdefABCDEF",
  "xoxp-123456789012-abcdefABCDEF",
  "AKIAIOSFODNN7EXAMPLE",
  `AIza${"aB3de".repeat(7)}`,
  JWT,
  "Bearer abcdefghijklmnop1234",
];

describe("a key in the words of somebody else", () => {
  it.each(SECRETS)("%s", (secret) => {
    expect(withoutSecrets(`it said ${secret}, and no`)).toBe("it said [removed], and no");
    const shown = foreignLine(`the login "${secret}" was refused`);
    expect(shown).not.toContain(secret.slice(-8));
    expect(shown).toMatch(/^the login .*\[removed\].* was refused$/);
  });
});

describe("what a service outside said, as people are shown it", () => {
  const table: [string, string][] = [
    ["see https://internal.gw/admin?token=zzz for more", "see [link] for more"],
    ["postgres://desk:hunter22@db.internal:5432/desk is full", "[link] is full"],
    ["www.gw.example/help tells", "[link] tells"],
    ["thrown at /srv/app/pay.js:12", "thrown at [file]"],
    ["cannot read /etc/gateway/keys", "cannot read [file]"],
    ["cannot read C:\\gateway\\keys.txt", "cannot read [file]"],
    ["no answer of 10.20.30.40:8443", "no answer of [address]"],
    ["no answer of ledger.internal:8443", "no answer of [address]"],
    ["ask lea@x.com or +66 81 234 5678", "ask [e-mail] or [phone]"],
    ["account 1112223334 is closed", "account [number] is closed"],
    ["IBAN DE89 3704 0044 0532 0130 00 is wrong", "IBAN [number] is wrong"],
    ["GB29NWBK60161331926819 is wrong", "[number] is wrong"],
    ["card 4111 1111 1111 1111 expired", "card •••• 1111 expired"],
    ["use code 8842-1199", "use code [removed]"],
    ["token zz9zz", "token [removed]"],
    ["two\r\nlines\tand\u202e a turn", "two lines and a turn"],
  ];
  it.each(table)("%s", (said, shown) => {
    expect(foreignLine(said)).toBe(shown);
  });

  const kept = [
    "550 5.7.1 Message refused",
    "error code 4003: amount 15650.50 THB exceeds the limit of 10000",
    "the key was used before, on 2026-11-30",
    "24/7 and/or 12/5 only",
    "отклонено: лимит исчерпан",
  ];
  it.each(kept)("keeps %s", (said) => {
    expect(foreignLine(said)).toBe(said);
  });

  it("is short, however long it was", () => {
    expect(foreignLine("no ".repeat(100_000))).toHaveLength(200);
  });
});

describe("a gateway's refusal", () => {
  const said = (message: string, sent: unknown) => refusalText(JSON.stringify({ message }), sent);

  it("does not say back to whom the money was to go", () => {
    const sent = { bank: "SCB", account: "111222", holder: "Lea  Secretname" };
    expect(said("account 111222 of LEA SECRETNAME at SCB is blocked", sent)).toBe(
      "account [ours] of [ours] at SCB is blocked",
    );
    const text = { text: "Kasikorn 123-4-56789-0, Somchai Jaidee" };
    expect(said("Somchai: 123-4-56789-0 is blocked", text)).toBe("[ours]: [ours] is blocked");
  });

  it("that says nothing is said to", () => {
    expect(refusalText("", null)).toBe("no reason given");
  });
});

describe("a line of ours on a card", () => {
  it("loses keys and links, and keeps the client's own place", () => {
    const place = "https://maps.example/?q=1.5,2 /a/b";
    const line = `pay 5 THB, ${place}; see https://gw.example/x, AKIAIOSFODNN7EXAMPLE, /srv/app/x`;
    expect(withoutInnards(line, place)).toBe(`pay 5 THB, ${place}; see [link] [removed], [file]`);
    expect(withoutInnards("call +66 81 234 5678", null)).toBe("call +66 81 234 5678");
  });
});
