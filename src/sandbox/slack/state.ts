import type { Stamp } from "./stamp.ts";

export interface User {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
}

/** A direct channel has a `user` and no name. */
export interface Channel {
  id: string;
  name: string;
  isIm: boolean;
  isArchived?: boolean;
  /** The person of a direct channel. */
  user?: string;
  members: Set<string>;
}

/** `size` may be another than that of the bytes, to play a file that is too big. */
export interface StoredFile {
  id: string;
  name: string;
  mimetype: string;
  size: number;
  /** Name of the bytes in the world's folder. */
  sha256: string;
}

/** Announced by the bot, and shown to nobody before it is completed. */
export interface OpenUpload {
  /** The secret part of the address that takes the bytes. */
  ticket: string;
  filename: string;
  length: number;
  stored?: Omit<StoredFile, "id">;
}

/** Never changed in place: an edit puts a new object, so payloads may keep the old one. */
export interface Message {
  ts: string;
  channel: string;
  user: string;
  isBot: boolean;
  /** Escaped, as Slack stores it. */
  text: string;
  blocks?: readonly Json[];
  threadTs?: string;
  metadata?: Json;
  files: readonly StoredFile[];
  editedTs?: string;
  /** Only this person sees it, and the API does not list it. */
  ephemeralFor?: string;
  reactions: readonly Reaction[];
  /** Every set of blocks it ever had: a click may come from an old screen. */
  versions: readonly (readonly Json[])[];
  deleted: boolean;
}

export interface Reaction {
  name: string;
  users: readonly string[];
}

/** Payloads of the platform, as they are on the wire. */
export type Json = { [key: string]: unknown };

/** A modal on somebody's screen. `hash` changes with its content. */
export interface View {
  id: string;
  user: string;
  /** What the bot sent: title, blocks, callback_id, private_metadata … */
  content: Json;
  hash: string;
  rootId: string;
  previousId: string | null;
  open: boolean;
  /** By block_id, from the last refused submission. */
  errors: Record<string, string>;
}

/** A response_url: five uses within thirty minutes. */
export interface Hook {
  id: string;
  kind: "actions" | "commands";
  channel: string;
  user: string;
  /** The message whose button was pressed. */
  messageTs?: string;
  /** Played time, milliseconds. */
  issuedAt: number;
  uses: number;
}

export type EnvelopeType = "events_api" | "interactive" | "slash_commands";

/** Something the bot has to take and has not acknowledged. */
export interface Envelope {
  key: string;
  type: EnvelopeType;
  /** What `waiting` calls it. */
  title: string;
  eventId?: string;
  viewId?: string;
  hookId?: string;
  /** Addresses in it stand as `ORIGIN`. */
  payload: Json;
  /** Tries begun; the ids they had. */
  attempts: number;
  ids: readonly string[];
  /** Redelivered by hand: counts as a later try from its first delivery on. */
  firstAttempt: number;
}

/** Where the app takes everything over HTTP instead of a socket. */
export interface RequestUrl {
  url: string;
  signingSecret: string;
}

/** What the workspace's owner has allowed the app. */
export interface Installation {
  revoked: boolean;
  scopes: readonly string[];
}

/** All of the played workspace; only folds change it. */
export interface SlackState {
  installation: Installation;
  users: Map<string, User>;
  channels: Map<string, Channel>;
  /** By `channel/ts`, in order of time. */
  messages: Map<string, Message>;
  views: Map<string, View>;
  /** By trigger id; `usedUp` once a view was opened with it. */
  triggers: Map<string, { user: string; viewId?: string; usedUp: boolean }>;
  hooks: Map<string, Hook>;
  files: Map<string, StoredFile>;
  /** By the id that the file will have. */
  uploads: Map<string, OpenUpload>;
  envelopes: Map<string, Envelope>;
  /** Every event ever sent, by event_id, to send again. */
  events: Map<string, Pick<Envelope, "title" | "payload">>;
  requestUrl?: RequestUrl;
  latest: Stamp;
}

/** Also deleted and private ones. */
export function findMessage(state: SlackState, channel: string, ts: string): Message | undefined {
  return state.messages.get(`${channel}/${ts}`);
}

/** A message that is still there and that everyone in the channel sees. */
export function liveMessage(state: SlackState, channel: string, ts: string): Message | undefined {
  const message = findMessage(state, channel, ts);
  return message && !message.deleted && message.ephemeralFor === undefined ? message : undefined;
}

/** Puts it in its place by channel and `ts`; a map keeps the order of the first time. */
export function putMessage(state: SlackState, message: Message): void {
  state.messages.set(`${message.channel}/${message.ts}`, message);
}

/** Oldest first, threads and private ones among them. */
export function channelMessages(state: SlackState, channel: string): Message[] {
  return [...state.messages.values()].filter((m) => m.channel === channel && !m.deleted);
}
