import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { canonicalJson, type Json } from "./json.ts";

declare const verified: unique symbol;

/**
 * A row that the product wrote: its keyed hash held when it was read. Only a `RowKey` makes one; a
 * copy of it, also one with a changed field, is none at run time.
 */
export type Verified<Row> = Row & { readonly [verified]: true };

const genuine = new WeakSet<object>();

/** For where a look-alike would do harm. */
export function isVerified(row: object): boolean {
  return genuine.has(row);
}

/** Signs what a row means and vouches for rows whose hash holds. The key itself cannot be read. */
export class RowKey {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  /** Hex; equal contents give equal hashes. */
  mac(content: Json): string {
    return this.#hash(content).toString("hex");
  }

  /** The row, frozen and vouched for; null when the hash is not that of the content. */
  verify<Row extends object>(
    row: Row,
    signed: { content: Json; mac: string },
  ): Verified<Row> | null {
    const given = Buffer.from(signed.mac, "hex");
    const wanted = this.#hash(signed.content);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    genuine.add(Object.freeze(row));
    return row as Verified<Row>; // it is now
  }

  #hash(content: Json): Buffer {
    return createHmac("sha256", this.#key).update(canonicalJson(content)).digest();
  }
}
