import { post, untilIdle } from "./api.js";
import { nextName } from "./lead-panel.js";
import { t } from "./texts.js";

export const APPROVE = ["Approve", "Одобрить"];
export const REJECT = ["Reject", "Отклонить"];

const POINT_MS = 500;
/** The page hears of a message a moment after the world is quiet. */
const SHOWN_WITHIN_MS = 5000;

/**
 * The people of a story, with a client whom nobody knows yet. Each acts through the page's own
 * fields and buttons, so that whatever they do can be done by hand as well.
 */
export class Cast {
  #parts;

  constructor(parts) {
    this.#parts = parts;
    const clients = parts.world.chats.filter(({ type }) => type === "private").length;
    this.name = parts.lead.meet(nextName(clients));
    // sums differ, or two open orders of one sum would make a transfer doubtful
    this.amount = String(1000 + 10 * (clients % 90));
  }

  async says(text) {
    this.#parts.focus("lead");
    await this.#parts.lead.composer.typeAndSend(text);
  }

  async attaches(...kinds) {
    this.#parts.focus("lead");
    for (const kind of kinds) await this.#parts.lead.attach(kind);
  }

  async pays() {
    const { lead, focus } = this.#parts;
    focus("lead");
    await this.#shown(lead, () => lead.offer.isOpen);
    await lead.offer.pay();
    await pause();
    await lead.offer.sendHash();
  }

  async sendsReceipt() {
    const { lead, focus } = this.#parts;
    focus("lead");
    await this.#shown(lead, () => lead.offer.isOpen);
    await lead.offer.sendReceipt();
  }

  /** Presses the newest card of this client that has the button. Throws when there is none. */
  async presses(who, labels, messenger = "slack") {
    const { operators, focus } = this.#parts;
    operators.show(messenger);
    operators.act(who);
    focus("operators");
    const { card, button } = await this.#card(labels);
    const node = operators.point(card, button.label);
    await pause();
    await operators.press(card, button, node);
  }

  async writesReason(text) {
    const { modal } = this.#parts;
    if (!modal.isOpen) throw new Error(t("no_form"));
    modal.fill(text);
    await pause();
    await modal.submit();
  }

  fault(fault) {
    return post("/faults", fault);
  }

  forward(seconds) {
    return this.#parts.menu.forward(seconds);
  }

  shows(messenger) {
    this.#parts.operators.show(messenger);
  }

  quiet() {
    return untilIdle();
  }

  /** From a question to a payout that waits for its approval, without a stop. */
  async reachesPayout() {
    const deeds = [
      () => this.says(t("say_exchange", { amount: this.amount })),
      () => this.says(t("say_yes")),
      () => this.attaches("photo", "video_note"),
      () => this.presses("alice", APPROVE),
      () => this.says(t("say_where")),
      () => this.pays(),
      () => this.says(t("say_when")),
    ];
    for (const deed of deeds) {
      await deed();
      await untilIdle();
    }
  }

  async #card(labels) {
    const { operators } = this.#parts;
    const buttonOf = (message) =>
      message.buttons.flat().find(({ label }) => labels.includes(label));
    const find = () =>
      operators.messages.findLast((one) => one.text.includes(this.name) && buttonOf(one));
    await this.#shown(operators, () => find() !== undefined);
    const card = find();
    if (!card) throw new Error(t("no_card", { name: this.name }));
    return { card, button: buttonOf(card) };
  }

  /** Resolves when the panel shows it, or after a while. */
  #shown(panel, isThere) {
    if (isThere()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop();
        resolve(undefined);
      };
      const timer = setTimeout(end, SHOWN_WITHIN_MS);
      const stop = panel.watch(() => isThere() && end());
    });
  }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, POINT_MS));
}
