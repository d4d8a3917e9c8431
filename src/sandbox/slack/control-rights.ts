import { Hono } from "hono";
import { z } from "zod";
import { readBody } from "../control-body.ts";
import { missing } from "./control-requests.ts";
import type { SlackCore } from "./core.ts";
import { BOT } from "./workspace.ts";

/** What an owner of the workspace does to the app: its rights, and where it is. */
export function createRightsRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.post("/rights", async (context) => {
    const { channel: id, member, archived } = await readBody(context, rightsBody);
    const channel = core.state.channels.get(id);
    if (!channel || channel.isIm) throw missing(`There is no channel ${id}.`);
    if (member !== undefined && member !== channel.members.has(BOT.userId)) {
      const kind = member ? "slack.channel_joined" : "slack.channel_left";
      core.record(kind, { channel: id, user: BOT.userId });
    }
    if (archived !== undefined) core.record("slack.channel_archived", { channel: id, archived });
    return context.json({ ok: true });
  });
  routes.post("/installation", async (context) => {
    const change = await readBody(context, installationBody);
    core.record("slack.installation_changed", change);
    return context.json(core.state.installation);
  });
  return routes;
}

const rightsBody = z.strictObject({
  channel: z.string(),
  /** Is the bot in it? */
  member: z.boolean().optional(),
  archived: z.boolean().optional(),
});

const installationBody = z.strictObject({
  /** Both tokens are refused. */
  revoked: z.boolean().optional(),
  /** What the bot token may do from now on. */
  scopes: z.array(z.string()).optional(),
});
