import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeParts } from "../../src/sandbox/parts.ts";
import { type Standalone, startStandalone } from "../../src/sandbox/standalone.ts";
import { createPlayedWorld } from "../support/played-world.ts";
import { inBrowser } from "../support/playground.ts";

let dataDir: string;
let emulators: Standalone;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "countersign-alone-"));
  emulators = await open(0);
});
afterEach(async () => {
  await emulators.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A bot in another process would call the same. */
async function bot(method: string, body: object): Promise<void> {
  const { TELEGRAM_API_ROOT, TELEGRAM_BOT_TOKEN } = emulators.env;
  const answer = await fetch(`${TELEGRAM_API_ROOT}/bot${TELEGRAM_BOT_TOKEN}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

function open(port: number): Promise<Standalone> {
  return startStandalone({ port, dataDir, parts: (world, origin) => makeParts(world, origin) });
}

const ALONE = { withDesk: false };

inBrowser(({ visit }) => {
  test("without a product the page says so, names the variables and shows no decisions", async () => {
    const page = await visit({ origin: emulators.origin });
    await expect
      .poll(() => page.locator(".alone h2").textContent())
      .toBe("Only the outside world runs here");
    await page.click(".alone summary");
    await expect
      .poll(() => page.locator(".alone pre").textContent())
      .toContain("TELEGRAM_BOT_TOKEN=");
    await expect.poll(() => page.locator("#panel-trace, #open-stories").count()).toBe(0);
  });

  test("shows that the bot is typing, until its message comes", async () => {
    const page = await visit({ origin: emulators.origin });
    await bot("sendChatAction", { chat_id: 1001, action: "typing" });
    await page.locator("#lead-typing").waitFor();
    await bot("sendMessage", { chat_id: 1001, text: "here I am" });
    await page.locator("#lead-log .bot", { hasText: "here I am" }).waitFor();
    await expect.poll(() => page.locator("#lead-typing").isVisible()).toBe(false);
  });

  test("presses the bot's buttons below a message, and opens its links beside the page", async () => {
    const page = await visit({ origin: emulators.origin });
    const keyboard = [
      [
        { text: "Book a call", callback_data: "book" },
        { text: "Calendar", url: "https://calendar.example.test/" },
      ],
    ];
    const reply_markup = { inline_keyboard: keyboard };
    await bot("sendMessage", { chat_id: 1001, text: "shall we talk?", reply_markup });
    expect(await page.getByText("Calendar").getAttribute("target")).toBe("_blank");
    await page.getByText("Book a call").click();
    await expect
      .poll(() => createPlayedWorld(emulators.origin).get("telegram/updates"))
      .toContainEqual(
        expect.objectContaining({ callback_query: expect.objectContaining({ data: "book" }) }),
      );
  });

  test("shows a contact and a document that the client sends", async () => {
    const page = await visit({ origin: emulators.origin });
    for (const kind of ["contact", "document", "video_note"]) {
      await page.click("#lead-attach");
      await page.click(`#lead-attachments [data-kind="${kind}"]`);
    }
    const [first, second] = [/Contact|\+66/, /document\.pdf/].map((hasText) =>
      page.locator("#lead-log .file-chip", { hasText }),
    );
    await first?.waitFor();
    await second?.waitFor();
    await page.locator("#lead-log .round-video").waitFor();
  });

  test("goes on where it stopped when the server comes back", async () => {
    const page = await visit({ origin: emulators.origin, expected: /net::ERR_/ });
    const port = Number(new URL(emulators.origin).port);
    await emulators.stop();
    await page.locator('#pulse[data-state="away"]').waitFor();
    emulators = await open(port);
    const said = { chat_id: 1001, user_id: 1001, text: "said before the page was back" };
    await createPlayedWorld(emulators.origin).post("telegram/messages", said);
    await page.locator("#lead-log", { hasText: said.text }).waitFor();
    await page.locator('#pulse[data-state="live"]').waitFor();
  });
}, ALONE);
