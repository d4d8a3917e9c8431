import { createHash } from "node:crypto";

/** Vectors made of hashes: near texts are near, and nothing is meant by it. */
export const EMBEDDING_MODEL = "sandbox-hash";
const DEFAULT_DIMENSIONS = 256;

/**
 * A stand-in for an embedding: words and their three-letter pieces, hashed into a unit vector.
 * Texts that share words are near; meaning it knows nothing of.
 */
export function hashedVector(text: string, dimensions = DEFAULT_DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const feature of features(text)) {
    const digest = createHash("md5").update(feature).digest();
    const slot = digest.readUInt32LE(0) % dimensions;
    vector[slot] = (vector[slot] ?? 0) + ((digest[4] ?? 0) % 2 ? 1 : -1);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Little-endian 32-bit floats, as the API's base64 format has them. */
export function base64Floats(vector: number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}

function features(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll("ё", "е")
      .match(/[\p{L}\d]+/gu) ?? [];
  return words.flatMap((word) => {
    const pieces = [];
    for (let at = 0; at + 3 <= word.length; at += 1) pieces.push(word.slice(at, at + 3));
    return [`=${word}`, ...pieces];
  });
}
