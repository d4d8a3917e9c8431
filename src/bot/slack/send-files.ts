import type { webApi } from "@slack/bolt";
import type { Delivery, DeliveryResult, LoadedFile } from "../../domain/messenger.ts";
import { plainLine } from "../plain-line.ts";
import { splitText } from "../split-text.ts";
import { toDeliveryResult } from "./delivery-error.ts";
import { escapedCost, escapeSlack } from "./escape.ts";
import { isOwnHost } from "./own-host.ts";
import { postPart } from "./post-part.ts";
import { TEXT_LIMIT } from "./render-card.ts";
import { wordsBlock } from "./rich-text.ts";

type Uploads = Extract<Delivery["content"], { kind: "uploads" }>;
type LoadedBytes = Extract<LoadedFile, { kind: "file" }>;

/** A person waits for the card behind the files: longer delays cost the file, not the card. */
const PATIENCE_MS = 5_000;
const UPLOAD_LIMIT_MS = 20_000;
const TITLE_LIMIT = 200;

/** One message with all files, the caption and a line for each file that cannot be shown. */
export async function sendUploads(
  client: webApi.WebClient,
  delivery: Delivery,
  content: Uploads,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const uploaded: { id: string; title: string }[] = [];
  const lines = [content.caption];
  for (const file of content.files) {
    const loaded = await file.load(signal);
    if (loaded.kind === "later") return { kind: "retry", afterMs: 1000, error: loaded.error };
    if (loaded.kind === "line") {
      lines.push(loaded.text);
      continue;
    }
    const upload = await uploadFile(client, loaded, signal);
    if (typeof upload !== "string" && isWorthAnotherTry(upload, content)) return upload;
    if (typeof upload === "string") uploaded.push({ id: upload, title: titleOf(loaded) });
    else lines.push(file.notShown);
    await delivery.onStep();
  }
  const [first, ...others] = uploaded;
  if (!first) return postLines(client, delivery, lines);
  const shared = await share(client, delivery, { files: [first, ...others], lines });
  if (shared.kind === "sent" || shared.kind === "uncertain") return shared;
  if (isWorthAnotherTry(shared, content)) return shared;
  return postLines(client, delivery, [content.caption, ...content.files.map((f) => f.notShown)]);
}

/** What is missing is nothing that time heals, or it would take too long. */
function isWorthAnotherTry(failure: DeliveryResult, { patient }: Uploads): boolean {
  return patient && failure.kind === "retry" && failure.afterMs <= PATIENCE_MS;
}

/** The id of a file that nobody sees yet, or why there is none. */
async function uploadFile(
  client: webApi.WebClient,
  loaded: LoadedBytes,
  signal: AbortSignal,
): Promise<string | DeliveryResult> {
  try {
    const filename = titleOf(loaded);
    const length = loaded.bytes.byteLength;
    const ticket = await client.files.getUploadURLExternal({ filename, length });
    const url = URL.canParse(ticket.upload_url ?? "") ? new URL(ticket.upload_url ?? "") : null;
    if (!url || !ticket.file_id || !isOwnHost(client)(url))
      return { kind: "refused", error: "Slack named no place of its own for the file" };
    const isTaken = await putBytes(url, loaded.bytes, signal);
    return isTaken ? ticket.file_id : { kind: "retry", afterMs: 1000, error: "the upload failed" };
  } catch (error) {
    const failure = toDeliveryResult(error);
    // nobody sees a file before it is shared: a lost answer harms nothing
    return failure.kind === "uncertain" ? { ...failure, kind: "retry", afterMs: 1000 } : failure;
  }
}

async function putBytes(
  url: URL,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_LIMIT_MS)]),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false; // the address is a secret, and what fetch throws may tell it
  }
}

async function share(
  client: webApi.WebClient,
  { chatId, threadId, onPart }: Delivery,
  { files, lines }: { files: [File, ...File[]]; lines: string[] },
): Promise<DeliveryResult> {
  const caption = textOf(lines);
  const blocks = caption === "" ? {} : { blocks: [wordsBlock(caption, { links: false })] };
  const common = { files, channel_id: chatId, ...blocks };
  try {
    await client.files.completeUploadExternal(
      threadId === null ? common : { ...common, thread_ts: threadId },
    );
    // Slack does not tell the message's ts here; the file's id stands for it
    await onPart(files[0].id, true);
    return { kind: "sent" };
  } catch (error) {
    return toDeliveryResult(error);
  }
}

interface File {
  id: string;
  title: string;
}

async function postLines(
  client: webApi.WebClient,
  delivery: Delivery,
  lines: string[],
): Promise<DeliveryResult> {
  const caption = textOf(lines) || "—";
  const blocks = [wordsBlock(caption, { links: false })];
  const sent = await postPart(client, delivery, { text: escapeSlack(caption), blocks, index: 0 });
  if (typeof sent !== "string") return sent;
  await delivery.onPart(sent, true);
  return { kind: "sent" };
}

function textOf(lines: readonly string[]): string {
  const text = lines
    .map((line) => plainLine(line))
    .filter((line) => line !== "")
    .join("\n");
  return splitText(text, TEXT_LIMIT, escapedCost)[0] ?? "";
}

function titleOf({ name }: LoadedBytes): string {
  return plainLine(name, TITLE_LIMIT) || "file";
}
