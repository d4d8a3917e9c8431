/**
 * 64 hex digits that stand alone, with or without 0x. A longer run of digits or letters is no
 * hash with something stuck to it but another thing, and is not cut to size.
 */
const HASH = /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/gi;

/** Every transaction hash named in free text or in a link: lower case, no 0x, each once. */
export function findTxHashes(text: string): string[] {
  const found = [...text.matchAll(HASH)].map((match) => (match[1] ?? "").toLowerCase());
  return [...new Set(found)];
}
