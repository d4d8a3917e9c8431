import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Context, Hono } from "hono";
import { mimeOf } from "../mime-types.ts";
import type { SlackCore } from "./core.ts";
import type { StoredFile } from "./state.ts";
import { BOT_TOKEN } from "./workspace.ts";

/**
 * `url_private` of files: without the bot's token there is a login page, with status 200. And the
 * addresses that take uploads, which need no token: the address itself is the secret.
 */
export function createFileRoutes(core: SlackCore): Hono {
  const routes = new Hono();
  routes.get("/files/:id/:name", async (context) => {
    if (context.req.header("authorization") !== `Bearer ${BOT_TOKEN}`) {
      return context.html(
        "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>",
      );
    }
    const file = core.state.files.get(context.req.param("id"));
    if (!file) return context.text("File not found", 404);
    const bytes = await readFile(join(folder(core), file.sha256));
    return context.body(new Uint8Array(bytes), 200, { "Content-Type": file.mimetype });
  });
  routes.post("/upload/v1/:ticket", async (context) => {
    const ticket = context.req.param("ticket");
    const [id, upload] = [...core.state.uploads].find(([, open]) => open.ticket === ticket) ?? [];
    if (id === undefined || !upload) return context.text("Not found", 404);
    const bytes = await uploadedBytes(context);
    if (bytes.byteLength !== upload.length) return context.text("Length mismatch", 400);
    const { filename: name } = upload;
    const file = storeFile(core, { name, mimetype: mimeOf(name), bytes });
    core.record("slack.upload_received", { id, file });
    return context.text(`OK - ${bytes.byteLength}`);
  });
  return routes;
}

/** The bytes themselves, or a form with the file in it. */
async function uploadedBytes(context: Context): Promise<Uint8Array> {
  const type = context.req.header("content-type") ?? "";
  if (!type.startsWith("multipart/")) return new Uint8Array(await context.req.arrayBuffer());
  const parts = Object.values(await context.req.parseBody());
  const file = parts.find((part) => part instanceof File);
  return new Uint8Array((await file?.arrayBuffer()) ?? []);
}

/** Bytes as they are, or in base64 from a control call. */
export interface Upload {
  name: string;
  mimetype: string;
  base64?: string;
  bytes?: Uint8Array;
  /** Claims another size than the bytes have, to play a file that is too big to fetch. */
  size?: number;
}

/** Writes the bytes under the name of their hash, before the journal speaks of them. */
export function storeFile(core: SlackCore, upload: Upload): Omit<StoredFile, "id"> {
  const given = upload.base64 === undefined ? upload.bytes : Buffer.from(upload.base64, "base64");
  const bytes = given ?? smallFile(upload.mimetype);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  mkdirSync(folder(core), { recursive: true });
  writeFileSync(join(folder(core), sha256), bytes);
  const { name, mimetype, size = bytes.length } = upload;
  return { name, mimetype, size, sha256 };
}

function folder(core: SlackCore): string {
  return join(core.world.filesDir, "slack");
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

function smallFile(mimetype: string): Buffer {
  if (mimetype.startsWith("image/")) return Buffer.from(PNG, "base64");
  return Buffer.from(mimetype === "application/pdf" ? PDF : "A small file.\n");
}
