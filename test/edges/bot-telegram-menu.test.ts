import { expect, test } from "vitest";
import { createTelegramBot } from "../../src/bot/telegram/bot.ts";
import { Backstage, until } from "../support/bot-played-messengers.ts";
import { openTelegramWorld } from "../support/telegram-world.ts";

interface Shown {
  command: string;
  description: string;
}

test("groups see the commands in their menu once the bot is started, clients do not", async () => {
  const world = await openTelegramWorld();
  const token = world.env.TELEGRAM_BOT_TOKEN ?? "";
  const apiRoot = world.env.TELEGRAM_API_ROOT ?? "";
  const long = { command: "pending", description: "x".repeat(300) };
  let said = "who you are";
  const edge = createTelegramBot({
    ...new Backstage().options(),
    ...{ token, apiRoot, commandMenu: () => [{ command: "whoami", description: said }, long] },
  });
  const menu = async (scope: string) => {
    const answer = await fetch(`${apiRoot}/bot${token}/getMyCommands`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scope: { type: scope } }),
    });
    const { result } = (await answer.json()) as { result: Shown[] };
    return result;
  };
  const names = async (scope: string) => (await menu(scope)).map(({ command }) => command);
  await edge.check();
  edge.start();
  await until(async () => ((await menu("all_group_chats")).length > 0 ? true : undefined));
  expect(await names("all_group_chats")).toEqual(["whoami", "pending"]);
  expect(await names("all_private_chats")).toEqual([]);
  said = "кто вы";
  await edge.offerMenu?.();
  expect((await menu("all_group_chats"))[0]).toEqual({ command: "whoami", description: "кто вы" });
  await edge.stop();
  await world.stop();
});
