import { afterEach, expect, test } from "vitest";
import { lookAtMail } from "../../src/cli/doctor-outside.ts";
import { type MailScript, openMailLine } from "../support/mail-line.ts";

const from = "Desk <desk@exchange.test>";
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function look(script: MailScript, login = "") {
  const server = await openMailLine(script);
  opened.push(server);
  const url = server.url.replace("smtp://", `smtp://${login}`);
  const findings = await lookAtMail({ url, from }, AbortSignal.timeout(10_000));
  return { server, findings };
}

test("without a mail server the bot is said to have no letters", async () => {
  expect(await lookAtMail(null, AbortSignal.timeout(1_000))).toMatchObject([
    { ok: true, what: expect.stringMatching(/SMTP_URL is not set.*not offered send_email/) },
  ]);
});

test("a server that lets us in is well, and nothing is sent by looking", async () => {
  const { server, findings } = await look({}, "desk:pass@");
  expect(findings).toMatchObject([{ ok: true, what: expect.stringContaining(from) }]);
  expect(server.heard.some((said) => /^(MAIL|DATA)/.test(said))).toBe(false);
});

test("a refused login and a server that is away are problems with their next step", async () => {
  const { findings } = await look({ auth: "535 5.7.8 bad login" }, "desk:pass@");
  expect(findings).toMatchObject([
    { ok: false, what: expect.stringContaining("535"), nextStep: "check the login in SMTP_URL" },
  ]);
  const away = await look({ greeting: null });
  expect(away.findings).toMatchObject([{ nextStep: "check SMTP_URL and the network" }]);
});
