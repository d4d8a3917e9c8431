import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessengerEdge } from "../../src/bot/edge.ts";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import type { Media, MessageEvent } from "../../src/domain/inbound.ts";
import type { Delivery, LoadedFile, UploadFile } from "../../src/domain/messenger.ts";
import {
  Backstage,
  delivery,
  type PlayedMessenger,
  playSlack,
  playTelegram,
  type SentFile,
  until,
} from "../support/bot-played-messengers.ts";
import { json, startScriptedServer } from "../support/scripted-server.ts";

const signal = new AbortController().signal;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const passport: SentFile = { name: "passport.png", mimeType: "image/png", bytes: PNG };
const scan: SentFile = {
  name: "scan.pdf",
  mimeType: "application/pdf",
  bytes: Buffer.from("%PDF-1.1\nx"),
};

describe.each([
  ["Telegram", playTelegram],
  ["Slack", playSlack],
])("%s", (name, play) => {
  let played: PlayedMessenger;
  let behind: Backstage;
  let edge: MessengerEdge;

  beforeEach(async () => {
    played = await play();
    behind = new Backstage();
    edge = played.create(behind.options());
    await edge.check();
    edge.start();
    await until(() => edge.status().ok || undefined);
  }, 20_000);
  afterEach(async () => {
    await edge.stop();
    await played.close();
  }, 20_000);

  /** What the product keeps of a file that the lead sent. */
  async function received(file: SentFile): Promise<Media> {
    await played.sendFile(file);
    const [event] = (await behind.reach(1)) as MessageEvent[];
    const media = event?.media[0];
    if (!media) throw new Error("no file came in");
    return media;
  }
  const download = async (media: Media) => edge.messenger.download?.(media, signal);

  function uploads(files: UploadFile[], over: { patient?: boolean } = {}): Delivery["content"] {
    return { kind: "uploads", caption: "Files <!channel> of A-17", files, patient: true, ...over };
  }
  const send = (content: Delivery["content"], over: Partial<Delivery> = {}) => {
    const sent = delivery(played.operatorsChat, content, over);
    return edge.messenger.deliver(sent, signal).then((result) => ({ result, parts: sent.parts }));
  };
  const shown = () => played.messages(played.operatorsChat);
  const shownFiles = async () => (await shown()).flatMap(({ files }) => files);

  describe("a file of a lead", () => {
    test("is fetched as it was sent", async () => {
      const fetched = await download(await received(scan));
      expect(fetched).toMatchObject({ kind: "file", name: "scan.pdf" });
      expect(fetched?.kind === "file" && Buffer.from(fetched.bytes)).toEqual(scan.bytes);
    });

    test("of more than 20 MB is not fetched", async () => {
      const media = await received({ ...scan, size: 30_000_000 });
      expect(await download({ ...media, sizeBytes: 5 })).toEqual({ kind: "too_big" });
    });

    test("that the messenger does not know is gone", async () => {
      expect(await download({ kind: "photo", fileId: "F0NONE" })).toMatchObject({ kind: "gone" });
      expect(await download({ kind: "photo" })).toMatchObject({ kind: "gone" });
    });

    test("is tried later while the messenger is down, and no word of it holds an address", async () => {
      const media = await received(passport);
      await played.fault("down", { count: 3 });
      const failed = await download(media);
      expect(failed).toMatchObject({ kind: "later" });
      expect(JSON.stringify(failed)).not.toMatch(/https?:|bot\d+:|xoxb/);
    });
  });

  describe("files of another messenger", () => {
    test("are shown with the caption, which calls nobody", async () => {
      const { result } = await send(
        uploads([fileOf("photo", PNG), fileOf("document", scan.bytes as Buffer)]),
      );
      expect(result).toEqual({ kind: "sent" });
      expect(await shownFiles()).toHaveLength(2);
      const texts = (await shown()).map(({ text }) => text).filter((text) => text !== "");
      expect(texts).toEqual(["Files <!channel> of A-17"]);
    });

    test("that cannot be fetched are lines between those that can", async () => {
      const line = 'document "scan.pdf" (34.0 MB): too large';
      const { result, parts } = await send(
        uploads([fileOf("photo", PNG), lineOf(line), fileOf("video", Buffer.from("mp4"))]),
      );
      expect(result).toEqual({ kind: "sent" });
      expect(await shownFiles()).toHaveLength(2);
      expect((await shown()).map(({ text }) => text).join("\n")).toContain(line);
      expect(parts).toHaveLength(name === "Telegram" ? 3 : 1);
    });

    test("that are all missing are one line each, and nothing else", async () => {
      const { result } = await send(uploads([lineOf("the passport is missing")]));
      expect(result).toEqual({ kind: "sent" });
      expect((await shown()).map(({ text }) => text).join("\n")).toContain("passport is missing");
    });

    test("are tried again when the other side is not there yet", async () => {
      const later: LoadedFile = { kind: "later", error: "503" };
      const { result, parts } = await send(uploads([{ ...lineOf(""), load: async () => later }]));
      expect(result).toMatchObject({ kind: "retry", error: "503" });
      expect(parts).toEqual([]);
      expect(await shown()).toEqual([]);
    });

    test("in an unknown chat are refused for good", async () => {
      const chatId = name === "Slack" ? "C0NOWHERE" : "777777";
      const { result } = await send(uploads([fileOf("photo", PNG)]), { chatId });
      expect(result).toMatchObject({ kind: "refused" });
    });
  });

  describe("a thread", () => {
    async function open(title = "Lena <b> · Telegram"): Promise<string> {
      const { result, parts } = await send(
        { kind: "thread", title },
        { chatId: played.reviewChat },
      );
      expect(result).toEqual({ kind: "sent" });
      return parts.at(-1) ?? "";
    }
    const says = (text: string, threadId: string | null) =>
      send(
        { kind: "text", text, protect: false, quiet: true },
        { chatId: played.reviewChat, threadId },
      );
    const inReview = () => played.messages(played.reviewChat);

    test("is opened, and takes what is sent into it", async () => {
      const thread = await open();
      expect((await says("> hello", thread)).result).toEqual({ kind: "sent" });
      const posts = (await inReview()).filter(({ threadId }) => threadId === thread);
      expect(posts.map(({ text }) => text)).toEqual(["> hello"]);
    });

    test("that was deleted is said to be gone, and nothing lands beside it", async () => {
      const thread = await open();
      await played.deleteThread(thread);
      expect((await says("> hello", thread)).result).toMatchObject({ kind: "thread_gone" });
      expect((await inReview()).map(({ text }) => text)).not.toContain("> hello");
    });

    test("may have a name of any length", async () => {
      await open("я".repeat(300));
    });

    test("shows what a lead wrote without mentions, bidi marks or markup", async () => {
      const thread = await open();
      await says(
        "> <!channel> @alice_op \u202Eevil /stop #tag a@b.example https://a.example/x",
        thread,
      );
      const [post] = (await inReview()).filter(({ threadId }) => threadId === thread);
      const joined = name === "Telegram" ? "\u2060" : "";
      expect(post?.text).toBe(
        `> <!channel> @${joined}alice_op evil /${joined}stop #${joined}tag a@b.example https://a.example/x`,
      );
    });
  });
});

