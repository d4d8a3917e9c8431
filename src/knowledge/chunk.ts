/** A passage as it is searched and quoted. */
export interface DocumentChunk {
  /** Titles of the sections around it, outermost first. */
  heading: string[];
  text: string;
}

/** About what one answer needs: longer passages crowd the prompt, shorter ones lose their context. */
const TARGET_LENGTH = 900;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/u;
const FRONT_MATTER = /^---\n[\s\S]*?\n---\n/u;

/** Cuts Markdown or plain text at headings, then paragraphs, then sentences. No overlap. */
export function chunkDocument(document: string, maxLength = TARGET_LENGTH): DocumentChunk[] {
  const text = document
    .replace(/^\ufeff/u, "")
    .replace(/\r\n?/g, "\n")
    .replace(FRONT_MATTER, "");
  return sections(text).flatMap((section) =>
    packed(section.blocks, maxLength).map((piece) => ({ heading: section.heading, text: piece })),
  );
}

interface Section {
  heading: string[];
  blocks: string[];
}

function sections(text: string): Section[] {
  const found: Section[] = [{ heading: [], blocks: [] }];
  const path: { level: number; title: string }[] = [];
  for (const block of blocksOf(text)) {
    const heading = HEADING.exec(block);
    if (heading === null) {
      found.at(-1)?.blocks.push(block);
      continue;
    }
    const level = heading[1]?.length ?? 1;
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, title: heading[2] ?? "" });
    found.push({ heading: path.map((one) => one.title), blocks: [] });
  }
  return found.filter((section) => section.blocks.length > 0);
}

/** Headings and paragraphs; fenced code stays in one piece. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] = [];
  let fenced = false;
  const close = () => {
    if (open.length > 0) blocks.push(open.join("\n").trim());
    open = [];
  };
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/u.test(line)) fenced = !fenced;
    const heading = !fenced && HEADING.test(line);
    if (heading || (!fenced && line.trim() === "")) close();
    if (line.trim() !== "" || fenced) open.push(line.trimEnd());
    if (heading) close();
  }
  close();
  return blocks.filter((block) => block !== "");
}

function packed(blocks: string[], maxLength: number): string[] {
  const pieces = blocks.flatMap((block) => cut(block, maxLength));
  const packs: string[] = [];
  for (const { text, joint } of pieces) {
    const last = packs.at(-1);
    if (last !== undefined && last.length + joint.length + text.length <= maxLength) {
      packs[packs.length - 1] = last + joint + text;
    } else {
      packs.push(text);
    }
  }
  return packs;
}

interface Cut {
  text: string;
  /** What stood between it and the piece before. */
  joint: string;
}

function cut(block: string, maxLength: number): Cut[] {
  if (block.length <= maxLength) return [{ text: block, joint: "\n\n" }];
  return splitSentences(block).flatMap((sentence, index) =>
    slices(sentence, maxLength).map((text, part) => ({
      text,
      joint: index === 0 && part === 0 ? "\n\n" : " ",
    })),
  );
}

/** Sentences and list lines of a text. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…])\s+(?=[\p{Lu}\p{N}«"(-])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function slices(sentence: string, maxLength: number): string[] {
  const found: string[] = [];
  let rest = sentence;
  while (rest.length > maxLength) {
    const blank = rest.lastIndexOf(" ", maxLength);
    const end = blank > 0 ? blank : maxLength;
    found.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...found, rest];
}
