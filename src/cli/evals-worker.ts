import { messageOf } from "../domain/errors.ts";
import type { GivenEvals } from "./evals-child.ts";
import { ignoreUnreadOutput } from "./unread-output.ts";

// The process that the bot starts for a run of the evals. Whatever becomes of the bot, the channel
// to it is closed then, and nobody waits for the results any more.

const endIt = () => process.exit(1); // the lab tidies up behind it

async function run(given: GivenEvals): Promise<void> {
  // the lab is the whole product: loaded only when there is somebody to listen to its end
  const { playGiven } = await import("./evals.ts");
  const { parseSnapshot } = await import("../quality/evals/snapshot.ts");
  const snapshot = parseSnapshot(given.snapshot);
  const report = await playGiven({ ...given, snapshot }, { say: () => {}, terminal: null });
  process.send?.({ report }, () => process.exit(0));
}

ignoreUnreadOutput();
process.once("disconnect", endIt);
process.once("SIGTERM", endIt);
process.once("message", (given: GivenEvals) => {
  run(given).catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  });
});
if (!process.connected) {
  process.stderr.write("the bot starts this for its own runs; use npm run evals\n");
  process.exit(2);
}
