import type { FormattedText } from "./clean-text.ts";
import type { TelegramCore } from "./core.ts";
import { badRequest } from "./errors.ts";
import type { StoredFile, TelegramMessage } from "./events.ts";
import { readCaption, readMessageText } from "./formatted-text.ts";
import type { MethodCall, Methods } from "./methods.ts";
import { isRecord, type Params } from "./params.ts";
import { type ReplyMarkup, readReplyMarkup } from "./reply-markup.ts";
import { requireChat, startMessage } from "./send-target.ts";
import { readInputFile } from "./uploads.ts";

/** Everything that makes a new message of the bot. */
export function sendMethods(core: TelegramCore): Methods {
  return {
    table: {
      sendmessage: ({ params }) => sendMessage(core, params),
      sendphoto: ({ params }) => sendFile(core, params, "photo"),
      senddocument: ({ params }) => sendFile(core, params, "document"),
      sendvideo: ({ params }) => sendFile(core, params, "video"),
      sendvideonote: ({ params }) => sendFile(core, params, "video_note"),
      sendvoice: ({ params }) => sendFile(core, params, "voice"),
      sendchataction: ({ params }: MethodCall) => {
        const chat = requireChat(core, params);
        const action = params.text("action") ?? "";
        if (!ACTIONS.test(action)) throw badRequest("wrong parameter action in request");
        core.emit("action", { chatId: chat.chat.id, action });
        return true;
      },
    },
  };
}

const ACTIONS =
  /^(typing|upload_photo|(record|upload)_(video|voice|video_note)|upload_document|choose_sticker|find_location)$/;

function sendMessage(core: TelegramCore, params: Params): TelegramMessage {
  const text = readMessageText(params);
  const markup = readReplyMarkup(params);
  const chat = requireChat(core, params);
  const preview = params.json("link_preview_options");
  return store(core, markup, {
    ...startMessage(core, chat, params),
    ...textFields(text),
    ...(isRecord(preview) ? { link_preview_options: preview } : {}),
  });
}

async function sendFile(core: TelegramCore, params: Params, kind: StoredFile["kind"]) {
  const caption = kind === "video_note" ? undefined : readCaption(params);
  const markup = readReplyMarkup(params);
  const chat = requireChat(core, params);
  const file = await readInputFile(core, params, kind);
  // the upload took time: number and date are those of the moment it was done
  return store(core, markup, {
    ...startMessage(core, chat, params),
    ...fileFields(file),
    ...captionFields(caption),
  });
}

export function textFields({ text, entities }: FormattedText): Partial<TelegramMessage> {
  return entities.length === 0 ? { text } : { text, entities };
}

export function captionFields(caption: FormattedText | undefined): Partial<TelegramMessage> {
  if (!caption) return {};
  const { text, entities } = caption;
  return entities.length === 0 ? { caption: text } : { caption: text, caption_entities: entities };
}

/** How a file shows in a Message. */
export function fileFields(file: StoredFile): Partial<TelegramMessage> {
  const { kind, width = 320, height = 320 } = file;
  const shown = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.size };
  const mime = { mime_type: file.mimeType };
  switch (kind) {
    case "photo":
      return { photo: [{ ...shown, width, height }] };
    case "document":
      return { document: { file_name: file.fileName ?? "file", ...mime, ...shown } };
    case "video_note":
      return { video_note: { duration: 1, length: width, ...shown } };
    case "video":
      return { video: { duration: 1, width, height, ...mime, ...shown } };
    case "voice":
      return { voice: { duration: 1, ...mime, ...shown } };
    default:
      return kind satisfies never;
  }
}

function store(core: TelegramCore, markup: ReplyMarkup, draft: TelegramMessage): TelegramMessage {
  const message = markup.inline ? { ...draft, reply_markup: markup.inline } : draft;
  core.emit("message", { message, ...(markup.other ? { replyMarkup: markup.other } : {}) });
  return message;
}