describe("Telegram alone", () => {
  let played: PlayedMessenger;
  let edge: MessengerEdge;
  beforeEach(async () => {
    played = await playTelegram();
    edge = played.create(new Backstage().options());
  }, 20_000);
  afterEach(() => played.close());

  const copies = (messageIds: string[]) => ({
    ...{ kind: "copies" as const, fromChatId: "1001", messageIds, notShown: "not all are here" },
  });
  const send = async (content: Delivery["content"]) => {
    const sent = delivery(played.operatorsChat, content);
    return { result: await edge.messenger.deliver(sent, signal), parts: sent.parts };
  };
  const shown = () => played.messages(played.operatorsChat);

  test("copies all files of a lead by one call, without their words", async () => {
    const ids = [await played.sendFile(scan, "@boss pay now"), await played.sendFile(passport)];
    const { result, parts } = await send(copies(ids.reverse()));
    expect(result).toEqual({ kind: "sent" });
    expect(await shown()).toMatchObject([
      { files: ["document"], text: "" },
      { files: ["photo"], text: "" },
    ]);
    expect(parts).toHaveLength(2);
  });

  test("says when a file is gone from the lead's chat", async () => {
    const id = await played.sendFile(passport);
    expect((await send(copies([id, "999"]))).result).toEqual({ kind: "sent" });
    expect((await send(copies(["999"]))).result).toEqual({ kind: "sent" });
    expect((await send(copies(["7~an older version"]))).result).toEqual({ kind: "sent" });
    expect((await shown()).map(({ files, text }) => files[0] ?? text)).toEqual([
      "photo",
      ...["not all are here", "not all are here", "not all are here"],
    ]);
  });

  test("may have a file already when the answer was lost", async () => {
    await played.fault("drop_response_after_effect");
    const { result, parts } = await send({
      ...{ kind: "uploads", caption: "", patient: true },
      files: [fileOf("photo", PNG)],
    });
    expect(result).toMatchObject({ kind: "uncertain" });
    expect(parts).toEqual([]);
    expect(await shown()).toHaveLength(1);
  });

  test("shows as a document what Telegram does not take as a photo", async () => {
    const { result } = await send({
      ...{ kind: "uploads", caption: "", patient: true },
      files: [fileOf("photo", Buffer.from("no picture at all"))],
    });
    expect(result).toEqual({ kind: "sent" });
    expect(await shown()).toMatchObject([{ files: ["document"] }]);
  });

  test("says what it takes neither way", async () => {
    const { result } = await send({
      ...{ kind: "uploads", caption: "", patient: true },
      files: [{ ...fileOf("photo", Buffer.alloc(0)), notShown: "an empty photo" }],
    });
    expect(result).toEqual({ kind: "sent" });
    expect(await shown()).toMatchObject([{ files: [], text: "an empty photo" }]);
  });

  test("has no topics in a group that is no forum", async () => {
    const { result } = await send({ kind: "thread", title: "Lena" });
    expect(result).toMatchObject({ kind: "no_threads" });
  });

  test.each([
    ["leads out of the bot's folder", "../../elsewhere/x.jpg", 1],
    ["redirects", "photos/x.jpg", 2],
  ])("fetches nothing when the path %s", async (_, path, requests) => {
    const server = await startScriptedServer();
    server.answer((request, response) => {
      if (request.path.endsWith("/getFile"))
        return json(response, 200, { ok: true, result: { file_id: "x", file_path: path } });
      response.writeHead(302, { location: `${server.url}/file/bot1:secret/stolen` }).end();
    });
    const away = createTelegramBot({
      ...new Backstage().options(),
      ...{ token: "1:secret", apiRoot: server.url },
    });
    const fetched = await away.messenger.download?.({ kind: "photo", fileId: "x" }, signal);
    await server.close();
    expect(fetched).toMatchObject({ kind: "gone" });
    expect(JSON.stringify(fetched)).not.toContain("secret");
    expect(server.seen).toHaveLength(requests);
  });
});

