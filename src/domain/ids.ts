import { randomFillSync } from "node:crypto";

/** A UUID of version 7: unique everywhere, and rows made later in a process sort later. */
export function newId(nowMs: number = Date.now()): string {
  advance(nowMs);
  const bytes = Buffer.allocUnsafe(16);
  nextRandom().copy(bytes, 8);
  bytes.writeUIntBE(last.ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | last.count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** Asking the system for each id alone costs more than the rest of it. */
const pool = Buffer.alloc(2_048);
const RANDOM_BYTES = 8;
let used = pool.length;

function nextRandom(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return pool.subarray(used - RANDOM_BYTES, used);
}

/** Within a millisecond the twelve bits after the version count: rows keep the order they got. */
const last = { ms: 0, count: 0 };
const MOST_IN_A_MILLISECOND = 0xfff;

function advance(nowMs: number): void {
  if (nowMs > last.ms) Object.assign(last, { ms: nowMs, count: 0 });
  else if (last.count < MOST_IN_A_MILLISECOND) last.count += 1;
  else Object.assign(last, { ms: last.ms + 1, count: 0 });
}
