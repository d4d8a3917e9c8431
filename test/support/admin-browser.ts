import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { handCommand } from "../../src/store/folder-lock.ts";
import { findChromium } from "./chromium.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk-people.ts";
import { embeddedEngine } from "./engines.ts";

/** What a test of the admin pages works with. */
export interface AdminPages {
  desk(): Desk;
  /** Logged in with a token of one's own; each is a visitor of its own. */
  enter(who: "Alice" | "Bob" | "Admin", how?: Entering): Promise<Page>;
  /** Nobody yet. */
  visit(path: string, how?: Entering): Promise<Page>;
}

export interface Entering extends BrowserContextOptions {
  language?: "en" | "ru";
  /** Lines of the console that belong to what the test does. */
  expected?: RegExp;
}

// biome-ignore lint/style/noProcessEnv: whoever runs the tests names the browser
const CHROMIUM = findChromium(process.env.CHROMIUM_PATH);
const LOCALES = { en: "en-US", ru: "ru-RU" };
const STEP_MS = 30_000;

/** The whole product with its example desk, and a real browser on its pages. */
export function withAdminPages(define: (pages: AdminPages) => void): void {
  if (CHROMIUM.kind === "none") {
    describe.skip(`in a browser: skipped, ${CHROMIUM.note}`, () => define(absent));
    return;
  }
  const { path } = CHROMIUM;
  describe("in a browser", () => {
    let browser: Browser;
    let desk: Desk;
    const tokens = new Map<string, string>();
    /** Console errors, exceptions, what the CSP refused. */
    let troubles: string[] = [];
    beforeAll(async () => {
      desk = await openDesk(embeddedEngine);
      // root has no sandbox of its own; the pages are ours alone
      browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
    });
    afterAll(async () => {
      await browser?.close();
      await desk?.close();
    });
    afterEach(async () => {
      const seen = troubles;
      troubles = [];
      for (const context of browser.contexts()) await context.close();
      expect(seen).toEqual([]);
    });
    const visit: AdminPages["visit"] = async (at, { language = "en", expected, ...how } = {}) => {
      const context = await browser.newContext({ locale: LOCALES[language], ...how });
      context.setDefaultTimeout(STEP_MS);
      const page = await context.newPage();
      page.on("pageerror", (error) => troubles.push(error.message));
      page.on("console", (line) => {
        if (line.type() === "error" && !expected?.test(line.text())) troubles.push(line.text());
      });
      await page.goto(desk.origin() + at);
      return page;
    };
    define({
      desk: () => desk,
      visit,
      async enter(who, how) {
        const token = tokens.get(who) ?? (await tokenOf(desk, who));
        tokens.set(who, token);
        const page = await visit("/admin/log-in", how);
        await page.locator('input[name="token"]').fill(token);
        await page.keyboard.press("Enter");
        await page.waitForURL("**/admin/tools");
        return page;
      },
    });
  });
}

const absent: AdminPages = {
  desk: () => {
    throw new Error("there is no browser");
  },
  enter: () => Promise.reject(new Error("there is no browser")),
  visit: () => Promise.reject(new Error("there is no browser")),
};

/** As the host's shell makes one. */
export async function tokenOf(desk: Desk, name: string): Promise<string> {
  const { items } = await desk.admin("GET", "/staff");
  const { id } = items.find((one: { name: string }) => one.name === name);
  const lines: string[] = [];
  const command = { command: "tokens", args: ["create", "--staff", id], cwd: desk.dataDir };
  await handCommand(desk.dataDir, command, (line) => lines.push(line));
  return lines[0] ?? "";
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds against WCAG 2 A and AA: the rule and where; also when it looked at nothing. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })
    .then(({ violations, passes }) => [
      ...(passes.some(({ id }) => id === "color-contrast") ? [] : ["no text was looked at"]),
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))),
    ])`);
}

/** Elements that stick out of the screen, and the page itself when it scrolls sideways. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("body *")]
    .filter((node) => node.checkVisibility() && !node.closest(".hidden, thead"))
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.tagName + "." + node.className)
    .concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])`);
}
