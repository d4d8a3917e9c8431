import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forEachEngine } from "../support/database.ts";
import { groupsOf, openStory, storyOfActs } from "../support/interleaved-acts.ts";
import { type LiveOffice, openLiveOffice } from "../support/live-office.ts";

/** More: `INTERLEAVINGS_RUNS=500`. One again: `INTERLEAVINGS_SEED` and `INTERLEAVINGS_PATH`. */
const RUNS = numberIn("INTERLEAVINGS_RUNS") ?? 25;
const seed = numberIn("INTERLEAVINGS_SEED");
const path = setting("INTERLEAVINGS_PATH");
/** Finding the shortest story that fails takes as long as many runs. */
const shrinks = setting("INTERLEAVINGS_SHRINK") !== undefined;
const LIMIT_MS = 120_000 + RUNS * 10_000 + (shrinks ? 1_800_000 : 0);

forEachEngine((open) => {
  describe("whatever happens, in whatever order", () => {
    let live: LiveOffice;
    beforeAll(async () => {
      live = await openLiveOffice(open);
    });
    afterAll(() => live?.close());

    it(
      "money leaves once for one approval, decisions and replies are single, nothing is lost",
      async () => {
        const property = fc.asyncProperty(storyOfActs, async (acts) => {
          const story = await openStory(live);
          for (const group of groupsOf(acts)) await story.plays(group);
          expect(await story.ends()).toEqual([]);
        });
        await fc.assert(property, {
          ...{ numRuns: RUNS, endOnFailure: !shrinks },
          ...(seed === undefined ? {} : { seed }),
          ...(path === undefined ? {} : { path }),
        });
      },
      LIMIT_MS,
    );
  });
});

function setting(name: string): string | undefined {
  // biome-ignore lint/style/noProcessEnv: whoever runs the tests asks for more of them
  return process.env[name] || undefined;
}

function numberIn(name: string): number | undefined {
  const text = setting(name);
  return text === undefined ? undefined : Number(text);
}
