import { expect, test, vi } from "vitest";
import { type Answer, openWorkspace } from "../support/slack-workspace.ts";

// the official client waits five seconds before it connects again: both wait at the same time

test.concurrent("a client that is asked to come back misses nothing", async () => {
  const slack = await openWorkspace();
  const texts: string[] = [];
  await slack.connect((app) => {
    app.message(async ({ message }) => void texts.push("text" in message ? `${message.text}` : ""));
  });
  await slack.control("slack/disconnect", {});
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "still here?" });
  await vi.waitFor(() => expect(texts).toEqual(["still here?"]), { timeout: 12_000 });
  await slack.close();
}, 20_000);

test.concurrent("while the service is down sockets are cut and calls reset, then the client is back", async () => {
  const slack = await openWorkspace();
  const texts: string[] = [];
  await slack.connect((app) => {
    app.message(async ({ message }) => void texts.push("text" in message ? `${message.text}` : ""));
  });
  slack.fault({ kind: "down", count: 3 });
  const call = slack.web.chat.postMessage({ channel: "D0LEAD", text: "lost" });
  await expect(call).rejects.toThrow();
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", text: "hello?" });
  await vi.waitFor(() => expect(texts).toEqual(["hello?"]), { timeout: 15_000 });
  expect((await slack.messages("D0LEAD")).map((m: Answer) => m.text)).toEqual(["hello?"]);
  await slack.close();
}, 25_000);
