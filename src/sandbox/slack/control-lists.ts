import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { showFile } from "../shown-file.ts";
import { missing } from "./control-requests.ts";
import type { SlackCore } from "./core.ts";

/** Who and what there is in the workspace, for whoever looks at it from outside. */
export function createListRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.get("/people", (context) =>
    context.json(
      [...core.state.users.values()].map(({ id, realName, isBot }) => ({
        id,
        name: realName,
        is_bot: isBot,
      })),
    ),
  );
  routes.get("/channels", (context) =>
    context.json(
      [...core.state.channels.values()].map(({ id, name, isIm, user, members }) => ({
        id,
        name,
        is_im: isIm,
        user,
        members: [...members],
      })),
    ),
  );
  routes.get("/files/:id", async (context) => {
    const file = core.state.files.get(context.req.param("id"));
    if (!file) throw missing(`There is no file ${context.req.param("id")}.`);
    const bytes = await readFile(join(core.world.filesDir, "slack", file.sha256));
    return showFile({ bytes, mimeType: file.mimetype, name: file.name });
  });
  return routes;
}
