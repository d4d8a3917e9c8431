import type { ChatModel } from "../../domain/chat-model.ts";
import { createChatClient } from "../chat-client.ts";
import { masking, maskOf } from "../key-mask.ts";
import type { ModelEntry } from "./models-file.ts";
import type { BrokerParts } from "./parts.ts";

export type Clients = (entry: ModelEntry, key: string) => ChatModel;

const MOST_KEYS = 500;

/** Keeps clients, because each learns what its endpoint demands; those of an old entry are let go. */
export function createClients(parts: Pick<BrokerParts, "openClient" | "realNow">): Clients {
  const open = parts.openClient ?? ((entry, key) => openClient(entry, key, parts.realNow));
  const byEntry = new WeakMap<ModelEntry, Map<string, ChatModel>>();
  return (entry, key) => {
    const byKey = byEntry.get(entry) ?? new Map<string, ChatModel>();
    byEntry.set(entry, byKey);
    const client = byKey.get(key) ?? masking(open(entry, key), maskOf(key));
    // the one that was asked last stands last
    byKey.delete(key);
    byKey.set(key, client);
    const [oldest] = byKey.keys();
    if (byKey.size > MOST_KEYS && oldest !== undefined) byKey.delete(oldest);
    return client;
  };
}

function openClient(entry: ModelEntry, apiKey: string, realNow: () => number): ChatModel {
  const { name, baseUrl, model, params } = entry;
  return createChatClient({ provider: name, baseUrl, apiKey, model, params, realNow });
}
