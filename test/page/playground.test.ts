import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inBrowser } from "../support/playground.ts";

inBrowser(({ visit, world }) => {
  describe("the client's column", () => {
    test("shows the bot's answer without a reload", async () => {
      const page = await visit();
      await newClient(page);
      await say(page, "What are your working hours?");
      await page.locator("#lead-log .bot", { hasText: "10:00-22:00" }).waitFor();
    });

    test("shows what people write as text, never as markup", async () => {
      const page = await visit();
      await newClient(page);
      const words = '<img src=x onerror="document.title=1"><b>bold</b> *stars*';
      await say(page, words);
      await page.locator("#lead-log .own .text", { hasText: words }).waitFor();
      await expect.poll(() => page.locator("#lead-log img[src=x]").count()).toBe(0);
      await page.locator("#staff-log", { hasText: "<img src=x" }).waitFor();
    });

    test("sends a photo, and the thumbnail loads here and with the operators", async () => {
      const page = await visit();
      await newClient(page);
      await sendPhoto(page);
      for (const log of ["#lead-log", "#operators-log"]) {
        const picture = page.locator(`${log} .picture img`).last();
        await picture.waitFor();
        await expect.poll(() => picture.evaluate(naturalWidth)).toBeGreaterThan(100);
      }
    });

    test("reads wallet and sum from the bot's message and pays: too little, then all", async () => {
      const page = await visit();
      await reachRequisites(page);
      const offer = page.locator("#lead-offer");
      await expect.poll(() => offer.textContent()).toContain("1000 USDT to TJtc7…ALUA");
      await offer.locator('[data-act="pay_less"]').click();
      await offer.locator('[data-act="send_hash"]').click();
      await page.locator("#lead-log .bot", { hasText: "Less arrived" }).waitFor();
      await offer.locator('[data-act="pay"]').click();
      await offer.locator('[data-act="send_hash"]').click();
      await page.locator("#lead-log .bot", { hasText: "has arrived: 1000 USDT" }).waitFor();
      await expect.poll(() => offer.isVisible()).toBe(false);
    });

    test("is a Slack direct message as well", async () => {
      const page = await visit();
      await choose(page, "lead-messenger", "slack");
      await say(page, "What are your working hours?");
      await page.locator("#lead-log .slack.bot", { hasText: "10:00-22:00" }).waitFor();
    });
  });

  describe("the operators' column", () => {
    test("an Approve in Slack closes the card in the Telegram group, too", async () => {
      const page = await visit();
      const card = await askForCheck(page, "Approve");
      await card.click();
      await page.locator("#operators-log", { hasText: "Approved by Alice" }).waitFor();
      await choose(page, "operators-messenger", "telegram");
      const closed = page.locator("#operators-log .telegram", { hasText: "Approved by Alice" });
      await closed.last().waitFor();
      await expect.poll(() => closed.last().locator("button").count()).toBe(0);
      await page.locator("#lead-log .bot", { hasText: "verification is passed" }).waitFor();
    });

    test("a stranger is told in private, and the card stays open", async () => {
      const page = await visit();
      const approve = await askForCheck(page, "Approve");
      await choose(page, "operators-person", "eve");
      await approve.click();
      const refusal = page.locator("#operators-log .private", { hasText: "You have no right" });
      await refusal.waitFor();
      expect(await refusal.textContent()).toContain("Only visible to Eve");
      await expect.poll(() => approve.isEnabled()).toBe(true);
      await page.locator('#trace-log [data-step="refused"]').waitFor();
    });

    test("Slack's form for a reason opens in the page, and the client reads the reason", async () => {
      const page = await visit();
      await (await askForCheck(page, "Reject")).click();
      await page.locator("#form-dialog .field-input").fill("the photo is blurred");
      await page.click("#form-submit");
      await page.locator("#lead-log .bot", { hasText: "the photo is blurred" }).waitFor();
      await expect.poll(() => page.locator("#form-dialog").isVisible()).toBe(false);
    });

    test("Esc closes that form and leaves the reason out", async () => {
      const page = await visit();
      await (await askForCheck(page, "Reject")).click();
      await page.locator("#form-dialog .field-input").press("Escape");
      await page.locator("#form-dialog").waitFor({ state: "hidden" });
      await expect.poll(() => world().get("slack/views")).toEqual([]);
    });

    test("in Telegram the bot's question is answered below it", async () => {
      const page = await visit();
      await choose(page, "operators-messenger", "telegram");
      await (await askForCheck(page, "Reject")).click();
      await page.locator("#operators-log .answer input").fill("no video was sent");
      await page.keyboard.press("Enter");
      await page.locator("#lead-log .bot", { hasText: "no video was sent" }).waitFor();
    });
  });

  describe("the staff's column", () => {
    test("adds a reaction to a reply and takes it back", async () => {
      const page = await visit();
      const client = await newClient(page);
      await say(page, "What are your working hours?");
      await page.locator("#lead-log .bot", { hasText: "10:00-22:00" }).waitFor();
      await threadOf(page, client);
      const reply = page.locator("#staff-log .message.bot", { hasText: "10:00-22:00" }).last();
      const thumb = reply.locator(".reaction").first();
      await thumb.click();
      await reply.locator('.reaction[aria-pressed="true"]', { hasText: "👍 1" }).waitFor();
      await thumb.click();
      await reply.locator('.reaction[aria-pressed="true"]').waitFor({ state: "detached" });
      await expect.poll(() => reply.locator(".reaction", { hasText: "👍 1" }).count()).toBe(0);
    });

    test("answers a command of the admin in private", async () => {
      const page = await visit();
      await page.locator("#staff-text").fill("/whoami");
      await page.keyboard.press("Enter");
      const answer = page.locator("#staff-log .private", { hasText: "Admin, admin" });
      expect(await answer.textContent()).toContain("Only visible to Ada");
    });
  });

  describe("what the backend decided", () => {
    test("names the rule, and after the decision who approved and what came of it", async () => {
      const page = await visit();
      const approve = await askForCheck(page, "Approve");
      const call = page.locator('#trace-log [data-tool="set_kyc_status"]');
      await call.locator('[data-step="approval"].wait').waitFor();
      expect(await call.locator('[data-step="policy"]').textContent()).toContain(
        "default-set_kyc_status",
      );
      await approve.click();
      await call.locator('[data-step="executed"].ok').waitFor();
      expect(await call.locator('[data-step="approval"]').textContent()).toContain(
        "Alice approved",
      );
      expect(await call.getAttribute("data-status")).toBe("executed");
    });
  });

  describe("the world outside", () => {
    test("shows a fault until it is cleared", async () => {
      const page = await visit();
      await page.click("#open-world");
      await page.locator("#fault-buttons button").first().click();
      await page.locator("#fault-list li", { hasText: "payout" }).waitFor();
      await page.locator("#fault-list button").click();
      await expect.poll(() => page.locator("#fault-list li").count()).toBe(0);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator("#world").isVisible()).toBe(false);
    });

    test("moves the played clock", async () => {
      const page = await visit();
      const before = await world().post("clock", { advance_s: 0 });
      await page.click("#forward");
      await page.locator("#toasts .toast").waitFor();
      const after = await world().post("clock", { advance_s: 0 });
      expect(after.offset_ms - before.offset_ms).toBeGreaterThanOrEqual(900_000);
    });

    test("asks before it resets; then every column is empty", async () => {
      const page = await visit();
      await newClient(page);
      await say(page, "hello");
      await page.locator("#lead-log .bot").first().waitFor();
      await page.click("#open-world");
      await page.click("#reset");
      await page.click("#reset-no");
      await expect.poll(() => page.locator("#lead-log .bot").count()).toBeGreaterThan(0);
      await page.click("#reset");
      await page.click("#reset-yes");
      for (const name of ["lead", "operators", "staff", "trace"])
        await page.locator(`#${name}-log .empty`).waitFor();
    });
  });
});

