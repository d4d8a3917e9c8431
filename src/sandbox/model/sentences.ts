export interface Sentence {
  text: string;
  /** Of the section that it stands in; empty where there is none. */
  heading: string;
}

interface Block extends Sentence {
  isItem: boolean;
}

const HEADING = /^#+\s+/;
const ITEM = /^(?:[-*•]|\d+[.)])\s+/;
const END = /[.!?:;)»"”]$/;
const SHORTENED =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|approx|max|min|no|vs|т\. ?[дпе]|др|напр|руб|ул|стр|мин|макс)\.$/iu;

/** Whole statements of a Markdown passage in their order; what is torn at its ends stays out. */
export function sentencesOf(text: string): Sentence[] {
  const blocks = blocksOf(text);
  const all = blocks.flatMap((block) =>
    splitBlock(block.text).map((sentence) => ({ ...block, text: sentence })),
  );
  const hasEnds = all.some((sentence) => END.test(sentence.text));
  const isTorn = (sentence: Block, at: number) =>
    !sentence.isItem &&
    ((at === 0 && /^\p{Ll}/u.test(sentence.text) && all.length > 1) ||
      (at === all.length - 1 && hasEnds && !END.test(sentence.text)));
  return all
    .filter((sentence, at) => !isTorn(sentence, at) && !sentence.text.endsWith("?"))
    .map((sentence) => ({ text: sentence.text, heading: sentence.heading }));
}

/** Paragraphs and list items; a wrapped line belongs to the line before it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let isOpen = false;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const last = blocks.at(-1);
    if (line === "" || HEADING.test(line)) {
      if (line !== "") heading = line.replace(HEADING, "");
      isOpen = false;
    } else if (isOpen && last && goesOn(last.text, line)) {
      last.text += ` ${line}`;
    } else {
      blocks.push({ text: line.replace(ITEM, ""), heading, isItem: ITEM.test(line) });
      isOpen = true;
    }
  }
  return blocks;
}

function goesOn(before: string, line: string): boolean {
  return !ITEM.test(line) && (/^\p{Ll}/u.test(line) || before.endsWith(","));
}

function splitBlock(text: string): string[] {
  const sentences: string[] = [];
  for (const piece of text.split(/(?<=[.!?…])\s+(?=[\p{Lu}\p{N}«"(-])/u)) {
    const last = sentences.at(-1);
    if (last !== undefined && SHORTENED.test(last))
      sentences[sentences.length - 1] = `${last} ${piece}`;
    else sentences.push(piece);
  }
  return sentences;
}
