import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mimeOf, UNKNOWN_TYPE } from "../mime-types.ts";
import type { TelegramCore } from "./core.ts";
import { badRequest, TelegramError } from "./errors.ts";
import type { StoredFile } from "./events.ts";
import type { Params } from "./params.ts";

const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

/** A file on its way into the played Telegram. */
export interface NewFile {
  kind: StoredFile["kind"];
  bytes: Uint8Array;
  mimeType: string;
  fileName?: string;
  width?: number;
  height?: number;
  /** Larger than the bytes when a big file is only played. */
  size?: number;
}

/** The file that a send names: an upload, `attach://part` or a file_id. Throws TelegramError. */
export async function readInputFile(
  core: TelegramCore,
  params: Params,
  kind: StoredFile["kind"],
): Promise<StoredFile> {
  const reference = params.text(kind);
  const part = reference?.startsWith("attach://") ? reference.slice("attach://".length) : kind;
  const upload = params.file(part);
  if (upload) return storeUpload(core, upload, kind);
  if (!reference) throw badRequest(`there is no ${kind.replace("_", " ")} in the request`);
  const known = core.state.files.get(reference);
  if (!known && /^https?:/.test(reference)) throw badRequest("failed to get HTTP URL content");
  if (!known) throw badRequest("wrong file identifier/HTTP URL specified");
  if (known.kind !== kind) {
    throw badRequest(`can't use file of type ${TYPE_NAMES[known.kind]} as ${TYPE_NAMES[kind]}`);
  }
  return known;
}

/** Writes the bytes first, then the event: an event's file always exists. */
export function storeFile(core: TelegramCore, file: NewFile): StoredFile {
  const number = core.state.last.file + 1;
  const folder = join(core.world.filesDir, "telegram");
  const stored = join("telegram", String(number));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(core.world.filesDir, stored), file.bytes);
  const made: StoredFile = {
    kind: file.kind,
    fileId: PREFIXES[file.kind] + Buffer.from(`sandbox-file-${number}`).toString("base64url"),
    uniqueId: Buffer.from(`unique-${number}`).toString("base64url"),
    size: file.size ?? file.bytes.byteLength,
    path: `${FOLDERS[file.kind]}/file_${number}${extensionOf(file)}`,
    stored,
    mimeType: file.mimeType,
    ...(file.fileName === undefined ? {} : { fileName: file.fileName }),
    ...(file.width === undefined ? {} : { width: file.width, height: file.height }),
  };
  core.emit("file", { file: made });
  return made;
}

/** Throws for a file whose bytes were never stored: too big ones are only named. */
export function readStoredFile(core: TelegramCore, file: StoredFile): Buffer {
  return readFileSync(join(core.world.filesDir, file.stored));
}

/** By their first bytes; the platform refuses to make a photo of anything else. */
export function isImage(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return /^(\x89PNG|\xff\xd8\xff|GIF8|BM)/.test(head) || /^RIFF....WEBP/s.test(head);
}

const TYPE_NAMES: Record<StoredFile["kind"], string> = {
  photo: "Photo",
  document: "Document",
  video_note: "VideoNote",
  video: "Video",
  voice: "VoiceNote",
};

const PREFIXES: Record<StoredFile["kind"], string> = {
  photo: "AgACAgIAAxkB",
  document: "BQACAgIAAxkB",
  video_note: "DQACAgIAAxkB",
  video: "BAACAgIAAxkB",
  voice: "AwACAgIAAxkB",
};

const FOLDERS: Record<StoredFile["kind"], string> = {
  photo: "photos",
  document: "documents",
  video_note: "video_notes",
  video: "videos",
  voice: "voice",
};

async function storeUpload(
  core: TelegramCore,
  upload: File,
  kind: StoredFile["kind"],
): Promise<StoredFile> {
  if (upload.size > MAX_UPLOAD_BYTES) throw new TelegramError(413, "Request Entity Too Large");
  if (upload.size === 0) throw badRequest("file must be non-empty");
  if (kind === "photo" && upload.size > MAX_PHOTO_BYTES) {
    throw badRequest(
      `file of size ${upload.size} bytes is too big for a photo; the maximum size is ${MAX_PHOTO_BYTES} bytes`,
    );
  }
  const bytes = new Uint8Array(await upload.arrayBuffer());
  if (kind === "photo" && !isImage(bytes)) throw badRequest("IMAGE_PROCESS_FAILED");
  // clients send no type of their own, so the name decides
  const isKnown = upload.type !== "" && upload.type !== UNKNOWN_TYPE;
  const mimeType = isKnown ? upload.type : mimeOf(upload.name);
  return storeFile(core, { kind, bytes, mimeType, fileName: upload.name });
}

function extensionOf({ kind, fileName }: NewFile): string {
  if (kind === "photo") return ".jpg";
  if (kind === "voice") return ".oga";
  if (kind !== "document") return ".mp4";
  return /\.[A-Za-z0-9]{1,10}$/.exec(fileName ?? "")?.[0] ?? "";
}