/** A client whom the bot has not met; gives the name. */
async function newClient(page: Page): Promise<string> {
  await page.selectOption("#lead-chat", "new");
  return (await page.locator("#lead-chat option:checked").textContent()) ?? "";
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#lead-text").fill(text);
  await page.locator("#lead-text").press("Enter");
}

/** The radio buttons lie under their labels. */
async function choose(page: Page, name: string, value: string): Promise<void> {
  await page.locator(`input[name="${name}"][value="${value}"]`).check({ force: true });
}

async function sendPhoto(page: Page): Promise<void> {
  await page.click("#lead-attach");
  await page.click('#lead-attachments [data-kind="photo"]');
}

/** A new client asks for the identity check; gives the button of the card. */
async function askForCheck(page: Page, label: string) {
  const client = await newClient(page);
  await say(page, "I would like to pass the identity check");
  await page.locator("#lead-log .bot").first().waitFor();
  await sendPhoto(page);
  const card = page.locator("#operators-log .message", { hasText: client });
  const button = card.last().locator(`.press[data-label="${label}"]`);
  await button.waitFor();
  return button;
}

async function reachRequisites(page: Page): Promise<void> {
  const approve = await askForCheck(page, "Approve");
  await approve.click();
  await page.locator("#lead-log .bot", { hasText: "verification is passed" }).waitFor();
  await say(page, "1000 USDT on TRC20 to baht, cash at your office");
  await page.locator("#lead-log .bot", { hasText: "31300 THB" }).waitFor();
  await say(page, "yes, create the order; where do I pay?");
  await page.locator("#lead-offer").waitFor();
}

async function threadOf(page: Page, client: string): Promise<void> {
  const shown = page.locator("#staff-thread option:checked", { hasText: client });
  await shown.waitFor({ state: "attached" });
}

function naturalWidth(image: unknown): number {
  return (image as { naturalWidth: number }).naturalWidth; // an <img>; the tests know no DOM types
}
