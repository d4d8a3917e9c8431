import { createPerson } from "./desk-lead.ts";
import type { Desk, Person, Sent } from "./desk-people.ts";
import type { Played } from "./played-world.ts";

let people = 0;

/** A person whom nobody has seen, in a direct message to the app. */
export function createSlackLead(desk: Desk): Person {
  const { world } = desk;
  people += 1;
  const user = `U0CLIENT${people}`;
  const channel = `D0CLIENT${people}`;
  let hasWritten = false;
  let last = "";
  /** Slack shows what is passed on as an attachment of an empty message. */
  const forward = async (text: string) => {
    const ts = `${Math.floor(Date.now() / 1000)}.${String(people).padStart(6, "0")}`;
    const said = { type: "message", channel, channel_type: "im", user, ts, text: "" };
    const attachments = [{ is_share: true, author_name: "Ann", text }];
    const event = { ...said, event_ts: ts, attachments };
    const team_id = "T0SANDBOX";
    const payload = { type: "event_callback", team_id, event_id: `Ev${user}`, event };
    await world.post("slack/events", payload);
  };
  return createPerson(desk, {
    chatId: channel,
    async write(message) {
      hasWritten = true;
      if (message.forward_origin) return forward(message.text ?? "");
      const sent = await world.post("slack/messages", { channel, user, ...slackMessage(message) });
      last = sent.ts;
    },
    edit: (text) => world.post("slack/edits", { channel, user, ts: last, text }),
    async said() {
      if (!hasWritten) return [];
      const all: Played[] = await world.get(`slack/channels/${channel}/messages`);
      return all
        .filter(({ ephemeral_for }) => !ephemeral_for)
        .map((said) => ({ fromBot: said.user !== user, text: said.text }));
    },
  });
}

/** Slack knows files, not kinds of them. */
function slackMessage(message: Sent) {
  const files = [
    ...(message.photo ? [{ name: "photo.png", mimetype: "image/png" }] : []),
    ...(message.video_note ? [{ name: "video.mp4", mimetype: "video/mp4" }] : []),
    ...(message.voice ? [{ name: "voice.ogg", mimetype: "audio/ogg" }] : []),
    ...(message.document
      ? [{ name: "file.pdf", mimetype: "application/pdf", size: message.document.file_size }]
      : []),
  ];
  const text = message.text ?? message.caption ?? "";
  return { text, ...(files.length > 0 ? { files } : {}) };
}
