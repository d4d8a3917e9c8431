import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace, type SlackWorkspace } from "../support/slack-workspace.ts";

const channel = "C0OPERATORS";
const bytes = new Uint8Array([1, 2, 3, 4, 5]);

let slack: SlackWorkspace;
beforeEach(async () => {
  slack = await openWorkspace();
});
afterEach(() => slack.close());

async function refusal(method: string, args: Record<string, unknown>): Promise<unknown> {
  try {
    await slack.web.apiCall(method, args);
  } catch (error) {
    return (error as { data?: unknown }).data;
  }
  throw new Error(`${method} was not refused`);
}

const ask = (filename: string, length: number) =>
  slack.web.files.getUploadURLExternal({ filename, length });
const put = (url: string, body: Uint8Array<ArrayBuffer>) => fetch(url, { method: "POST", body });

/** A file that is there and that nobody sees yet. */
async function upload(filename = "passport.png", body = bytes): Promise<string> {
  const { upload_url: url = "", file_id: id = "" } = await ask(filename, body.byteLength);
  const answer = await put(url, body);
  expect([answer.status, await answer.text()]).toEqual([200, `OK - ${body.byteLength}`]);
  return id;
}

describe("an upload", () => {
  test("is one message with all files, once it is completed", async () => {
    const ids = [await upload(), await upload("video.mp4")];
    expect(await slack.messages(channel)).toEqual([]);
    const answer = await slack.web.files.completeUploadExternal({
      files: [{ id: ids[0] ?? "", title: "Passport" }, { id: ids[1] ?? "" }],
      channel_id: channel,
      initial_comment: "Files of A-17",
    });
    expect(answer).toMatchObject({ ok: true, files: [{ id: ids[0], title: "Passport" }, {}] });
    expect(await slack.messages(channel)).toMatchObject([
      {
        user: "U0BOT",
        text: "Files of A-17",
        files: [
          { id: ids[0], name: "passport.png", mimetype: "image/png", size: 5 },
          { id: ids[1], name: "video.mp4", mimetype: "video/mp4", size: 5 },
        ],
      },
    ]);
  });

  test("goes into a thread", async () => {
    const { ts = "" } = await slack.web.chat.postMessage({ channel, text: "Lena" });
    await slack.web.files.completeUploadExternal({
      ...{ files: [{ id: await upload() }], channel_id: channel, thread_ts: ts },
    });
    expect((await slack.messages(channel)).at(-1)).toMatchObject({ thread_ts: ts });
  });

  test("can be fetched with the token, and is a page to sign in without", async () => {
    const id = await upload();
    const { file } = await slack.web.files.info({ file: id });
    const token = slack.sandbox.env().SLACK_BOT_TOKEN;
    const url = file?.url_private ?? "";
    const fetched = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(bytes);
    expect((await fetch(url)).headers.get("content-type")).toMatch(/^text\/html/);
  });

  test("outlives a restart between its steps", async () => {
    const { upload_url: url = "", file_id: id = "" } = await ask("passport.png", 5);
    slack = await slack.restart();
    await put(new URL(new URL(url).pathname, slack.origin).href, bytes);
    await slack.web.files.completeUploadExternal({ files: [{ id }], channel_id: channel });
    expect(await slack.messages(channel)).toMatchObject([{ files: [{ id }] }]);
  });

  test("of other bytes than were announced is not taken", async () => {
    const { upload_url: url = "", file_id: id = "" } = await ask("passport.png", 7);
    expect((await put(url, bytes)).status).toBe(400);
    const complete = { files: [{ id }], channel_id: channel };
    expect(await refusal("files.completeUploadExternal", complete)).toMatchObject({
      ok: false,
      error: "file_not_found",
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["files.getUploadURLExternal", { filename: "a.png", length: 0 }, "missing_argument"],
    ["files.getUploadURLExternal", { length: 3 }, "missing_argument"],
    ["files.completeUploadExternal", { files: [{ id: "F0NONE" }] }, "file_not_found"],
    ["files.completeUploadExternal", { channel_id: channel }, "invalid_arguments"],
    ["files.info", { file: "F0NONE" }, "file_not_found"],
  ])("%s with %j says %s", async (method, args, error) => {
    expect(await refusal(method, args)).toMatchObject({ ok: false, error });
  });

  test("is not shared in an unknown channel, nor where the bot is no member", async () => {
    const files = [{ id: await upload() }];
    await slack.control("slack/channels", { id: "C0SECRET", user: "U0ALICE" });
    const to = (channel_id: string) =>
      refusal("files.completeUploadExternal", { files, channel_id });
    expect(await to("C0NOWHERE")).toMatchObject({ ok: false, error: "invalid_channel" });
    expect(await to("C0SECRET")).toMatchObject({ ok: false, error: "not_in_channel" });
  });
});

test("a person's file may claim a size that nobody has to store", async () => {
  const file = { name: "scan.pdf", mimetype: "application/pdf", size: 30_000_000 };
  await slack.control("slack/messages", { channel: "D0LEAD", user: "U0LEAD", files: [file] });
  expect((await slack.messages("D0LEAD")).at(-1)).toMatchObject({ files: [file] });
});
