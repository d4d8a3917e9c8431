import { extname } from "node:path";
import { type Api, GrammyError } from "grammy";
import type { Media } from "../../domain/inbound.ts";
import type { Download } from "../../domain/messenger.ts";
import { fetchFile } from "../fetch-file.ts";
import type { CallSignal } from "./call-signal.ts";
import { isFileTooBig } from "./delivery-error.ts";

const API_ROOT = "https://api.telegram.org";

/** Fetches a file that a person sent to this bot. Its address holds the token: it is never told. */
export async function downloadFile(api: Api, media: Media, signal: AbortSignal): Promise<Download> {
  if (!media.fileId) return { kind: "gone", error: "Telegram named no file" };
  const found = await findFile(api, media.fileId, signal);
  if (typeof found !== "string") return found;
  const root = new URL(api.options?.apiRoot ?? API_ROOT);
  const folder = `${root.href.replace(/\/$/, "")}/file/bot${api.token}/`;
  const fetched = await fetchFile({
    url: folder + found,
    isAllowed: (url) => url.href.startsWith(folder), // also after dots in the path are resolved
    signal,
  });
  if (fetched.kind !== "file") return fetched;
  return { ...fetched, name: media.fileName ?? `${media.kind}${extname(found)}` };
}

/** The file's path on Telegram's server, or why there is none. */
async function findFile(api: Api, fileId: string, signal: AbortSignal): Promise<string | Download> {
  try {
    // the same standard object; grammY types it by a polyfill
    const file = await api.getFile(fileId, signal as unknown as CallSignal);
    return file.file_path ?? { kind: "gone", error: "Telegram gave no path" };
  } catch (error) {
    if (isFileTooBig(error)) return { kind: "too_big" };
    const code = error instanceof GrammyError ? error.error_code : 500;
    const isPassing = code === 429 || code >= 500;
    return { kind: isPassing ? "later" : "gone", error: `getFile was answered ${code}` };
  }
}
