import type { Folds } from "./facts.ts";

/** What an owner can take from the bot while it runs. */
export const rightsFolds: Folds = {
  "slack.channel_left": (state, { channel, user }) =>
    void state.channels.get(channel)?.members.delete(user),
  "slack.channel_archived": (state, { channel, archived }) => {
    const found = state.channels.get(channel);
    if (found) found.isArchived = archived;
  },
  "slack.installation_changed": (state, change) => {
    state.installation = { ...state.installation, ...change };
  },
};
