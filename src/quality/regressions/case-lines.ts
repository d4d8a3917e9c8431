/** A line that should hold a case; `line` counts from 1, blank lines and comments included. */
export type CaseLine =
  | { kind: "json"; line: number; value: unknown }
  | { kind: "broken"; line: number; text: string };

/** Blank lines and lines that begin with # are left out. */
export function readCaseLines(text: string): CaseLine[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((content, index) => ({ content: content.trim(), line: index + 1 }))
    .filter(({ content }) => content !== "" && !content.startsWith("#"))
    .map(({ content, line }) => parseLine(content, line));
}

/** UTF-8, or UTF-16 with its mark, as some shells of Windows write a file. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  return new TextDecoder().decode(bytes);
}

function parseLine(content: string, line: number): CaseLine {
  try {
    return { kind: "json", line, value: JSON.parse(content) };
  } catch {
    return { kind: "broken", line, text: content };
  }
}
