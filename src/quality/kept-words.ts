import type { Json, JsonObject } from "../domain/json.ts";
import { isDecimal } from "../domain/money.ts";
import { maskCodes } from "../domain/payout-code.ts";
import { maskNumbers } from "../tools/personal-data.ts";
import { withoutSecrets } from "../tools/secret-shapes.ts";

const REMOVED = "[removed]";
/** A figure with fewer digits is a sum or a time. */
const CARD_DIGITS = 15;
/** A shorter code may be a sum where a figure stands alone. */
const LONG_CODE = 6;

/**
 * Words as the quality lab keeps and exports them: without keys, tokens, passwords, pickup codes,
 * card and document numbers. All else that a client or a reviewer wrote stays. Done twice, it is the
 * same; what is expected and what came are compared after it.
 */
export function keptText(text: string, codes: readonly string[] = []): string {
  return maskCodes(maskNumbers(withoutSecrets(text)), codes);
}

/** The same at any depth, also in texts that are JSON themselves. */
export function keptJson(value: Json, codes: readonly string[] = [], name = ""): Json {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return isSecretName(name) ? REMOVED : keptNumber(value);
  if (typeof value === "string") return keptLeaf(value, codes, name);
  if (Array.isArray(value)) return value.map((one) => keptJson(one, codes, name));
  return keptObject(value, codes);
}

export function keptObject(value: JsonObject, codes: readonly string[] = []): JsonObject {
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [withoutSecrets(name), keptJson(one, codes, name)]),
  );
}

function keptNumber(value: number): Json {
  const text = String(value);
  return text.length >= CARD_DIGITS && maskNumbers(text) !== text ? maskNumbers(text) : value;
}

function keptLeaf(text: string, codes: readonly string[], name: string): string {
  if (text !== "" && isSecretName(name)) return REMOVED;
  if (isDecimal(text) && !PROSE.has(name) && !/passport|document/i.test(name)) {
    const long = codes.filter((code) => code.length >= LONG_CODE);
    return maskCodes(text.length >= CARD_DIGITS ? maskNumbers(text) : text, long);
  }
  const inside = objectIn(text);
  if (inside === undefined) return keptText(text, codes);
  const kept = JSON.stringify(keptJson(inside, codes));
  return kept === JSON.stringify(inside) ? text : kept;
}

/** Fields that people write; a figure alone in them may be anything. */
const PROSE = new Set(["content", "note", "title", "behavior", "actionItems"]);
const SECRET_NAME =
  /(?:^|_)(?:password|passwd|passcode|passphrase|secret|api_?key|private_?key|(?:access|auth|bot)_?token|pin|pin_?code|cvv2?|cvc2?|otp|seed(?:_?phrase)?|mnemonic)$/;

function isSecretName(name: string): boolean {
  const snake = name.replace(/([a-z])([A-Z])/g, "$1_$2").replaceAll("-", "_");
  return SECRET_NAME.test(snake.toLowerCase());
}

/** undefined: the text is no list and no object. */
function objectIn(text: string): Json | undefined {
  if (!/^\s{0,100}[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json; // JSON is Json
  } catch {
    return undefined;
  }
}
