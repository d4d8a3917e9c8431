import { describe, expect, it, test } from "vitest";
import { isEmailAddress, parseSender } from "../../src/domain/email-address.ts";
import { mailServerOf } from "../../src/tools/mail/mail-server.ts";

describe("the mail server of an address", () => {
  it("has the port of its kind unless one is named", () => {
    expect(mailServerOf("smtp://mail.example")).toMatchObject({ host: "mail.example", port: 587 });
    expect(mailServerOf("smtps://mail.example")).toMatchObject({ port: 465 });
    expect(mailServerOf("smtp://127.0.0.1:25")).toMatchObject({ host: "127.0.0.1", port: 25 });
  });

  it("gets a login under TLS only, off this machine", () => {
    const away = mailServerOf("smtp://desk%40x.co:p%3As@mail.example");
    expect(away.login).toEqual({ user: "desk@x.co", pass: "p:s" });
    expect(away.connection).toMatchObject({ requireTLS: true, secure: false });
    expect(away.connection).not.toHaveProperty("auth");
    expect(mailServerOf("smtp://a:b@localhost").connection.requireTLS).toBe(false);
    expect(mailServerOf("smtp://a:b@mail.example?requireTLS=false").connection.requireTLS).toBe(
      false,
    );
  });
});

test.each([
  ["lead@example.com", true],
  ["first.last+tag@sub.example.co", true],
  ["a***@example.com", true],
  ["почта@example.com", false],
  ["a@xn--80a1acny.xn--p1ai", true],
  ["a@example", false],
  ["a b@example.com", false],
  ["a@example.com,b@example.com", false],
  ["<a@example.com>", false],
  ["a@example.com\nb", false],
  [".a@example.com", false],
  [`${"a".repeat(250)}@x.co`, false],
])("%j is an address: %s", (text, is) => {
  expect(isEmailAddress(text)).toBe(is);
});

test.each([
  ["desk@x.co", { name: "", address: "desk@x.co" }],
  ["Обменник <desk@x.co>", { name: "Обменник", address: "desk@x.co" }],
  ['"Desk, one" <desk@x.co>', { name: "Desk, one", address: "desk@x.co" }],
  ["Desk desk@x.co", null],
  ["Desk <desk>", null],
  ["Desk\r\nBcc: a@b.co <desk@x.co>", null],
])("letters come from %j", (text, sender) => {
  expect(parseSender(text)).toEqual(sender);
});
