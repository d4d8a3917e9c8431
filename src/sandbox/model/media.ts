/** Marks as the prompt has them: `[photo]`, `[document: a.pdf, too large to be opened]`. */
const MARK = /\[([a-z_]+)(?:[:,][^\]]*)?\]/gi;
const EMPTY = "[empty message]";
const TOO_LARGE = /, too large to be opened\]$/;
const FILES = ["photo", "document", "video", "video_note"];
/** They say something about the text and stand for nothing that was sent. */
const NO_MEDIA = ["forwarded", "cut"];

/** Kinds of files of one text, by what can be done with them. */
export interface SentMedia {
  media: string[];
  wordless: string[];
  hasTooLarge: boolean;
}

/** Sorted by what can be done with it: a sticker is no document, and a file of 30 MB no receipt. */
export function readMedia(text: string): SentMedia {
  const marks = [...text.matchAll(MARK)]
    .map(([mark, kind = ""]) => ({ kind: kind.toLowerCase(), isTooLarge: TOO_LARGE.test(mark) }))
    .filter(({ kind }) => !NO_MEDIA.includes(kind));
  const empty = text.includes(EMPTY) ? ["empty"] : [];
  const files = marks.filter(({ kind }) => FILES.includes(kind));
  return {
    media: files.filter((file) => !file.isTooLarge).map(({ kind }) => kind),
    wordless: [...marks.map(({ kind }) => kind).filter((kind) => !FILES.includes(kind)), ...empty],
    hasTooLarge: files.some((file) => file.isTooLarge),
  };
}

/** What the lead wrote, without what the prompt says of files. */
export function withoutMarks(text: string): string {
  return text.replaceAll(EMPTY, " ").replace(MARK, " ").trim();
}
