import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBrowser } from "../support/playground.ts";

const NOT_WORKED = /did not work|не вышел|Still under way|Ещё выполняется/;

inBrowser(({ visit, world }) => {
  test.each([
    ["en", "Approved by Bob"],
    ["ru", "Одобрено: Bob"],
  ] as const)("the whole deal plays up to one payout (%s)", async (language, decided) => {
    const page = await visit({ language });
    const before = (await world().get("payouts")).length;
    expect(await playThrough(page, "deal")).toHaveLength(10);
    expect(await world().get("payouts")).toHaveLength(before + 1);
    await page.locator("#trace-outside", { hasText: "1×" }).waitFor();
    const call = page.locator('#trace-log [data-tool="issue_exchange_payout"]');
    await call.locator('[data-step="executed"].ok').waitFor();
    await page.locator("#operators-log .slack", { hasText: decided }).last().waitFor();
  });

  test("a stranger's press is refused, an operator's counts", async () => {
    const page = await visit();
    await playThrough(page, "stranger");
    await page.locator("#operators-log .private", { hasText: "no right" }).waitFor();
    await page.locator("#lead-log .bot", { hasText: "verification is passed" }).waitFor();
  });

  test("documents are refused with a reason, and later taken", async () => {
    const page = await visit();
    await playThrough(page, "reject");
    await page.locator("#lead-log .bot", { hasText: "The photo is blurred" }).waitFor();
    await page.locator("#lead-log .bot", { hasText: "verification is passed" }).waitFor();
  });

  test("a lost answer of the gateway pays once", async () => {
    const page = await visit();
    const before = (await world().get("payouts")).length;
    await playThrough(page, "lost");
    expect(await world().get("payouts")).toHaveLength(before + 1);
    const executed = page.locator('[data-tool="issue_exchange_payout"] [data-step="executed"]');
    await executed.filter({ hasText: "the answer was lost" }).waitFor();
  });

  test("roubles need documents first, and a person who has seen the money", async () => {
    const page = await visit();
    await playThrough(page, "courier");
    await page.locator("#trace-facts", { hasText: "24800 RUB → 10000 THB" }).waitFor();
    await page.locator('[data-tool="confirm_fiat_payment"] [data-step="executed"].ok').waitFor();
  });

  test("plays on by itself, pauses, and stops", async () => {
    const page = await visit();
    await page.click("#open-stories");
    await page.click('[data-story="stranger"] [data-play="on"]');
    await page.locator('#player[data-state="reading"]').waitFor();
    await page.click("#player-pause");
    await page.locator('#player[data-state="paused"]').waitFor();
    await expect.poll(() => page.locator("#player-count").textContent()).toBe("step 1 of 4");
    await page.click("#player-pause");
    await page.locator("#player-count", { hasText: "step 2 of 4" }).waitFor();
    await page.click("#player-stop");
    await expect.poll(() => page.locator("#player").isVisible()).toBe(false);
  });
});

/** Step by step to the end; gives what stood below each step. Fails when a step did not work. */
async function playThrough(page: Page, story: string): Promise<string[]> {
  await page.click("#open-stories");
  await page.click(`[data-story="${story}"] [data-play="steps"]`);
  const captions: string[] = [];
  for (;;) {
    await page.waitForSelector('#player[data-state="paused"], #player[data-state="done"]');
    captions.push((await page.locator("#player-look").textContent()) ?? "");
    expect(captions.at(-1)).not.toMatch(NOT_WORKED);
    if ((await page.getAttribute("#player", "data-state")) === "done") return captions;
    await page.click("#player-next");
  }
}
