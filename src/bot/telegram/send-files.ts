import { type Api, InputFile } from "grammy";
import type { Media } from "../../domain/inbound.ts";
import type { Delivery, DeliveryResult, LoadedFile } from "../../domain/messenger.ts";
import { plainLine } from "../plain-line.ts";
import type { CallSignal } from "./call-signal.ts";
import { toChatId } from "./chat-id.ts";
import { toDeliveryResult } from "./delivery-error.ts";

type Content<Kind extends Delivery["content"]["kind"]> = Extract<
  Delivery["content"],
  { kind: Kind }
>;

/** What a person shows of a document must not travel on from the operators' chat. */
const PROTECTED = { protect_content: true };
const CAPTION_LIMIT = 1024;
/** Telegram makes no photo of more. */
const PHOTO_LIMIT_BYTES = 10 * 1024 * 1024;

/** One call copies all; words of the lead that stand below a file are left out. */
export async function sendCopies(
  api: Api,
  delivery: Delivery,
  { fromChatId, messageIds, notShown }: Content<"copies">,
  signal: CallSignal,
): Promise<DeliveryResult> {
  // all or none went out in an earlier attempt
  if (delivery.sentParts.length > 0) return { kind: "sent" };
  // an id of ours names a message that was changed since: Telegram has another file there now
  const ids = messageIds.map(Number).filter(Number.isSafeInteger);
  ids.sort((a, b) => a - b);
  const to = toChatId(delivery.chatId);
  const options = { ...PROTECTED, ...threadOf(delivery), remove_caption: true };
  const copied =
    ids.length === 0
      ? []
      : await api
          .copyMessages(to, toChatId(fromChatId), ids, options, signal)
          .then((made) => made.map((message) => String(message.message_id)))
          .catch((error: unknown) => copyFailure(error, delivery));
  if (!Array.isArray(copied)) return copied;
  const isWhole = copied.length === messageIds.length;
  for (const [index, id] of copied.entries())
    await delivery.onPart(id, isWhole && index === copied.length - 1);
  return isWhole ? { kind: "sent" } : sendLine(api, delivery, { text: notShown, signal });
}

/** Messages that are gone in the lead's chat, or that nobody may copy, are said in a line. */
function copyFailure(error: unknown, delivery: Delivery): string[] | DeliveryResult {
  const result = toDeliveryResult(error, delivery.chatId);
  return result.kind === "refused" ? [] : result;
}

/** Files of another account or messenger, one message each; what cannot be shown is a line. */
export async function sendUploads(
  api: Api,
  delivery: Delivery,
  { caption, files }: Content<"uploads">,
  abort: AbortSignal,
): Promise<DeliveryResult> {
  const signal = abort as unknown as CallSignal; // see CallSignal
  for (const [index, file] of files.entries()) {
    if (index < delivery.sentParts.length) continue;
    const loaded = await file.load(abort);
    if (loaded.kind === "later") return { kind: "retry", afterMs: 1000, error: loaded.error };
    await delivery.onStep();
    const upload = { media: file.media, caption: index === 0 ? caption : "", signal };
    const sent =
      loaded.kind === "line"
        ? await sendText(api, delivery, { text: loaded.text, signal })
        : await sendFile(api, delivery, { ...upload, loaded, notShown: file.notShown });
    if (typeof sent !== "string") return sent;
    await delivery.onPart(sent, index === files.length - 1);
  }
  return { kind: "sent" };
}

interface Upload {
  media: Media;
  loaded: Extract<LoadedFile, { kind: "file" }>;
  caption: string;
  notShown: string;
  signal: CallSignal;
}

/** What Telegram does not take as what it is goes as a document; what not even so, as a line. */
async function sendFile(
  api: Api,
  delivery: Delivery,
  upload: Upload,
): Promise<string | DeliveryResult> {
  const shown = await sendAs(api, delivery, { upload, kind: kindOf(upload) });
  if (typeof shown === "string" || shown.kind !== "refused") return shown;
  const whole = await sendAs(api, delivery, { upload, kind: "document" });
  if (typeof whole === "string" || whole.kind !== "refused") return whole;
  return sendText(api, delivery, { text: upload.notShown, signal: upload.signal });
}

function kindOf({ media, loaded }: Upload): Media["kind"] {
  const isTooBig = media.kind === "photo" && loaded.bytes.byteLength > PHOTO_LIMIT_BYTES;
  return isTooBig ? "document" : media.kind;
}

async function sendAs(
  api: Api,
  delivery: Delivery,
  { upload, kind }: { upload: Upload; kind: Media["kind"] },
): Promise<string | DeliveryResult> {
  const { loaded, signal } = upload;
  const chatId = toChatId(delivery.chatId);
  const file = new InputFile(loaded.bytes, plainLine(loaded.name, 100) || "file");
  const caption = plainLine(upload.caption, CAPTION_LIMIT);
  const bare = { ...PROTECTED, ...threadOf(delivery) };
  const options = caption ? { ...bare, caption } : bare;
  try {
    const { message_id: id } = await (() => {
      if (kind === "photo") return api.sendPhoto(chatId, file, options, signal);
      if (kind === "video") return api.sendVideo(chatId, file, options, signal);
      if (kind === "video_note") return api.sendVideoNote(chatId, file, bare, signal);
      return api.sendDocument(chatId, file, options, signal);
    })();
    return String(id);
  } catch (error) {
    return toDeliveryResult(error, delivery.chatId);
  }
}

async function sendLine(
  api: Api,
  delivery: Delivery,
  line: { text: string; signal: CallSignal },
): Promise<DeliveryResult> {
  const sent = await sendText(api, delivery, line);
  if (typeof sent !== "string") return sent;
  await delivery.onPart(sent, true);
  return { kind: "sent" };
}

async function sendText(
  api: Api,
  delivery: Delivery,
  { text, signal }: { text: string; signal: CallSignal },
): Promise<string | DeliveryResult> {
  const options = { ...threadOf(delivery), link_preview_options: { is_disabled: true } };
  try {
    const line = plainLine(text, CAPTION_LIMIT);
    const message = await api.sendMessage(toChatId(delivery.chatId), line, options, signal);
    return String(message.message_id);
  } catch (error) {
    return toDeliveryResult(error, delivery.chatId);
  }
}

function threadOf({ threadId }: Delivery): { message_thread_id?: number } {
  return threadId === null ? {} : { message_thread_id: Number(threadId) };
}
