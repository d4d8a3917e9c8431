import { z } from "zod";
import { mimeOf } from "../mime-types.ts";
import type { TelegramCore } from "./core.ts";
import { makeJpeg, makeMp4, makeOgg, makePdf } from "./default-media.ts";
import type { TelegramMessage } from "./events.ts";
import type { TelegramUser } from "./identity.ts";
import { fileFields } from "./methods-send.ts";
import { type NewFile, storeFile } from "./uploads.ts";

const bytesSchema = z.strictObject({
  base64: z.base64().optional(),
  /** Claims another size than the bytes have, to play a file that is too big to fetch. */
  file_size: z.int().min(0).optional(),
});
const mediaSchema = z.union([z.literal(true).transform(() => ({})), bytesSchema]);

/** What a person's message may hold besides text. */
export const contentSchema = z.strictObject({
  photo: mediaSchema.optional(),
  video_note: mediaSchema.optional(),
  voice: mediaSchema.optional(),
  document: bytesSchema
    .extend({
      file_name: z.string().min(1).default("document.pdf"),
      mime_type: z.string().optional(),
    })
    .optional(),
  contact: z
    .strictObject({
      phone_number: z.string().min(1),
      user_id: z.int().optional(),
      first_name: z.string().optional(),
      last_name: z.string().optional(),
    })
    .optional(),
});
export type PersonContent = z.infer<typeof contentSchema>;

/** Stores the files and gives the fields of the message. */
export function playContent(
  core: TelegramCore,
  content: PersonContent,
  user: TelegramUser,
): Partial<TelegramMessage> {
  const { photo, document, contact } = content;
  if (photo) return playPhoto(core, photo);
  if (content.video_note) {
    const bytes = bytesOf(content.video_note, makeMp4);
    return play(core, {
      kind: "video_note",
      mimeType: "video/mp4",
      width: 240,
      height: 240,
      ...bytes,
    });
  }
  if (content.voice) {
    const bytes = bytesOf(content.voice, makeOgg);
    return play(core, { kind: "voice", mimeType: "audio/ogg", ...bytes });
  }
  if (document) {
    const { file_name: fileName } = document;
    const mimeType = document.mime_type ?? mimeOf(fileName);
    const bytes = bytesOf(document, makePdf);
    return play(core, { kind: "document", mimeType, fileName, ...bytes });
  }
  return contact ? { contact: { first_name: user.first_name, ...contact } } : {};
}

/** Sizes come in ascending order; the last one is the picture that was sent. */
function playPhoto(core: TelegramCore, photo: z.infer<typeof mediaSchema>) {
  const image = { kind: "photo", mimeType: "image/jpeg" } as const;
  const small = { ...image, width: 96, height: 64, bytes: makeJpeg(96, 64) };
  const large = { ...image, width: 320, height: 240, ...bytesOf(photo, () => makeJpeg(320, 240)) };
  const sizes = [small, large].flatMap((size) => play(core, size).photo);
  return { photo: sizes };
}

function play(core: TelegramCore, file: NewFile): Partial<TelegramMessage> {
  return fileFields(storeFile(core, file));
}

function bytesOf(
  media: { base64?: string | undefined; file_size?: number | undefined },
  makeDefault: () => Buffer,
): Pick<NewFile, "bytes" | "size"> {
  const bytes = media.base64 === undefined ? makeDefault() : Buffer.from(media.base64, "base64");
  return media.file_size === undefined ? { bytes } : { bytes, size: media.file_size };
}
