import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeParts } from "../../src/sandbox/parts.ts";
import { type Standalone, startStandalone } from "../../src/sandbox/standalone.ts";
import { createPlayedWorld, type Played, type PlayedWorld } from "../support/played-world.ts";

let dataDir: string;
let emulators: Standalone;
let world: PlayedWorld;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sandbox-page-"));
  const parts = (made: Parameters<typeof makeParts>[0], origin: () => string) =>
    makeParts(made, origin);
  emulators = await startStandalone({ port: 0, dataDir, parts });
  world = createPlayedWorld(emulators.origin);
});
afterAll(async () => {
  await emulators.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the page", () => {
  test("allows its own files alone, and no script or style inside of it", async () => {
    const answer = await fetch(`${emulators.origin}/sandbox`);
    const policy = answer.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]*src=)|<style| on[a-z]+=| style=|https?:\/\/(?!127)/);
  });

  test.each([
    ["?lang=ru", "en", "ru"],
    ["?lang=en", "ru", "en"],
    ["", "ru-RU,ru;q=0.9,en;q=0.8", "ru"],
    ["", "de,ru;q=0.5", "ru"],
    ["", "de", "en"],
    ["?lang=xx", "en", "en"],
  ])("for %j and the browser's %j it is in %s", async (query, accepted, language) => {
    const headers = { "accept-language": accepted };
    const page = await (await fetch(`${emulators.origin}/sandbox${query}`, { headers })).text();
    expect(page).toContain(`<html lang="${language}">`);
  });

  test("names only files that there are, each with its type", async () => {
    const page = await (await fetch(`${emulators.origin}/sandbox`)).text();
    const named = [...page.matchAll(/(?:href|src)="(\/sandbox\/assets\/[^"]+)"/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [, path] of named) {
      const file = await fetch(emulators.origin + path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("content-type")).toMatch(/^(text\/(css|javascript)|image\/svg)/);
    }
  });

  test.each(["../page.ts", "..%2Fplayground.ts", "none.js", "%2e%2e%2f%2e%2e%2fserver.ts"])(
    "gives no other file: %s",
    async (name) => {
      const file = await fetch(`${emulators.origin}/sandbox/assets/${name}`);
      expect(file.status).toBe(404);
    },
  );

  test("without a product there are no conversations to look into", async () => {
    const answer = await fetch(`${emulators.origin}/sandbox/api/conversations`);
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { code: "not_found" } },
    ]);
  });
});

describe("what the page reads of the messengers", () => {
  test("people and channels of the workspace, and the people in Telegram", async () => {
    const slack: Played[] = await world.get("slack/people");
    expect(slack).toContainEqual({ id: "U0ALICE", name: "Alice", is_bot: false });
    const channels: Played[] = await world.get("slack/channels");
    const review = channels.find(({ id }) => id === "C0REVIEW");
    expect(review).toMatchObject({ name: "review", is_im: false });
    const telegram: Played[] = await world.get("telegram/people");
    expect(telegram).toContainEqual(expect.objectContaining({ id: 2001, first_name: "Alice" }));
    expect(telegram.filter(({ is_bot }) => is_bot)).toHaveLength(1);
  });

  test("how the text of a message looks", async () => {
    await world.post("telegram/messages", {
      chat_id: 1001,
      user_id: 1001,
      text: "see https://a.test",
    });
    const chat: Played[] = await world.get("telegram/chats/1001/messages");
    expect(chat.at(-1).entities).toEqual([{ type: "url", offset: 4, length: 14 }]);
  });

  test("a picture, to be shown", async () => {
    await world.post("telegram/messages", { chat_id: 1001, user_id: 1001, photo: {} });
    const chat: Played[] = await world.get("telegram/chats/1001/messages");
    const file = await show(`telegram/files/${chat.at(-1).file_id}`);
    expect(file).toMatchObject({ status: 200, type: "image/jpeg" });
    expect(file.disposition).toMatch(/^inline/);
  });

  test.each(["telegram", "slack"])("a page that was uploaded to %s is never run", async (name) => {
    const base64 = Buffer.from("<script>alert(1)</script>").toString("base64");
    const id = name === "slack" ? await slackFile(base64) : await telegramFile(base64);
    const file = await show(`${name}/files/${id}`);
    expect(file).toMatchObject({ status: 200, type: "application/octet-stream" });
    expect(file.disposition).toMatch(/^attachment/);
    expect(file.policy).toContain("sandbox");
    expect((await show(`${name}/files/unknown`)).status).toBe(404);
  });

  async function telegramFile(base64: string): Promise<string> {
    const document = { file_name: "page.html", mime_type: "text/html", base64 };
    await world.post("telegram/messages", { chat_id: 1001, user_id: 1001, document });
    const chat: Played[] = await world.get("telegram/chats/1001/messages");
    return encodeURIComponent(chat.at(-1).file_id);
  }

  async function slackFile(base64: string): Promise<string> {
    const files = [{ name: "page.html", mimetype: "text/html", base64 }];
    await world.post("slack/messages", { channel: "D0LEAD", user: "U0LEAD", files });
    const chat: Played[] = await world.get("slack/channels/D0LEAD/messages");
    return chat.at(-1).files[0].id;
  }

  async function show(path: string) {
    const answer = await fetch(`${emulators.origin}/sandbox/api/${path}`);
    await answer.arrayBuffer();
    return {
      status: answer.status,
      type: answer.headers.get("content-type"),
      disposition: answer.headers.get("content-disposition"),
      policy: answer.headers.get("content-security-policy"),
    };
  }
});
