import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { tooWide, violationsOn, withAdminPages } from "../support/admin-browser.ts";
import { type Used, usedAt } from "../support/used-models.ts";

const PHONE = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 900 } };
const DAY_MS = 86_400_000;
/** Noon of today in UTC: whole days before it are noons, too. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;

withAdminPages(({ desk, enter }) => {
  test.each([
    ["en", "no model was asked", "Write to it in the playground"],
    ["ru", "модель не спрашивали", "Написать ему в песочнице"],
  ] as const)(
    "where nothing was used yet it says so, and what to do (%s)",
    async (language, said, link) => {
      const page = await enter("Bob", { language });
      await page.goto(`${desk().origin()}/admin/usage`);
      await page.locator("main", { hasText: said }).waitFor();
      expect(await page.locator("svg, table").count()).toBe(0);
      expect(await violationsOn(page)).toEqual([]);
      await page.getByRole("link", { name: link }).click();
      await page.waitForURL("**/sandbox");
    },
  );

  describe("with three months of calls", () => {
    beforeAll(() => desk().restart(usedAt(threeMonths())));

    test.each([
      [
        "en",
        "The model is dearer than the tools: $1.41 against $0.05.",
        "The tools are slower than the model: 5 sec on average against 4 sec.",
      ],
      [
        "ru",
        "Модель обходится дороже инструментов: 1,41 $ против 0,05 $.",
        "Инструменты отвечают медленнее модели: в среднем 5 с против 4 с.",
      ],
    ] as const)(
      "what is dearer and slower is the first that is read (%s)",
      async (language, dearer, slower) => {
        const page = await openUsage({ language });
        const said = plain((await page.locator("main > .verdict").allInnerTexts()).join());
        expect(said).toContain(dearer);
        expect(said).toContain(slower);
      },
    );

    test("each chart says what it shows, and its figures stand in tables", async () => {
      const page = await openUsage({ ...DESKTOP });
      const names = await page
        .getByRole("img")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
      expect(names.map((one) => plain(one ?? ""))).toEqual([
        expect.stringMatching(/^Cost per day, by model\. In all \$1\.41\. The dearest day was/),
        expect.stringMatching(/^Calls per day\. In all 10, of them failed 1 \(10%\)/),
        expect.stringMatching(/^Slowest calls per day, by model\. .* up to 17\.2 sec/),
      ]);
      const row = page.getByRole("table", { name: "By model" }).locator("tbody tr");
      expect(await row.allInnerTexts()).toEqual([
        expect.stringMatching(/^free · unpriced-7b\s+1\s+0\s+1,200 \/ 150\s+—/),
        expect.stringMatching(
          /^main · large-1\s+8 failed: 1\s+1\s+8,400 \/ 1,050\s+\$1\.40.*100% \(1\)$/s,
        ),
        expect.stringMatching(/^spare · small-2\s+1\s+0\s+1,200 \/ 150\s+\$0\.01/),
      ]);
    });

    test("days without a call are empty days, and the newest is today", async () => {
      const page = await openUsage({ ...DESKTOP });
      await page.locator("summary", { hasText: /^By day$/ }).click();
      const rows = page.getByRole("table", { name: "By day", exact: true }).locator("tbody tr");
      const shown = await rows
        .locator("time")
        .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
      expect(shown).toEqual(Array.from({ length: 7 }, (_, ago) => isoDay(NOON - ago * DAY_MS)));
      expect((await rows.allInnerTexts())[3]).toMatch(/\s0\s+0\s+— \/ —\s+—\s+—\s+—$/);
      expect(await barsOf(page, "Calls per day")).toBe(7);
    });

    test("the period is chosen by a link", async () => {
      const page = await openUsage({ ...DESKTOP });
      await page.getByRole("link", { name: "90 days" }).click();
      await page.getByText("All 90 days").waitFor();
      expect(await page.locator(".chip[aria-current]").allInnerTexts()).toEqual(["90 days"]);
      await page.locator("#calls ~ p", { hasText: "In all 97" }).waitFor();
    });

    describe.each([
      ["en", "light"],
      ["ru", "dark"],
    ] as const)("in %s (%s)", (language, colorScheme) => {
      test.each([
        ["on a phone", PHONE],
        ["on a desktop", DESKTOP],
      ])("it fits %s, folded or not, and axe-core is content", async (_, screen) => {
        for (const days of [7, 30, 90]) {
          const page = await openUsage({ ...screen, language, colorScheme }, days);
          expect(await tooWide(page)).toEqual([]);
          expect(await violationsOn(page)).toEqual([]);
          await page.evaluate(
            "for (const one of document.querySelectorAll('details')) one.open = true",
          );
          expect(await tooWide(page)).toEqual([]);
          expect(await overlappingTexts(page)).toEqual([]);
          await page.context().close();
        }
      });
    });

    test("on paper there are the figures, without what only a screen needs", async () => {
      const page = await openUsage({ ...DESKTOP });
      await page.emulateMedia({ media: "print" });
      expect(await page.locator(".top").isVisible()).toBe(false);
      expect(await page.locator("nav.filters").isVisible()).toBe(false);
      expect(await page.getByRole("img").count()).toBe(3);
    });
  });

  async function openUsage(how: Parameters<typeof enter>[1], days = 7): Promise<Page> {
    const page = await enter("Bob", how);
    const answer = await page.goto(`${desk().origin()}/admin/usage?days=${days}`);
    expect(answer?.status()).toBe(200);
    return page;
  }
});

