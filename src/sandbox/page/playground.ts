import { Hono } from "hono";
import { z } from "zod";
import type { ProductView } from "../../domain/product-view.ts";
import { ControlError, readBody } from "../control-body.ts";
import type { World } from "../world.ts";
import { readAsset } from "./assets.ts";
import { renderPage } from "./document.ts";
import { chooseLanguage } from "./language.ts";
import { shapeTimeline } from "./timeline.ts";

/** What the page is served from. */
export interface PlaygroundOptions {
  world: World;
  env(): Record<string, string>;
  /** Undefined when the emulators run alone: the page then shows no decisions. */
  product(): ProductView | undefined;
}

/** The page at `/sandbox`, its files, and what it reads of the product. */
export function playground(options: PlaygroundOptions): Hono {
  const app = new Hono();
  app.get("/sandbox", (context) => {
    for (const [name, value] of Object.entries(PAGE_HEADERS)) context.header(name, value);
    const language = chooseLanguage(
      context.req.query("lang"),
      context.req.header("accept-language"),
    );
    return context.html(
      renderPage({
        language,
        hasProduct: options.product() !== undefined,
        after: options.world.journal.events.at(-1)?.seq ?? 0,
        offsetMs: options.world.clock.offsetMs,
        env: options.env(),
      }),
    );
  });
  app.get("/sandbox/assets/:name", (context) => {
    const asset = readAsset(context.req.param("name"));
    if (!asset) throw missing("There is no such file.");
    // a changed file is seen at the next load, also in the middle of work on it
    const headers = { ...ASSET_HEADERS, "Content-Type": asset.type };
    return context.body(new Uint8Array(asset.bytes), 200, headers);
  });
  app.post("/sandbox/api/language", async (context) => {
    const { language } = await readBody(context, languageSchema);
    await productOf(options).speak(language);
    return context.json({ ok: true, language });
  });
  app.get("/sandbox/api/conversations", async (context) => {
    const list = await productOf(options).conversations();
    return context.json(
      list.map(({ id, messenger, chatId }) => ({ id, messenger, chat_id: chatId })),
    );
  });
  app.get("/sandbox/api/conversations/:id", async (context) =>
    context.json(await traceOf(options, context.req.param("id"))),
  );
  app.get("/sandbox/api/conversations/:id/timeline", async (context) =>
    context.json(shapeTimeline(await traceOf(options, context.req.param("id")))),
  );
  return app;
}

const languageSchema = z.strictObject({ language: z.enum(["en", "ru"]) });

const ASSET_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
};

/** Nothing but this server's own files: no inline script or style, no frame around the page. */
const PAGE_HEADERS = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  Vary: "Accept-Language",
};

function productOf({ product }: PlaygroundOptions): ProductView {
  const view = product();
  if (!view) throw missing("The emulators run alone: there is no product to look into.");
  return view;
}

async function traceOf(options: PlaygroundOptions, id: string): Promise<unknown> {
  const trace = await productOf(options).trace(id);
  if (trace === null) throw missing(`There is no conversation ${id}.`);
  return trace;
}

function missing(message: string): ControlError {
  return new ControlError({ status: 404, code: "not_found", message });
}
