import { type Desk, OPERATORS_CHANNEL, type Operator, type SlackMessage } from "./desk-people.ts";
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
