import { numberOf, required, stringOf, structureOf } from "./arguments.ts";
import { readContent, readThread } from "./content.ts";
import type { SlackCore } from "./core.ts";
import type { Method } from "./method.ts";
import { fileJson, ORIGIN } from "./payloads.ts";
import { invalidArguments, Refusal } from "./refusal.ts";
import { isRecord } from "./schema.ts";
import { numberedId } from "./stamp.ts";
import { type Channel, type Json, liveMessage, type StoredFile } from "./state.ts";
import { BOT } from "./workspace.ts";

const info: Method = (args, core) => {
  const file = core.state.files.get(required(args, "file"));
  if (!file) throw new Refusal("file_not_found");
  return { file: fileJson(file), comments: [], response_metadata: { next_cursor: "" } };
};

const getUploadUrl: Method = (args, core) => {
  const filename = stringOf(args, "filename");
  const length = numberOf(args, "length", 0);
  // an empty file counts as none
  if (filename === undefined || length <= 0) throw new Refusal("missing_argument");
  if (!Number.isInteger(length)) throw new Refusal("invalid_arguments");
  const { seq } = core.record("slack.upload_opened", { filename, length });
  const id = numberedId("F", seq);
  const ticket = core.state.uploads.get(id)?.ticket ?? "";
  return { upload_url: `${ORIGIN}/sandbox/slack/upload/v1/${ticket}`, file_id: id };
};

/** Shares what was uploaded as one message; without a channel the files stay private. */
const completeUpload: Method = (args, core) => {
  const listed = readFiles(args);
  const files = listed.map(({ id }) => uploadedFile(core, id));
  const channel = stringOf(args, "channel_id");
  if (channel !== undefined) {
    const place = shareChannel(core, channel);
    const { text, blocks } = readComment(args);
    const exists = (ts: string) => liveMessage(core.state, place.id, ts) !== undefined;
    core.record("slack.message", {
      ...{ channel: place.id, user: BOT.userId, isBot: true, files },
      ...{ text, blocks },
      thread_ts: readThread(args, exists),
    });
  }
  core.record("slack.upload_completed", { ids: files.map(({ id }) => id) });
  return { files: listed };
};

export const fileMethods: Record<string, Method> = {
  "files.info": info,
  "files.getUploadURLExternal": getUploadUrl,
  "files.completeUploadExternal": completeUpload,
};

/** Blocks count only where there is no comment. */
function readComment(args: Parameters<Method>[0]): { text: string; blocks?: Json[] } {
  const text = stringOf(args, "initial_comment") ?? "";
  if (text !== "" || args.blocks === undefined) return { text };
  return readContent({ blocks: args.blocks }, "post");
}

function readFiles(args: Parameters<Method>[0]): { id: string; title: string }[] {
  const files = structureOf(args, "files", "invalid_arguments");
  if (!Array.isArray(files) || files.length === 0)
    throw invalidArguments([{ message: "missing required field: files", pointer: "" }]);
  return files.map((file: unknown, index) => {
    if (isRecord(file) && typeof file.id === "string")
      return { id: file.id, title: typeof file.title === "string" ? file.title : "" };
    const message = "missing required field: id";
    throw invalidArguments([{ message, pointer: `/files/${index}` }]);
  });
}

function uploadedFile(core: SlackCore, id: string): StoredFile {
  const upload = core.state.uploads.get(id);
  if (!upload?.stored) throw new Refusal("file_not_found");
  return { id, ...upload.stored };
}

/** This method names the trouble with a channel in words of its own. */
function shareChannel(core: SlackCore, id: string): Channel {
  const channel = core.state.channels.get(id);
  if (!channel) throw new Refusal("invalid_channel");
  if (!channel.members.has(BOT.userId)) throw new Refusal("not_in_channel");
  return channel;
}
