import { expect, it } from "vitest";
import { clientSays } from "../../src/engine/turn.ts";
import type { TranscriptMessage } from "../../src/store/transcript.ts";

function lead(...texts: string[]) {
  const messages = texts.map(
    (text, seq): TranscriptMessage => ({
      ...{ id: `m${seq}`, seq, author: "lead", kind: "text", text, media: [] },
      ...{ runId: null, createdAt: seq },
    }),
  );
  return { messages, calls: new Map() };
}

it("a photo without a word says nothing", () => {
  expect(clientSays(lead("", "  "))).toBeNull();
});

it("words around a photo stand in one line", () => {
  expect(clientSays(lead("here it is", "", "and the video"))).toBe("here it is / and the video");
});
