import { afterEach, describe, expect, test } from "vitest";
import { createSmtpPart } from "../../src/sandbox/smtp.ts";
import type { Letter } from "../../src/tools/mail/letter.ts";
import { createMailClient } from "../../src/tools/mail/smtp-client.ts";
import { keepOutsideCalls } from "../../src/tools/outside.ts";
import { type MailScript, openMailLine } from "../support/mail-line.ts";
import { playPart } from "../support/sandbox-part.ts";

const FROM = "Обменник <desk@exchange.test>";
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function letter(over: Partial<Letter> = {}): Letter {
  return {
    ...{ key: "approval-1", to: "lead@example.com", subject: "Terms", text: "Hello" },
    ...{ writtenAt: Date.UTC(2026, 10, 30, 9), ...over },
  };
}

/** A client of a server that follows the script. */
async function line(script: MailScript = {}, { login = "", timeoutMs = 5_000 } = {}) {
  const server = await openMailLine(script);
  opened.push(server);
  const url = server.url.replace("smtp://", `smtp://${login}`);
  const client = createMailClient({ url, from: FROM, timeoutMs });
  const send = (over: Partial<Letter> = {}, signal = AbortSignal.timeout(10_000)) =>
    client.send(letter(over), signal);
  return { server, client, send };
}

describe("a letter that the server takes", () => {
  test("goes once, to one recipient, with an id made of its key", async () => {
    const { server, send } = await line();
    expect(await send()).toEqual({
      kind: "accepted",
      messageId: "<approval-1@exchange.test>",
    });
    expect(server.heard.filter((said) => /^(MAIL|RCPT)/.test(said))).toEqual([
      "MAIL FROM:<desk@exchange.test>",
      "RCPT TO:<lead@example.com>",
    ]);
    expect(server.messages).toHaveLength(1);
    const [head = ""] = server.messages[0]?.split("\n\n") ?? [];
    expect(head).toContain("Message-ID: <approval-1@exchange.test>");
    expect(head).toContain("Date: Mon, 30 Nov 2026 09:00:00 +0000");
    expect(head).not.toMatch(/^(Cc|Bcc):/im);
  });

  test("is read by the played mail server as it was written, in any script", async () => {
    const smtp = await playPart(createSmtpPart);
    opened.push(smtp);
    const client = createMailClient({ url: smtp.env.SMTP_URL ?? "", from: FROM, timeoutMs: 5_000 });
    const subject =
      "Условия обмена – ประเทศไทย 🙂 и ещё очень много слов, чтобы тема не влезла в строку";
    const text = `Здравствуйте!\n\n.точка в начале строки\n${"Длинная строка. ".repeat(90)}\n=3D не код\nประเทศไทย 🙂`;
    await client.send(letter({ subject, text }), AbortSignal.timeout(5_000));
    expect((await smtp.control("/mail")).body).toMatchObject([
      { to: "lead@example.com", subject, text, message_id: "<approval-1@exchange.test>" },
    ]);
  });

  test("cannot begin another header or another recipient with what it holds", async () => {
    const { server, send } = await line();
    const outcome = await send({
      subject: "Hi\r\nBcc: eve@evil.test\r\n\r\nbody",
      to: "lead@example.com",
    });
    expect(outcome.kind).toBe("accepted");
    expect(server.messages[0]).not.toMatch(/^Bcc:/m);
    const list = await send({ to: "lead@example.com>\r\nRCPT TO:<eve@evil.test" });
    expect(list.kind).not.toBe("accepted");
    expect(server.heard.join("\n")).not.toContain("RCPT TO:<eve@evil.test>");
  });

  test("is told to the log of requests with hashes and the status alone", async () => {
    const { client } = await line();
    const outside = keepOutsideCalls(() => 0);
    await client.send(letter(), AbortSignal.timeout(5_000), outside);
    const [call, ...others] = outside.list();
    expect(others).toEqual([]);
    expect(call).toMatchObject({ provider: "mail", method: "DATA", responseStatus: 250 });
    expect(JSON.stringify(call)).not.toMatch(/Hello|lead@/);
  });
});

