import { Hono } from "hono";
import { z } from "zod";
import { ControlError, readBody } from "../control-body.ts";
import { missing } from "./control-requests.ts";
import type { SlackCore } from "./core.ts";
import { typedText } from "./reading.ts";
import { liveMessage } from "./state.ts";

const editBody = z.object({
  channel: z.string(),
  user: z.string(),
  ts: z.string(),
  text: z.string(),
});

/** A person changes the words of a message of theirs. */
export function createEditRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.post("/edits", async (context) => {
    const { channel, user, ts, text } = await readBody(context, editBody);
    const message = liveMessage(core.state, channel, ts);
    if (!message) throw missing(`There is no message ${ts} in ${channel}.`);
    if (message.user !== user)
      throw new ControlError({
        status: 403,
        code: "not_the_author",
        message: "Only the author can edit a message.",
        path: "user",
      });
    core.record("slack.message_edited", { channel, ts, text: typedText(text) });
    return context.json({ ts });
  });
  return routes;
}
