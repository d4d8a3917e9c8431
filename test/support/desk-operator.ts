import { type Desk, OPERATORS_CHANNEL, type SlackMessage } from "./desk.ts";
import type { Played } from "./played-world.ts";

/** A person who reads the operators' channel in Slack. */
export interface Operator {
  /** Presses, waits until everything is done, and gives the private answer. */
  presses(label: string, card: SlackMessage): Promise<string>;
  /** Presses Reject and fills in the form that opens. */
  rejects(card: SlackMessage, reason: string): Promise<void>;
}

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
