import { createHash } from "node:crypto";
import type { ChatOutcome } from "../../domain/chat-model.ts";
import type { ModelEntry } from "./models-file.ts";

/**
 * Gives the secret of a name, null where there is none. Names are `REF`, or `SCOPE/REF` for the own
 * key of a scope. It is asked on every call: what is slow keeps its answers itself.
 */
export type KeyResolver = (name: string) => string | null | Promise<string | null>;

/** Keys in environment variables; a scope's own key cannot stand there. */
export function environmentKeys(env: Readonly<Record<string, string | undefined>>): KeyResolver {
  return (name) => env[name] || null;
}

/** The first that knows the name. */
export function firstOf(...resolvers: KeyResolver[]): KeyResolver {
  return async (name) => {
    for (const resolve of resolvers) {
      const key = await resolve(name);
      if (key) return key;
    }
    return null;
  };
}

/** What a model is called with. `isOwn`: it is the scope's, not the one that all share. */
export interface FoundKey {
  key: string;
  isOwn: boolean;
}

/** Endpoints without keys get this word: some refuse a request without the header. */
const NO_KEY = "none";

/** The scope's own key first, then the shared one; null: there is none. */
export async function findKey(
  resolve: KeyResolver,
  { apiKeyRef }: ModelEntry,
  scope: string | null,
): Promise<FoundKey | null> {
  if (apiKeyRef === null) return { key: NO_KEY, isOwn: false };
  const own = scope === null ? null : await resolve(`${scope}/${apiKeyRef}`);
  if (own) return { key: own, isOwn: true };
  const shared = await resolve(apiKeyRef);
  return shared ? { key: shared, isOwn: false } : null;
}

/** Who is paid and who is asked: models with the same key stand and fall together. */
export function providerOf(entry: ModelEntry, key: string): string {
  return entry.apiKeyRef === null ? `url:${entry.baseUrl}` : `key:${fingerprintOf(key)}`;
}

/** Tells keys apart without telling what they are. */
function fingerprintOf(key: string): string {
  return createHash("sha256").update("countersign broker\0").update(key).digest("hex").slice(0, 16);
}

const SHORTEST_HIDDEN = 6;

/** Some endpoints repeat the key that they refuse. */
export function withoutKey(outcome: ChatOutcome, key: string): ChatOutcome {
  if (outcome.kind !== "failed" || key.length < SHORTEST_HIDDEN) return outcome;
  return { ...outcome, error: outcome.error.replaceAll(key, "[key]") };
}