describe("what came of a letter that was not taken", () => {
  const certain = { kind: "not_sent" };
  const table: [string, MailScript, object][] = [
    ["hung up before the greeting", { greeting: null }, { ...certain, failure: "network" }],
    ["no service now", { greeting: "421 4.3.2 closing" }, { ...certain, status: 421 }],
    ["hung up at the sender", { mail: null }, { ...certain, failure: "network" }],
    ["hung up before the letter was asked for", { data: null }, { ...certain, failure: "network" }],
    ["mailbox busy", { rcpt: "450 4.2.1 busy" }, { ...certain, failure: "unavailable" }],
    ["too many letters", { rcpt: "452 4.5.3 too many" }, { ...certain, failure: "rate_limited" }],
    ["slow down", { mail: "451 4.7.1 slow down" }, { ...certain, failure: "rate_limited" }],
    ["put off after the letter", { end: "451 4.3.0 later" }, { ...certain, status: 451 }],
    ["no such mailbox", { rcpt: "550 5.1.1 no such user" }, { kind: "refused", status: 550 }],
    ["refused after the letter", { end: "554 5.7.1 spam" }, { kind: "refused", status: 554 }],
    ["hung up after the letter", { end: null }, { kind: "unknown", status: null }],
  ];
  test.each(table)("%s", async (_name, script, outcome) => {
    const { send } = await line(script);
    expect(await send()).toMatchObject(outcome);
  });

  test("nobody listens there: certain", async () => {
    const { server, send } = await line();
    server.close();
    expect(await send()).toMatchObject({ kind: "not_sent", failure: "network" });
  });

  test("silence before the letter is certain, silence after it is not", async () => {
    const before = await line({ rcpt: undefined }, { timeoutMs: 150 });
    expect(await before.send()).toMatchObject({ kind: "not_sent", failure: "timeout" });
    const after = await line({ end: undefined }, { timeoutMs: 150 });
    expect(await after.send()).toMatchObject({ kind: "unknown" });
    expect(after.server.messages).toHaveLength(1);
  });

  test("the server's words are told in one line and cut", async () => {
    const { send } = await line({ rcpt: `550-5.1.1 no\r\n550 5.1.1 ${"such user ".repeat(60)}` });
    const outcome = await send();
    const message = outcome.kind === "refused" ? outcome.message : "";
    expect(message).toMatch(/^the mail server refused the letter: 550/);
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(260);
  });
});

test("the server's words are cleaned for people, and our own say the same without them", async () => {
  const said = `550 5.7.1 see https://mx.internal/why?t=1, key sk_${"live"}_abcdef0123456789, ask lead@example.com`;
  const { send } = await line({ rcpt: said });
  expect(await send()).toMatchObject({
    kind: "refused",
    message: "the mail server refused the letter: 550 5.7.1 see [link] key [removed], ask [e-mail]",
    brief: "the mail server refused the letter (550)",
  });
});

describe("the login", () => {
  test("of the address is used, and nothing is sent when it is refused", async () => {
    const { server, client, send } = await line(
      { auth: "535 5.7.8 bad login" },
      { login: "desk%40exchange.test:p%40ss@" },
    );
    expect(await client.check(AbortSignal.timeout(5_000))).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("refused our login"),
    });
    expect(await send()).toMatchObject({ kind: "refused", status: 535 });
    expect(server.messages).toEqual([]);
    const plain = server.heard.find((said) => said.startsWith("AUTH PLAIN ")) ?? "";
    const told = Buffer.from(plain.slice("AUTH PLAIN ".length), "base64").toString();
    expect(told).toBe("\0desk@exchange.test\0p@ss");
  });

  test("is well when the server lets us in, and no letter is begun", async () => {
    const { server, client } = await line({}, { login: "desk:pass@" });
    expect(await client.check(AbortSignal.timeout(5_000))).toBeNull();
    expect(server.heard.some((said) => said.startsWith("MAIL"))).toBe(false);
  });
});