/** The last week, in which the third day before today is empty, and a call a day before that. */
function threeMonths(): Used[] {
  const ago = (days: number) => NOON - days * DAY_MS;
  const main = [0, 1, 2, 4, 5, 6].map((days) => ({
    at: ago(days),
    model: { cost: "0.2", latencyMs: 900 + days * 100 },
  }));
  return [
    ...main,
    { at: ago(1), model: { cost: "0.2", hadToolCall: true, score: 1 } },
    {
      at: ago(2),
      model: {
        ...{ status: "failed", inputTokens: null, outputTokens: null, latencyMs: 30_000 },
        ...{ failure: "timeout", fault: "timeout", runId: "taken-over" },
      },
    },
    {
      at: ago(2) + 1000,
      model: {
        ...{ provider: "spare", modelId: "small-2", attempt: 2, runId: "taken-over" },
        ...{ cost: "0.01", latencyMs: 400 },
      },
    },
    { at: ago(5), model: { provider: "free", modelId: "unpriced-7b", latencyMs: 1500 } },
    ...Array.from({ length: 87 }, (_, index) => ({
      at: ago(7 + (index % 83)),
      model: { cost: "0.1", latencyMs: 500 + index * 10 },
    })),
    { at: ago(1), tool: { name: "compute_exchange_quote", latencyMs: 5000, cost: "0.05" } },
  ];
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Languages put spaces that do not break between digits and units. */
function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, " ");
}

function barsOf(page: Page, title: string): Promise<number> {
  return page.locator("figure", { hasText: title }).locator("rect.part").count();
}

/** Texts on an axis that cover each other. */
function overlappingTexts(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(".drawn > svg")].flatMap((axis) => {
    const texts = [...axis.querySelectorAll("text")];
    const boxes = texts.map((one) => one.getBoundingClientRect());
    const outer = axis.getBoundingClientRect();
    return texts.map((one) => one.textContent).filter((_, index) => {
      const mine = boxes[index];
      if (mine.left < outer.left - 1 || mine.right > outer.right + 1) return true;
      return boxes.some((other, at) => at > index && other.left < mine.right &&
        mine.left < other.right && other.top < mine.bottom - 3 && mine.top < other.bottom - 3);
    });
  })`);
}
