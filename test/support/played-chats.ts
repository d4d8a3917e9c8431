import type { Delivery, DeliveryResult, Messenger } from "../../src/domain/messenger.ts";

/** A messenger whose chats the test answers for; what was posted or edited stands in `posted`. */
export function createPlayedChats(
  answer: (delivery: Delivery) => DeliveryResult = () => ({ kind: "sent" }),
) {
  const posted: Delivery[] = [];
  const played = { answer };
  const messenger: Messenger = {
    name: "telegram",
    channelId: "tg",
    async deliver(delivery) {
      const result = played.answer(delivery);
      if (result.kind !== "sent") return result;
      posted.push(delivery);
      await delivery.onPart(`m${posted.length}`, true);
      return result;
    },
    async showTyping() {},
  };
  return Object.assign(played, { messenger, posted });
}
export type PlayedChats = ReturnType<typeof createPlayedChats>;
