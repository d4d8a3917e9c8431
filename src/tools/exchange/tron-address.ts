import { createHash } from "node:crypto";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const HEX41 = /^41[0-9a-f]{40}$/;
/** Prefix, 20 bytes, 4 bytes of checksum: always 34 characters that begin with T. */
const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const PAYLOAD_HEX = 42;

/** The official USDT contract on Tron. */
export const USDT_TRC20_CONTRACT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

/**
 * Base58check to hex with the prefix 41, lower case; null for anything whose checksum fails,
 * which includes an address typed in another case.
 */
export function decodeTronAddress(address: string): string | null {
  if (!ADDRESS.test(address)) return null;
  let value = 0n;
  for (const char of address) value = value * 58n + BigInt(ALPHABET.indexOf(char));
  const hex = value.toString(16).padStart(PAYLOAD_HEX + 8, "0");
  const payload = hex.slice(0, PAYLOAD_HEX);
  if (!HEX41.test(payload) || hex.slice(PAYLOAD_HEX) !== checksum(payload)) return null;
  return payload;
}

/** Hex with the prefix 41 to base58check. Throws when the text is no such hex. */
export function encodeTronAddress(hex41: string): string {
  const payload = hex41.toLowerCase();
  if (!HEX41.test(payload)) throw new Error("A Tron address is 41 and 40 hex digits");
  let value = BigInt(`0x${payload}${checksum(payload)}`);
  let text = "";
  while (value > 0n) {
    text = ALPHABET.charAt(Number(value % 58n)) + text;
    value /= 58n;
  }
  return text;
}

/** Base58check with its sum and prefix; says nothing of whether the address is in use. */
export function isTronAddress(text: string): boolean {
  return decodeTronAddress(text) !== null;
}

function checksum(payloadHex: string): string {
  const once = createHash("sha256").update(payloadHex, "hex").digest();
  return createHash("sha256").update(once).digest("hex").slice(0, 8);
}
