import { createHash } from "node:crypto";
import { NO_KEY } from "../key-mask.ts";
import type { ModelEntry } from "./models-file.ts";

/**
 * Gives the secret of a name, null where there is none. Names are `REF`, or `SCOPE/REF` for the own
 * key of a scope. It is asked on every call: what is slow keeps its answers itself.
 */
export type KeyResolver = (name: string) => string | null | Promise<string | null>;

/** What a model is called with. `isOwn`: it is the scope's, not the one that all share. */
export interface FoundKey {
  key: string;
  isOwn: boolean;
}

/** The scope's own key first, then the shared one; null: there is none. */
export async function findKey(
  resolve: KeyResolver,
  { apiKeyRef }: ModelEntry,
  scope: string | null,
): Promise<FoundKey | null> {
  if (apiKeyRef === null) return { key: NO_KEY, isOwn: false };
  const own = scope === null ? null : asKey(await resolve(`${scope}/${apiKeyRef}`));
  if (own !== null) return { key: own, isOwn: true };
  const shared = asKey(await resolve(apiKeyRef));
  return shared === null ? null : { key: shared, isOwn: false };
}

/** A header carries none of the space around it, so neither may what is looked for in answers. */
export function asKey(text: string | null | undefined): string | null {
  return text?.trim() || null;
}

/** Who is paid and who is asked: models with the same key stand and fall together. */
export function providerOf(entry: ModelEntry, key: string): string {
  return entry.apiKeyRef === null ? `url:${entry.baseUrl}` : `key:${fingerprintOf(key)}`;
}

/** Tells keys apart without telling what they are. */
function fingerprintOf(key: string): string {
  return createHash("sha256").update("countersign broker\0").update(key).digest("hex").slice(0, 16);
}
