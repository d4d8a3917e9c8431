import type { ChatOptions } from "./chat-options.ts";
import { type CoolingScope, cooldownKeysOf } from "./cooldown.ts";
import { NoModelAvailableError } from "./errors.ts";
import { findKey, providerOf } from "./keys.ts";
import type { ModelEntry } from "./models-file.ts";
import type { BrokerParts } from "./parts.ts";
import type { EndpointRef } from "./state.ts";

/** A model that has a key in this scope. */
export interface Member extends EndpointRef {
  entry: ModelEntry;
  key: string;
  /** Whose key it is: members with the same one stand and fall together. */
  provider: string;
  coolingNames: Record<CoolingScope, string>;
}

/** Who can be asked in a scope at all. */
export interface Roster {
  entries: readonly ModelEntry[];
  members: Member[];
  /** Some of the keys are the scope's own. */
  hasOwnKeys: boolean;
}

export async function rosterOf(parts: BrokerParts, scope: string | null): Promise<Roster> {
  const entries = parts.pool();
  const members: Member[] = [];
  let hasOwnKeys = false;
  for (const entry of entries) {
    if (!entry.enabled) continue;
    const found = await findKey(parts.keys, entry, scope);
    if (!found) continue;
    hasOwnKeys ||= found.isOwn;
    members.push(memberOf(entry, found.key));
  }
  return { entries, members, hasOwnKeys };
}

/** Fingerprints of keys cost more than all else of a roster. */
const known = new WeakMap<ModelEntry, Map<string, Member>>();
const MOST_KNOWN = 500;

function memberOf(entry: ModelEntry, key: string): Member {
  const members = known.get(entry) ?? new Map<string, Member>();
  known.set(entry, members);
  const found = members.get(key);
  if (found) return found;
  if (members.size >= MOST_KNOWN) members.clear();
  const member = newMember(entry, key);
  members.set(key, member);
  return member;
}

function newMember(entry: ModelEntry, key: string): Member {
  const provider = providerOf(entry, key);
  const coolingNames = cooldownKeysOf(entry.name, provider);
  return {
    ...{ name: entry.name, parallel: entry.parallel, cooldownKeys: Object.values(coolingNames) },
    ...{ entry, key, provider, coolingNames },
  };
}

/** Those that this call may ask. Throws when there is none, with the reason. */
export function eligible({ entries, members }: Roster, options: ChatOptions): Member[] {
  if (entries.length === 0) throw new NoModelAvailableError("empty_pool");
  const enabled = entries.filter((entry) => entry.enabled);
  if (enabled.length === 0) throw new NoModelAvailableError("all_disabled");
  const excluded = new Set(options.exclude);
  const wanted = enabled.filter(({ name }) => !excluded.has(name));
  if (wanted.length === 0) throw new NoModelAvailableError("excluded");
  const needsTools = (options.tools?.length ?? 0) > 0;
  const capable = wanted.filter(({ capabilities }) => capabilities.tools || !needsTools);
  if (capable.length === 0) throw new NoModelAvailableError("none_capable");
  const able = new Set(capable);
  const found = members.filter(({ entry }) => able.has(entry));
  if (found.length === 0) throw new NoModelAvailableError("no_keys");
  return found;
}
