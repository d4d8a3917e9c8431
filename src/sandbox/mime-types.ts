/** What a file is by its name, as the platform guesses it. */
export function mimeOf(fileName: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? "";
  return MIME_TYPES[extension] ?? UNKNOWN_TYPE;
}

/** Of a name without an ending that is known. */
export const UNKNOWN_TYPE = "application/octet-stream";

const MIME_TYPES: Record<string, string> = {
  pdf: "application/pdf",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  txt: "text/plain",
  csv: "text/csv",
  json: "application/json",
  mp4: "video/mp4",
  ogg: "audio/ogg",
};
