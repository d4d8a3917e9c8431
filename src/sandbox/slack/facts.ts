import type { Installation, Json, SlackState, StoredFile } from "./state.ts";

/** What the journal says about this service: kind of the event and its data. */
export interface SlackFacts {
  "slack.message": {
    channel: string;
    user: string;
    text: string;
    isBot?: boolean;
    blocks?: Json[];
    thread_ts?: string;
    metadata?: Json;
    /** With an id when the bot uploaded it before. */
    files?: (Omit<StoredFile, "id"> & { id?: string })[];
    ephemeral_for?: string;
    /** The response_url it came by. */
    hook?: string;
  };
  "slack.message_edited": {
    channel: string;
    ts: string;
    text: string;
    blocks?: Json[];
    metadata?: Json;
    hook?: string;
  };
  "slack.message_deleted": { channel: string; ts: string; hook?: string };
  "slack.reaction": {
    channel: string;
    ts: string;
    user: string;
    name: string;
    removed?: boolean;
  };
  "slack.upload_opened": { filename: string; length: number };
  "slack.upload_received": { id: string; file: Omit<StoredFile, "id"> };
  "slack.upload_completed": { ids: string[] };
  "slack.click": { channel: string; user: string; ts: string; action: Json };
  "slack.command": { channel: string; user: string; command: string; text: string };
  "slack.view_opened": { trigger_id: string; user: string; view: Json; previous?: string };
  "slack.view_updated": { view_id: string; view: Json };
  "slack.view_submitted": { view_id: string; user: string; values: Json };
  "slack.view_closed": { view_id: string; user: string };
  "slack.raw_event": { payload: Json };
  "slack.redelivered": { event_id: string };
  "slack.hook_used": { hook: string };
  /** Without a url: back to Socket Mode. */
  "slack.request_url": { url?: string; signing_secret?: string };
  "slack.direct_opened": { channel: string; user: string };
  "slack.channel_joined": { channel: string; user: string; name?: string };
  "slack.channel_left": { channel: string; user: string };
  "slack.channel_archived": { channel: string; archived: boolean };
  "slack.installation_changed": Partial<Installation>;
  "slack.envelope_sent": { key: string; envelope_id: string; lost?: boolean };
  "slack.envelope_acked": { key: string; payload?: Json };
  "slack.envelope_dropped": { key: string; reason: string };
}

/** Kinds of this service's journal events. */
export type SlackFact = keyof SlackFacts;

/** How the state takes in each kind. */
export type Folds = {
  [K in SlackFact]?: (state: SlackState, fact: SlackFacts[K]) => void;
};
