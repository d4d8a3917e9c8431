import { get } from "./api.js";
import { coalesced } from "./live.js";
import { messageOfSlack, messageOfTelegram } from "./messages.js";
import { loadPeople } from "./people.js";

/** A chat of either messenger, as one word. */
export function placeOf(messenger, id) {
  return `${messenger}:${id}`;
}

/** @returns {{ messenger: string, id: string }} */
export function splitPlace(place) {
  const at = place.indexOf(":");
  return { messenger: place.slice(0, at), id: place.slice(at + 1) };
}

/**
 * What the played chats hold. Only those that somebody watches are read, again after each event
 * that speaks of them.
 */
export function createWorld() {
  /** @type {Map<string, { messages: any[], topics: any[], watchers: Set<Function>, read(): void }>} */
  const places = new Map();
  /** Telegram's chats that were ever written in: a client who has not written yet has none. */
  const opened = new Set();
  const listeners = new Set();
  const world = {
    /** Telegram's chats and Slack's channels. */
    chats: [],
    channels: [],
    messages: (place) => places.get(place)?.messages ?? [],
    topics: (place) => places.get(place)?.topics ?? [],
    /** Calls the watcher with each change. Returns the way to stop. */
    watch(place, watcher) {
      const entry = open(place);
      entry.watchers.add(watcher);
      if (entry.messages.length > 0) watcher();
      entry.read();
      return () => entry.watchers.delete(watcher);
    },
    /** Hears every event, and `{kind: "loaded"}` when the lists of chats have changed. */
    onEvent(listener) {
      listeners.add(listener);
    },
    take(event) {
      if (event.kind === "world.reset") opened.clear();
      if (event.kind === "telegram.chat") opened.add(String(event.data.chat.id));
      const place = placeOfEvent(event);
      if (place !== undefined && places.has(place)) places.get(place)?.read();
      if (event.kind === "world.reset") readAll();
      if (LISTS.test(event.kind)) readLists();
      tell(event);
    },
    readLists: readListsNow,
  };
  const readLists = coalesced(readListsNow);
  return world;

  function open(place) {
    const known = places.get(place);
    if (known) return known;
    const entry = { messages: [], topics: [], watchers: new Set(), read: () => {} };
    entry.read = coalesced(async () => {
      if (entry.watchers.size === 0) return;
      Object.assign(entry, await readPlace(place, opened));
      for (const watcher of [...entry.watchers]) watcher();
    });
    places.set(place, entry);
    return entry;
  }

  function readAll() {
    for (const entry of places.values()) entry.read();
    readLists();
  }

  async function readListsNow() {
    const [chats, channels] = await Promise.all([
      get("/telegram/chats"),
      get("/slack/channels"),
      loadPeople(),
    ]);
    Object.assign(world, { chats, channels });
    for (const { id } of chats) opened.add(String(id));
    tell({ kind: "loaded" });
  }

  function tell(event) {
    for (const listener of [...listeners]) listener(event);
  }
}

const LISTS =
  /^(telegram\.(user|chat|migrated)|slack\.(direct_opened|channel_joined)|world\.reset)$/;

const EMPTY = { messages: [], topics: [] };

async function readPlace(place, opened) {
  const { messenger, id } = splitPlace(place);
  if (messenger === "slack") {
    const messages = await get(`/slack/channels/${id}/messages`);
    return { messages: messages.map(messageOfSlack), topics: [] };
  }
  if (!opened.has(id)) return EMPTY;
  const [messages, topics] = await Promise.all([
    get(`/telegram/chats/${id}/messages`),
    get(`/telegram/chats/${id}/topics`),
  ]);
  return { messages: messages.map(messageOfTelegram), topics };
}

/** The chat that an event of the journal speaks of. */
export function placeOfEvent({ kind, data }) {
  if (kind.startsWith("telegram.")) {
    const id = data.message?.chat.id ?? data.chatId;
    return id === undefined ? undefined : placeOf("telegram", id);
  }
  const isSlack = kind.startsWith("slack.") && typeof data.channel === "string";
  return isSlack ? placeOf("slack", data.channel) : undefined;
}
