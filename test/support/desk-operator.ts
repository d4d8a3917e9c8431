import {
  type Desk,
  type GroupOperator,
  OPERATORS_CHANNEL,
  OPERATORS_GROUP,
  type Operator,
  type SlackMessage,
} from "./desk-people.ts";
import type { Played } from "./played-world.ts";

export function createOperator(desk: Desk, user: string): Operator {
  const { world } = desk;
  const click = (label: string, card: SlackMessage): Promise<Played> =>
    world.post("slack/buttons", { channel: OPERATORS_CHANNEL, user, ts: card.ts, label });
  return {
    async presses(label, card) {
      const { answer } = await click(label, card);
      await world.idle();
      return answer?.text ?? "";
    },
    async rejects(card, reason) {
      const { view } = await click("Reject", card);
      if (!view) throw new Error("no form opened for the reason");
      const [input] = view.inputs;
      await world.post(`slack/views/${view.id}/submit`, {
        user,
        values: { [input.label]: reason },
      });
      await world.idle();
    },
  };
}

export function createGroupOperator(desk: Desk, user_id: number): GroupOperator {
  const { world } = desk;
  const here = { chat_id: OPERATORS_GROUP, user_id };
  const operator: GroupOperator = {
    async presses(label, { message_id }) {
      const { answer } = await world.post("telegram/buttons", { ...here, message_id, label });
      await world.idle();
      return answer?.text ?? "";
    },
    async rejects(card, reason) {
      await operator.presses("Reject", card);
      const asked = (await desk.groupCards()).at(-1);
      const reply_to_message_id = asked?.message_id;
      await world.post("telegram/messages", { ...here, text: reason, reply_to_message_id });
      await world.idle();
    },
  };
  return operator;
}