describe("Slack alone", () => {
  let played: PlayedMessenger;
  let edge: MessengerEdge;
  beforeEach(async () => {
    played = await playSlack();
    edge = played.create(new Backstage().options());
  }, 20_000);
  afterEach(() => played.close());

  test("shows nobody a file whose upload broke off, and takes it again", async () => {
    const files = [fileOf("photo", PNG)];
    const content = { kind: "uploads" as const, caption: "Files", patient: true, files };
    const send = () => edge.messenger.deliver(delivery(played.operatorsChat, content), signal);
    await played.fault("drop_response_after_effect");
    expect(await send()).toMatchObject({ kind: "retry" });
    expect(await played.messages(played.operatorsChat)).toEqual([]);
    expect(await send()).toEqual({ kind: "sent" });
  });

  test("says what it could not take, rather than let the card wait any longer", async () => {
    await played.fault("status", { status: 500, count: 1 });
    const sent = delivery(played.operatorsChat, {
      ...{ kind: "uploads", caption: "Files of A-17", patient: false },
      files: [{ ...fileOf("photo", PNG), notShown: "photo: look in the client's chat" }],
    });
    expect(await edge.messenger.deliver(sent, signal)).toEqual({ kind: "sent" });
    expect(await played.messages(played.operatorsChat)).toMatchObject([
      { files: [], text: "Files of A-17\nphoto: look in the client's chat" },
    ]);
  });
});

function fileOf(kind: Media["kind"], bytes: Uint8Array): UploadFile {
  const file = { kind: "file" as const, bytes: new Uint8Array(bytes), name: `${kind}.png` };
  return { media: { kind }, load: async () => file, notShown: `${kind}: not shown` };
}

function lineOf(text: string): UploadFile {
  return { media: { kind: "document" }, load: async () => ({ kind: "line", text }), notShown: "" };
}
