import { createHash } from "node:crypto";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const PREFIX = 0x41;

/** `41` and 20 bytes in hex, from a base58check address with a right checksum; else undefined. */
export function tronHex(address: string): string | undefined {
  const bytes = decodeBase58(address);
  if (bytes?.length !== 25 || bytes[0] !== PREFIX) return undefined;
  const payload = bytes.subarray(0, 21);
  if (!checksum(payload).equals(bytes.subarray(21))) return undefined;
  return payload.toString("hex");
}

/** The base58check address of `41` and 20 bytes in hex. */
export function tronAddress(hex: string): string {
  const payload = Buffer.from(hex, "hex");
  return encodeBase58(Buffer.concat([payload, checksum(payload)]));
}

/**
 * Any text as an address, for playing wrong ones: a valid base58check or hex address is itself,
 * 25 bytes with a broken checksum keep their 20 bytes, other text names an address of its own.
 */
export function playedHex(text: string): string {
  const valid = tronHex(text);
  if (valid) return valid;
  const hex = /^(?:0x|41)?([0-9a-f]{40})$/i.exec(text)?.[1];
  if (hex) return `41${hex.toLowerCase()}`;
  const bytes = decodeBase58(text);
  if (bytes?.length === 25) return `41${bytes.subarray(1, 21).toString("hex")}`;
  return `41${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

function checksum(payload: Buffer): Buffer {
  const once = createHash("sha256").update(payload).digest();
  return createHash("sha256").update(once).digest().subarray(0, 4);
}

function decodeBase58(text: string): Buffer | undefined {
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex");
}

/** Tron addresses never begin with a zero byte, so leading ones need no care here. */
function encodeBase58(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  while (value > 0n) {
    text = (ALPHABET[Number(value % 58n)] ?? "") + text;
    value /= 58n;
  }
  return text;
}
