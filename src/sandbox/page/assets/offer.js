import { post } from "./api.js";
import { byId, el } from "./dom.js";
import { t } from "./texts.js";
import { attempt } from "./toasts.js";

const WALLET = /\bT[1-9A-HJ-NP-Za-km-z]{33}\b/;
const SPACES = /[\s\u00a0\u202f]/g;
const SUM = /(\d[\d\s\u00a0\u202f]*(?:[.,]\d+)?)\s*(USDT|RUB)\b/;
/** Requisites go stale: an older message of the bot is not paid any more. */
const LOOK_BACK = 8;

/**
 * What the bot asked to be paid last: the wallet and the sum are read from its message, as the
 * client would.
 */
export function readDemand(messages) {
  const latest = messages.slice(-LOOK_BACK);
  const asked = latest.findLast(({ fromBot, text }) => fromBot && isDemand(text));
  if (!asked) return null;
  const [, sum = "", asset = ""] = SUM.exec(asked.text) ?? [];
  const amount = sum.replace(SPACES, "").replace(",", ".");
  return { id: asked.id, amount, asset, wallet: WALLET.exec(asked.text)?.[0] ?? null };
}

function isDemand(text) {
  return (WALLET.test(text) || text.includes("AML")) && SUM.test(text);
}

/** One per cent less than asked. */
function tooLittle(amount) {
  return String(Math.floor(Number(amount) * 99) / 100);
}

/** The bar above the field: pays on the played chain, then offers to send the proof. */
export class Offer {
  #box = byId("lead-offer");
  #client;
  #demand = null;
  #paid = null;
  /** Place and message of the demand that is shown; those that are dealt with. */
  #shownFor = "";
  #done = new Set();

  /** @param {{ say(text: string): Promise<any>, attach(kind: string): Promise<any> }} client */
  constructor(client) {
    this.#client = client;
  }

  get isOpen() {
    return !this.#box.hidden;
  }

  show(place, messages) {
    this.#demand = readDemand(messages);
    const key = this.#demand ? `${place} ${this.#demand.id}` : "";
    if (key !== this.#shownFor) this.#paid = null;
    this.#shownFor = key;
    this.#draw();
  }

  async pay({ short = false } = {}) {
    if (!this.#demand?.wallet) throw new Error(t("nothing_to_pay"));
    const { wallet } = this.#demand;
    const amount = short ? tooLittle(this.#demand.amount) : this.#demand.amount;
    const token = { network: "trc20", contract: "USDT" };
    const transfer = { ...token, to: wallet, amount, confirmed: true };
    const { tx_hash: hash } = await post("/chain/transfers", transfer);
    this.#paid = { hash, amount, short };
    this.#draw();
  }

  async sendHash() {
    if (!this.#paid) return;
    const { hash, short } = this.#paid;
    if (!short) this.#done.add(this.#shownFor);
    this.#paid = null;
    this.#draw();
    await this.#client.say(t("hash_words", { hash }));
  }

  async sendReceipt() {
    this.#done.add(this.#shownFor);
    this.#draw();
    await this.#client.attach("receipt");
  }

  #draw() {
    this.#box.hidden = this.#demand === null || this.#done.has(this.#shownFor);
    if (this.#box.hidden) return;
    const [words, ...buttons] = this.#paid ? this.#paidParts() : this.#demandParts();
    this.#box.replaceChildren(el("p", {}, words), el("div", { class: "row" }, buttons));
  }

  #paidParts() {
    const { hash, amount } = this.#paid;
    const short = `${hash.slice(0, 8)}…${hash.slice(-4)}`;
    const words = t("paid", { amount, hash: short });
    return [words, act("send_hash", { work: () => this.sendHash(), look: "primary" })];
  }

  #demandParts() {
    const { amount, asset, wallet } = this.#demand;
    const to = wallet ? `${wallet.slice(0, 5)}…${wallet.slice(-4)}` : t("by_link");
    const words = t("asked_to_pay", { amount, asset, to });
    if (!wallet) {
      return [words, act("send_receipt", { work: () => this.sendReceipt(), look: "primary" })];
    }
    const less = { amount: tooLittle(amount) };
    return [
      words,
      act("pay", { work: () => this.pay(), look: "primary", values: { amount, asset } }),
      act("pay_less", { work: () => this.pay({ short: true }), values: less }),
    ];
  }
}

function act(key, { work, look = "", values = {} }) {
  const props = { type: "button", class: look, data: { act: key } };
  return el("button", { ...props, on: { click: () => attempt(work) } }, t(key, values));
}
