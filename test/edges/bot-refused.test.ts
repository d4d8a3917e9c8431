import { expect, test } from "vitest";
import { inspectTelegram } from "../../src/bot/telegram/inspect.ts";
import { openTelegramWorld } from "../support/telegram-world.ts";

test("a token that Telegram refuses stops everything; a chat that is gone, and no answer, do not", async () => {
  const world = await openTelegramWorld();
  const { TELEGRAM_BOT_TOKEN: token = "", TELEGRAM_API_ROOT: apiRoot = "" } = world.env;
  const chats = [{ chatId: "-100999", purpose: "operators" as const }];
  const stopsOf = async (account: { token: string; apiRoot: string }) =>
    (await inspectTelegram(account, chats)).map(({ ok, stops }) => [ok, stops === true]);
  expect(await stopsOf({ token: "1:refused-by-the-test", apiRoot })).toEqual([[false, true]]);
  expect(await stopsOf({ token, apiRoot })).toEqual([
    [true, false],
    [false, false],
  ]);
  await world.stop();
  expect(await stopsOf({ token, apiRoot })).toEqual([[false, false]]);
});
