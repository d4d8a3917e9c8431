import nodemailer from "nodemailer";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readMail } from "../../src/sandbox/mail-text.ts";
import { createSmtpPart } from "../../src/sandbox/smtp.ts";
import { type PlayedPart, playPart } from "../support/sandbox-part.ts";

let smtp: PlayedPart;
beforeEach(async () => {
  smtp = await playPart(createSmtpPart);
});
afterEach(() => smtp.close());

async function send(fields: Record<string, unknown> = {}) {
  const transport = nodemailer.createTransport(smtp.env.SMTP_URL);
  try {
    return await transport.sendMail({
      from: smtp.env.MAIL_FROM,
      to: "lead@example.com",
      subject: "Your quote",
      text: "62600 THB",
      ...fields,
    });
  } finally {
    transport.close();
  }
}

const mails = async () => (await smtp.control("/mail")).body;

test("a mail is kept with its sender, recipients, subject and text", async () => {
  await send({ to: ["lead@example.com", "boss@example.com"] });
  expect(await mails()).toMatchObject([
    {
      from: "bot@sandbox.example",
      to: "lead@example.com, boss@example.com",
      subject: "Your quote",
      text: "62600 THB",
    },
  ]);
});

test("Russian subjects and long texts are read as they were written", async () => {
  const text = `Заявка готова: ${"сумма к выдаче 62600 THB, офис. ".repeat(20)}\n\nСпасибо = ждём`;
  const subject = "Ваша заявка на обмен и очень длинная тема письма про баты";
  await send({ subject, text, html: "<p>другое</p>" });
  expect(await mails()).toMatchObject([{ subject, text }]);
});

test("a base64 text beside an attachment is the text", async () => {
  const attachments = [{ filename: "a.txt", content: "attached" }];
  await send({ text: "Привет", textEncoding: "base64", attachments });
  expect(await mails()).toMatchObject([{ text: "Привет" }]);
});

test("any login is accepted", async () => {
  const url = smtp.env.SMTP_URL?.replace("smtp://", "smtp://user:secret@");
  const transport = nodemailer.createTransport(url);
  expect(await transport.verify()).toBe(true);
  transport.close();
});

test.each([421, 451, 550])("a played %i refuses the mail and keeps nothing", async (status) => {
  smtp.fault({ service: "smtp", kind: "status", status, count: 1 });
  await expect(send()).rejects.toMatchObject({ responseCode: status });
  expect(await mails()).toEqual([]);
  await send();
  expect(await mails()).toHaveLength(1);
});

test("a server that is down resets the connection", async () => {
  smtp.fault({ service: "smtp", kind: "down", count: 1 });
  await expect(send()).rejects.toThrow();
  expect(await mails()).toEqual([]);
});

test("a lost answer leaves the mail delivered", async () => {
  smtp.fault({ service: "smtp", kind: "drop_response_after_effect", count: 1 });
  await expect(send()).rejects.toThrow();
  expect(await mails()).toHaveLength(1);
});

test("a time-out hangs up without keeping the mail; latency only delays it", async () => {
  smtp.fault({ service: "smtp", kind: "timeout", delay_ms: 5, count: 1 });
  await expect(send()).rejects.toThrow();
  expect(await mails()).toEqual([]);
  smtp.fault({ service: "smtp", kind: "latency", delay_ms: 5, count: 1 });
  await send();
  expect(await mails()).toHaveLength(1);
});

test("mail outlives the process", async () => {
  await send();
  smtp = await smtp.restart();
  expect(await mails()).toHaveLength(1);
});

test("a message without text has an empty text", () => {
  expect(readMail("Subject: x\r\n\r\n")).toMatchObject({ subject: "x", text: "" });
  expect(readMail("Content-Type: text/html\r\n\r\n<b>hi</b>").text).toBe("hi");
});
