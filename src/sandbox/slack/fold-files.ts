import type { Folds } from "./facts.ts";
import { numberedId, opaque } from "./stamp.ts";

/** Uploads on their way from a ticket to a message. */
export const fileFolds: Folds = {
  "slack.upload_opened": (state, { filename, length }) => {
    const { seq } = state.latest;
    const ticket = opaque("upload", seq, 40);
    state.uploads.set(numberedId("F", seq), { ticket, filename, length });
  },
  "slack.upload_received": (state, { id, file }) => {
    const upload = state.uploads.get(id);
    if (!upload) return;
    upload.stored = file;
    state.files.set(id, { id, ...file });
  },
  "slack.upload_completed": (state, { ids }) => {
    for (const id of ids) state.uploads.delete(id);
  },
};
