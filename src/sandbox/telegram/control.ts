import { type Context, Hono } from "hono";
import { z } from "zod";
import { ControlError, parseInput, readBody } from "../control-body.ts";
import { showFile } from "../shown-file.ts";
import { pressButton, pressSchema } from "./control-buttons.ts";
import {
  personEditSchema,
  personMessageSchema,
  playEdit,
  playMessage,
} from "./control-messages.ts";
import {
  blockSchema,
  migrateSchema,
  playBlock,
  playMigration,
  playReaction,
  playRedelivery,
  playRights,
  reactionSchema,
  redeliverSchema,
  rightsSchema,
} from "./control-moves.ts";
import { injectUpdates, rawUpdatesSchema } from "./control-updates.ts";
import type { TelegramCore } from "./core.ts";
import { BOT_USER } from "./identity.ts";
import { listMessages } from "./listing.ts";
import { requireKnownChat } from "./people.ts";
import { pendingUpdates } from "./update-queue.ts";
import { readStoredFile } from "./uploads.ts";

/** Plays the people in Telegram: `/sandbox/api/telegram/…`. */
export function telegramControl(core: TelegramCore): Hono {
  const app = new Hono();
  app.post("/messages", async (c) =>
    c.json(playMessage(core, await readBody(c, personMessageSchema))),
  );
  app.post("/edits", async (c) => c.json(playEdit(core, await readBody(c, personEditSchema))));
  app.post("/buttons", async (c) =>
    c.json(await pressButton(core, await readBody(c, pressSchema), c.req.raw.signal)),
  );
  app.post("/reactions", async (c) =>
    c.json(playReaction(core, await readBody(c, reactionSchema))),
  );
  app.post("/updates", async (c) =>
    c.json(injectUpdates(core, await readBody(c, rawUpdatesSchema))),
  );
  app.post("/redeliver", async (c) =>
    c.json(playRedelivery(core, await readBody(c, redeliverSchema))),
  );
  app.post("/block", async (c) => c.json(playBlock(core, await readBody(c, blockSchema))));
  app.post("/migrate", async (c) => c.json(playMigration(core, await readBody(c, migrateSchema))));
  app.post("/rights", async (c) => c.json(playRights(core, await readBody(c, rightsSchema))));
  app.get("/updates", (c) => c.json(pendingUpdates(core).map(({ update }) => update)));
  app.get("/people", (c) => c.json([BOT_USER, ...core.state.users.values()]));
  app.get("/files/:id", (c) => showFile(readFile(core, c.req.param("id"))));
  app.get("/chats", (c) => c.json([...core.state.chats.values()].map(({ chat }) => chat)));
  app.get("/chats/:id/messages", (c) => c.json(listMessages(readChat(core, c))));
  app.get("/chats/:id/topics", (c) =>
    c.json([...readChat(core, c).topics].map(([thread_id, topic]) => ({ thread_id, ...topic }))),
  );
  return app;
}

const chatIdSchema = z.object({ id: z.coerce.number().int() });

function readChat(core: TelegramCore, context: Context) {
  const { id } = parseInput(chatIdSchema, context.req.param());
  return requireKnownChat(core, id);
}

function readFile(core: TelegramCore, id: string) {
  const file = core.state.files.get(id);
  if (file) return { ...file, bytes: readStoredFile(core, file), name: file.fileName };
  throw new ControlError({ status: 404, code: "file_not_found", message: `No file ${id}.` });
}
