import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { type App, startApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config.ts";
import type { Log } from "../../src/lib/log.ts";
import { findChromium } from "./chromium.ts";
import { createPlayedWorld, type PlayedWorld } from "./played-world.ts";

/** What a test of the page works with. Each page is a visitor of its own. */
export interface Visitors {
  world(): PlayedWorld;
  /** The page, ready; the greeting is closed unless `greeted`. */
  visit(how?: Visit): Promise<Page>;
}

export interface Visit extends BrowserContextOptions {
  language?: "en" | "ru";
  /** Leaves the first visit's greeting open. */
  greeted?: boolean;
  /** Of emulators that run alone. */
  origin?: string;
  /** Lines of the console that belong to what the test does. */
  expected?: RegExp;
}

// biome-ignore lint/style/noProcessEnv: whoever runs the tests names the browser
const CHROMIUM = findChromium(process.env.CHROMIUM_PATH);

const BUSY_MINUTE_MS = 90_000;

/** Runs in a real browser; where none is installed the file is skipped, and its title says why. */
export function inBrowser(define: (visitors: Visitors) => void, { withDesk = true } = {}): void {
  if (CHROMIUM.kind === "none") {
    describe.skip(`in a browser: skipped, ${CHROMIUM.note}`, () => define(absent));
    return;
  }
  const { path } = CHROMIUM;
  describe("in a browser", () => {
    let browser: Browser;
    /** What went wrong in the pages of a test: console errors, exceptions, what the CSP refused. */
    let troubles: string[] = [];
    beforeAll(async () => {
      // root has no sandbox of its own; the pages are ours alone
      browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
    });
    afterAll(() => browser?.close());
    afterEach(async () => {
      const seen = troubles;
      troubles = [];
      for (const context of browser.contexts()) await context.close();
      expect(seen).toEqual([]);
    });
    const desk = withDesk ? startDesk() : null;
    define({
      world: () => createPlayedWorld(desk?.origin() ?? ""),
      async visit({ language = "en", greeted = false, origin, expected, ...how } = {}) {
        const context = await browser.newContext({ reducedMotion: "reduce", ...how });
        // a step ends when nothing is due, and a played group takes 20 posts a minute
        context.setDefaultTimeout(BUSY_MINUTE_MS);
        const page = await context.newPage();
        page.on("pageerror", (error) => troubles.push(error.message));
        page.on("console", (line) => {
          if (line.type() !== "error" || expected?.test(line.text())) return;
          troubles.push(`${line.text()} ${line.location().url}`);
        });
        await page.goto(`${origin ?? desk?.origin()}/sandbox?lang=${language}`);
        await page.waitForSelector('body[data-ready="yes"]');
        if (!greeted) await page.click("#intro-look");
        return page;
      },
    });
  });
}

const absent: Visitors = {
  world: () => createPlayedWorld("http://127.0.0.1"),
  visit: () => Promise.reject(new Error("there is no browser")),
};

/** The whole product in this process, with the example desk, for the tests of a file. */
function startDesk(): { origin(): string } {
  let app: App;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "countersign-page-"));
    app = await startApp(
      loadConfig({ PORT: "0", DATA_DIR: dataDir, COALESCE_MS: "30" }),
      silentLog(),
    );
  });
  afterAll(async () => {
    await app?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { origin: () => app.origin };
}

function silentLog(): Log {
  return { debug() {}, info() {}, warn() {}, error() {} };
}
