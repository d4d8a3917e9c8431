import { LARGEST_FILE_BYTES } from "../domain/inbound.ts";
import { neverLeft } from "./network-error.ts";

/** No text of it holds the address: an address may hold a token. */
export type Fetched =
  | { kind: "file"; bytes: Uint8Array<ArrayBuffer>; mimeType: string }
  | { kind: "too_big" }
  | { kind: "gone"; error: string }
  | { kind: "later"; error: string };

/**
 * `headers` may hold a token: they go to the allowed hosts alone, and no redirect takes them
 * elsewhere.
 */
export interface FileRequest {
  url: string;
  /** Only from the messenger's own hosts. */
  isAllowed(url: URL): boolean;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

const FETCH_LIMIT_MS = 20_000;

/** One file, at most as large as files may be, without following a redirect. Never throws. */
export async function fetchFile(request: FileRequest): Promise<Fetched> {
  const url = URL.canParse(request.url) ? new URL(request.url) : null;
  if (!url || !request.isAllowed(url))
    return { kind: "gone", error: "the file is not on the messenger's own host" };
  try {
    const response = await fetch(url, {
      headers: request.headers ?? {},
      redirect: "manual",
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(FETCH_LIMIT_MS)]),
    });
    return await readAnswer(response);
  } catch (error) {
    const why = neverLeft(error) ? "could not be reached" : "broke off";
    return { kind: "later", error: `the download ${why}` };
  }
}

async function readAnswer(response: Response): Promise<Fetched> {
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const isPassing = status === 408 || status === 429 || status >= 500;
    return { kind: isPassing ? "later" : "gone", error: `the download was answered ${status}` };
  }
  const bytes = await readBytes(response);
  if (!bytes) return { kind: "too_big" };
  return { kind: "file", bytes, mimeType: response.headers.get("content-type") ?? "" };
}

/** null: there is more than we take. */
async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > LARGEST_FILE_BYTES) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
