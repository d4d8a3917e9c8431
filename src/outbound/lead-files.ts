import type { Media } from "../domain/inbound.ts";
import { LARGEST_FILE_BYTES } from "../domain/inbound.ts";
import type { Language } from "../domain/language.ts";
import type {
  Delivery,
  Download,
  LeadFile,
  LoadedFile,
  Messenger,
  Outgoing,
  UploadFile,
} from "../domain/messenger.ts";
import { type Db, withTenant } from "../store/db.ts";
import type { ClaimedRow } from "../store/outbox-claim.ts";
import { tenantById } from "../store/tenants.ts";

interface FilesContext {
  db: Db;
  messengers: ReadonlyMap<string, Messenger>;
}

/** After so many attempts the card is worth more than a file: it is said what is missing. */
const PATIENT_ATTEMPTS = 3;

/** How the files of a lead get into the row's chat: copied where that can be, else carried over. */
export async function readyFiles(
  { db, messengers }: FilesContext,
  messenger: Messenger,
  row: ClaimedRow,
  { files, caption }: Extract<Outgoing, { kind: "files" }>,
): Promise<Delivery["content"]> {
  const language = await withTenant(db, row.tenantId, async (tx) => {
    return (await tenantById(tx, row.tenantId))?.language ?? "en";
  });
  const texts = TEXTS[language];
  const from = files[0];
  const isOneChat = files.every((file) => file.chatId === from?.chatId);
  const isOwn = files.every((file) => file.channelId === row.channelId);
  if (from && messenger.canCopy && isOneChat && isOwn) {
    const messageIds = [...new Set(files.map((file) => file.messageId))];
    return { kind: "copies", fromChatId: from.chatId, messageIds, notShown: texts.notCopied };
  }
  const patient = row.attempts < PATIENT_ATTEMPTS;
  const uploads = files.map((file) =>
    uploadOf(file, { source: messengers.get(file.channelId), patient, language }),
  );
  return { kind: "uploads", caption: `${texts.filesOf} ${caption}`, files: uploads, patient };
}

function uploadOf(
  { media }: LeadFile,
  by: { source: Messenger | undefined; patient: boolean; language: Language },
): UploadFile {
  const texts = TEXTS[by.language];
  const lookThere = `${describe(media, by.language)}: ${texts.notShown}`;
  return {
    media,
    notShown: lookThere,
    async load(signal) {
      if ((media.sizeBytes ?? 0) > LARGEST_FILE_BYTES) return tooBig(media, by.language);
      const download = (await by.source?.download?.(media, signal)) ?? NO_SOURCE;
      return loadedOf(download, { media, lookThere, ...by });
    },
  };
}

const NO_SOURCE: Download = { kind: "gone", error: "its messenger is not connected here" };

function loadedOf(
  download: Download,
  about: { media: Media; lookThere: string; patient: boolean; language: Language },
): LoadedFile {
  switch (download.kind) {
    case "file":
      return download;
    case "too_big":
      return tooBig(about.media, about.language);
    case "later":
      return about.patient ? download : { kind: "line", text: about.lookThere };
    case "gone":
      return { kind: "line", text: about.lookThere };
    default:
      return download satisfies never;
  }
}

function tooBig(media: Media, language: Language): LoadedFile {
  return { kind: "line", text: `${describe(media, language)}: ${TEXTS[language].tooBig}` };
}

/** `document "passport.pdf" (34.0 MB)`. */
function describe({ kind, fileName, sizeBytes }: Media, language: Language): string {
  const texts = TEXTS[language];
  const words = [texts.kinds[kind] ?? texts.kinds.document];
  if (fileName) words.push(`"${fileName}"`);
  if (sizeBytes !== undefined) words.push(`(${sizeText(sizeBytes, texts)})`);
  return words.join(" ");
}

function sizeText(bytes: number, texts: (typeof TEXTS)[Language]): string {
  const megabytes = bytes / 1024 / 1024;
  if (megabytes >= 0.1) return `${megabytes.toFixed(1)} ${texts.megabytes}`;
  return `${Math.ceil(bytes / 1024)} ${texts.kilobytes}`;
}

const TEXTS = {
  en: {
    filesOf: "Files for the card below, from",
    tooBig: "too large to be shown here (over 20 MB); ask the client for a smaller file",
    notShown: "cannot be shown here; look in the client's chat",
    notCopied: "Not all of the client's files can be shown here; look in the client's chat",
    megabytes: "MB",
    kilobytes: "KB",
    kinds: {
      photo: "photo",
      document: "document",
      video: "video",
      video_note: "round video",
      voice: "voice message",
      audio: "audio",
    } as Record<string, string> & { document: string },
  },
  ru: {
    filesOf: "Файлы к карточке ниже, прислал клиент",
    tooBig: "слишком большой файл (больше 20 МБ); попросите у клиента файл поменьше",
    notShown: "здесь не показать; посмотрите в чате клиента",
    notCopied: "Здесь показаны не все файлы клиента; посмотрите в чате клиента",
    megabytes: "МБ",
    kilobytes: "КБ",
    kinds: {
      photo: "фото",
      document: "документ",
      video: "видео",
      video_note: "кружок",
      voice: "голосовое",
      audio: "аудио",
    } as Record<string, string> & { document: string },
  },
} as const satisfies Record<Language, unknown>;
