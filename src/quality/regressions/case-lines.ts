import { duplicatesIn } from "../../tools/json-scan.ts";
import { pathText } from "./path-text.ts";
import { isObject } from "./record.ts";

/**
 * A line that should hold a case; `line` counts from 1, blank lines and comments included.
 * `twice`: paths of fields that stand there more than once, of which parsers keep only the last.
 */
export type CaseLine =
  | { kind: "json"; line: number; value: unknown; twice?: string[] }
  | { kind: "broken"; line: number; text: string };

/** Which lines of a file are wanted, as the bot's export would choose. null: all. */
export interface Choice {
  status: string | null;
  limit: number | null;
}

/** Blank lines and lines that begin with # are left out. */
export function readCaseLines(text: string): CaseLine[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((content, index) => ({ content: content.trim(), line: index + 1 }))
    .filter(({ content }) => content !== "" && !content.startsWith("#"))
    .map(({ content, line }) => parseLine(content, line));
}

/** A line without a status that can be read is kept: it has to fail. */
export function chooseLines(lines: readonly CaseLine[], { status, limit }: Choice): CaseLine[] {
  const other = status === "active" ? "archived" : status === "archived" ? "active" : null;
  const wanted = lines.filter((line) => other === null || statusOf(line) !== other);
  return wanted.slice(0, limit ?? wanted.length);
}

/** UTF-8, or UTF-16 with its mark, as some shells of Windows write a file. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  return new TextDecoder().decode(bytes);
}

function parseLine(content: string, line: number): CaseLine {
  try {
    const value: unknown = JSON.parse(content);
    const twice = [...new Set([...duplicatesIn(content)].map(pathText))];
    return { kind: "json", line, value, ...(twice.length > 0 ? { twice } : {}) };
  } catch {
    return { kind: "broken", line, text: content };
  }
}

function statusOf(line: CaseLine): unknown {
  return line.kind === "json" && isObject(line.value) ? line.value.status : undefined;
}
