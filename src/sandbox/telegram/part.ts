import type { World, WorldPart } from "../world.ts";
import { telegramControl } from "./control.ts";
import { createCore, type TelegramOptions } from "./core.ts";
import { applyEvent, createState } from "./fold.ts";
import { telegramEnv } from "./identity.ts";
import { botRoutes } from "./routes.ts";
import { kindOf, pendingUpdates } from "./update-queue.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";

/** About what people saw: the platform does not document its deadline. */
const CALLBACK_DEADLINE_MS = 15_000;
const BUTTON_WAIT_MS = 15_000;
const WEBHOOK_LIMIT_MS = 60_000;

/** Plays the Telegram Bot API: one bot, its chats, and the people in them. */
export function createTelegramPart(
  world: World,
  options: Partial<TelegramOptions> = {},
): WorldPart {
  const state = createState();
  const core = createCore(world, state, {
    callbackDeadlineMs: options.callbackDeadlineMs ?? CALLBACK_DEADLINE_MS,
    buttonWaitMs: options.buttonWaitMs ?? BUTTON_WAIT_MS,
    webhookLimitMs: options.webhookLimitMs ?? WEBHOOK_LIMIT_MS,
  });
  const delivery = new WebhookDelivery(core);
  const { routes, endPoll } = botRoutes(core);
  return {
    name: "telegram",
    apply(event) {
      applyEvent(state, event);
      delivery.wake();
    },
    routes,
    control: telegramControl(core),
    waiting: () =>
      pendingUpdates(core).map(
        ({ update }) => `telegram update ${update.update_id} (${kindOf(update)})`,
      ),
    env: telegramEnv,
    async start() {
      delivery.start();
    },
    async stop() {
      delivery.stop();
      endPoll();
    },
  };
}
