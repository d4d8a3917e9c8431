import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inBrowser } from "../support/playground.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

inBrowser(({ visit }) => {
  describe("on a phone", () => {
    test.each(["en", "ru"] as const)("nothing is wider than the screen (%s)", async (language) => {
      const page = await visit({ ...PHONE, language });
      await page.locator("#lead-text").fill("What are your working hours?");
      await page.locator("#lead-text").press("Enter");
      await page.locator("#lead-log .bot").first().waitFor();
      for (const tab of ["lead", "operators", "staff", "trace"]) {
        await page.click(`#tabs [data-tab="${tab}"]`);
        expect(await tooWide(page), tab).toEqual([]);
      }
    });

    test("also not on a narrow one of 360 px, with a story playing", async () => {
      const page = await visit({ ...PHONE, viewport: { width: 360, height: 740 } });
      await page.click("#open-stories");
      await page.click('[data-story="stranger"] [data-play="steps"]');
      await page.locator('#player[data-state="paused"]').waitFor();
      expect(await tooWide(page)).toEqual([]);
    });

    test("the tabs at the bottom show one column each", async () => {
      const page = await visit(PHONE);
      for (const tab of ["operators", "staff", "trace", "lead"]) {
        await page.click(`#tabs [data-tab="${tab}"]`);
        const shown = await page.locator(".panel:visible").evaluateAll(names);
        expect(shown).toEqual([tab]);
        expect(await page.getAttribute(`#tabs [data-tab="${tab}"]`, "aria-current")).toBe("true");
      }
    });

    test("a tab is marked when its column changed unseen", async () => {
      const page = await visit(PHONE);
      await page.locator("#lead-text").fill("hello");
      await page.locator("#lead-text").press("Enter");
      await page.locator('#tabs [data-tab="trace"] .badge').waitFor();
      await page.click('#tabs [data-tab="trace"]');
      await expect
        .poll(() => page.locator('#tabs [data-tab="trace"] .badge').isVisible())
        .toBe(false);
    });
  });

  test("on a desktop all four columns stand beside each other", async () => {
    const page = await visit({ viewport: { width: 1440, height: 900 } });
    const tops = await page.locator(".panel:visible").evaluateAll(topsOf);
    expect(tops).toHaveLength(4);
    expect(new Set(tops).size).toBe(1);
    await expect.poll(() => page.locator("#tabs").isVisible()).toBe(false);
    expect(await tooWide(page)).toEqual([]);
  });

  test("greets once, in four sentences, and says that the model is a stand-in", async () => {
    const page = await visit({ greeted: true });
    await expect.poll(() => page.locator("#intro .dialog-body p").count()).toBe(4);
    await expect.poll(() => page.locator("#intro").textContent()).toContain("sandbox-rules");
    await page.keyboard.press("Escape");
    await page.reload();
    await page.waitForSelector('body[data-ready="yes"]');
    await expect.poll(() => page.locator("#intro").isVisible()).toBe(false);
  });

  test("speaks English and Russian, and keeps the client over the change", async () => {
    const page = await visit();
    await page.selectOption("#lead-chat", "new");
    await page.locator("#lead-text").fill("hello");
    await page.locator("#lead-text").press("Enter");
    await page.locator("#lead-log .bot").first().waitFor();
    await expect.poll(() => page.locator("#operators-title").textContent()).toBe("Operators");
    await page.click(".language");
    await page.waitForSelector('html[lang="ru"] body[data-ready="yes"]');
    await expect.poll(() => page.locator("#operators-title").textContent()).toBe("Операторы");
    await page.locator("#lead-log .own", { hasText: "hello" }).waitFor();
    await page.locator("#trace-log", { hasText: "Ответ клиенту" }).waitFor();
  });

  test("the browser's language is taken when the address names none", async () => {
    const page = await visit({ locale: "ru-RU" });
    await page.goto(new URL("/sandbox", page.url()).href);
    expect(await page.getAttribute("html", "lang")).toBe("ru");
  });

  test("can be used from the keyboard alone", async () => {
    const page = await visit();
    await page.locator(".skip").press("Enter");
    expect(await page.locator("#lead-text").evaluate(isFocused)).toBe(true);
    await page.keyboard.type("written without a mouse");
    await page.keyboard.press("Enter");
    await page.locator("#lead-log .own", { hasText: "written without a mouse" }).waitFor();
  });
});

interface Box {
  id: string;
  dataset: { panel?: string };
  className: string;
  tagName: string;
  scrollWidth: number;
  ownerDocument: { activeElement: unknown };
  getBoundingClientRect(): { top: number; right: number };
}

/** Elements that stick out of the screen, and the page itself when it scrolls sideways. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll("body, .panel:not([hidden]), .panel *, .top *, .player *")]
    .filter((node) => !node.closest(".chips, pre, .hidden") && node.checkVisibility())
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => node.tagName + "." + node.className)
    .concat(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])`);
}

function names(nodes: unknown[]): (string | undefined)[] {
  return (nodes as Box[]).map(({ dataset }) => dataset.panel);
}

function topsOf(nodes: unknown[]): number[] {
  return (nodes as Box[]).map((node) => Math.round(node.getBoundingClientRect().top));
}

function isFocused(node: unknown): boolean {
  const box = node as Box;
  return box.ownerDocument.activeElement === box;
}
