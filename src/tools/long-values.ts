import type { Language } from "../domain/language.ts";
import type { Card } from "../domain/messenger.ts";
import { digestHead, textDigest } from "../policy/digest.ts";

type Fact = Card["facts"][number];

/** A card must be one message in every messenger, or an edit could not change all of it. */
const LONGEST_VALUE = 700;
const MOST_COST = 3_000;
/** What a card shows of a longer value, and about what it says of the rest. */
const BEGINNING = 60;
const NOTE = 90;
/** Of a whole value in one message. */
const PIECE = 2_500;

/** What a card shows of the material facts: a value that does not fit is begun, and said to be. */
export function shownFacts(material: readonly Fact[], language: Language): Fact[] {
  return split(material).map(({ label, value, isWhole }) => {
    if (isWhole) return { label, value };
    const note = TEXTS[language].cut([...value].length, head(value));
    return { label, value: `${beginningOf(value)}… ${note}` };
  });
}

/** The values that the card only begins, whole, as messages to stand before it. */
export function wholeTexts(
  about: { name: string; material: readonly Fact[] },
  language: Language,
): Card[] {
  const cut = split(about.material).filter(({ isWhole }) => !isWhole);
  return cut.flatMap(({ label, value }) => {
    const pieces = piecesOf(value);
    return pieces.map((piece, index) => ({
      title: `${about.name} · ${label} · ${index + 1}/${pieces.length}`,
      facts: [{ label, value: piece }],
      footer: [TEXTS[language].whole([...value].length, head(value))],
      buttons: [],
    }));
  });
}

/** Every fact has its place; what room is left goes to those that come first. */
function split(material: readonly Fact[]): (Fact & { isWhole: boolean })[] {
  const costs = material.map((fact) => {
    const whole = costOf(fact.label) + costOf(fact.value);
    const begun = costOf(fact.label) + costOf(beginningOf(fact.value)) + NOTE;
    return { whole, least: Math.min(whole, begun) };
  });
  let left = MOST_COST - costs.reduce((sum, { least }) => sum + least, 0);
  return material.map((fact, index) => {
    const { whole = 0, least = 0 } = costs[index] ?? {};
    const isWhole =
      whole === least || (costOf(fact.value) <= LONGEST_VALUE && whole - least <= left);
    if (isWhole) left -= whole - least;
    return { ...fact, isWhole };
  });
}

/** Three characters are written longer in Slack. */
export function costOf(text: string): number {
  const escaped = text.match(/[&<>]/g)?.length ?? 0;
  return [...text].length + 4 * escaped;
}

function beginningOf(value: string): string {
  return [...value].slice(0, BEGINNING).join("");
}

function piecesOf(value: string): string[] {
  const characters = [...value];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += PIECE)
    pieces.push(characters.slice(at, at + PIECE).join(""));
  return pieces;
}

function head(value: string): string {
  return digestHead(textDigest(value));
}

const TEXTS = {
  en: {
    cut: (count: number, digest: string) =>
      `[${count} characters; whole in the messages before the card, digest ${digest}]`,
    whole: (count: number, digest: string) => `${count} characters, digest ${digest}`,
  },
  ru: {
    cut: (count: number, digest: string) =>
      `[${count} зн.; целиком в сообщениях перед карточкой, отпечаток ${digest}]`,
    whole: (count: number, digest: string) => `${count} зн., отпечаток ${digest}`,
  },
} as const satisfies Record<Language, unknown>;
