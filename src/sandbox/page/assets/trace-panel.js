import { get } from "./api.js";
import { byId, el, showList } from "./dom.js";
import { coalesced } from "./live.js";
import { t, told } from "./texts.js";
import { chip } from "./trace-parts.js";
import { turnView } from "./trace-view.js";
import { splitPlace } from "./world.js";

const QUIET_MS = 120;

/** What the backend decided in the conversation of the client who is shown. */
export class TracePanel {
  #log = byId("trace-log");
  #onChange;
  #place = "";
  #shownPlace = "";
  #last = "";
  /** What each call and each run looked like before. */
  #before = new Map();
  /** The newest decision: what it is about stays in sight. */
  #anchor = "";

  /** @param {{ onChange(): void }} parts */
  constructor({ onChange }) {
    this.#onChange = onChange;
    this.read = coalesced(() => this.#read(), QUIET_MS);
  }

  choose(place) {
    this.#place = place;
    this.read();
  }

  /** Scrolls to the newest decision. */
  showNewest() {
    const node = this.#anchor === "" ? null : this.#log.querySelector(this.#anchor);
    for (const old of this.#log.querySelectorAll(".fresh")) old.classList.remove("fresh");
    node?.classList.add("fresh");
    const top = node ? node.offsetTop - this.#log.offsetTop - 10 : this.#log.scrollHeight;
    this.#log.scrollTop = top;
  }

  async #read() {
    const place = this.#place;
    const [timeline, payouts] = await Promise.all([readTimeline(place), get("/payouts")]);
    const text = JSON.stringify([timeline, payouts]);
    if (text === this.#last && this.#shownPlace === place) return;
    this.#last = text;
    this.#draw(place, timeline, payouts);
    this.#onChange();
  }

  #draw(place, timeline, payouts) {
    const isOther = this.#shownPlace !== place;
    this.#shownPlace = place;
    const turns = timeline?.turns ?? [];
    const isNew = this.#look(turns, isOther);
    this.#log.setAttribute("aria-busy", String(isOther));
    showList(this.#log, turns.length > 0 ? turns : [{ id: "empty" }], {
      key: ({ id }) => place + id,
      render: (turn) =>
        turn.id === "empty" ? el("p", { class: "empty" }, t("trace_empty")) : turnView(turn),
    });
    if (isNew || isOther) this.showNewest();
    this.#log.setAttribute("aria-busy", "false");
    byId("trace-facts").replaceChildren(...factsOf(timeline));
    drawOutside(timeline, payouts);
  }

  /** Finds what has changed since the last look; true when there is something. */
  #look(turns, isOther) {
    const now = new Map();
    const forPeople = new Set();
    for (const turn of turns) {
      // an outcome that is told belongs to the call whose outcome it is
      if (turn.kind !== "continuation") now.set(`[data-turn="${turn.id}"]`, turn.id);
      for (const call of turn.calls) {
        const selector = `[data-call="${call.id}"]`;
        now.set(selector, JSON.stringify(call));
        if (call.steps.some(({ kind }) => kind === "approval")) forPeople.add(selector);
      }
    }
    const changed = [...now].filter(([selector, look]) => this.#before.get(selector) !== look);
    const selectors = changed.map(([selector]) => selector);
    this.#before = now;
    // what people decide on goes before what was merely read beside it
    const anchor = selectors.findLast((one) => forPeople.has(one)) ?? selectors.at(-1);
    if (anchor !== undefined) this.#anchor = anchor;
    else if (isOther) this.#anchor = "";
    return anchor !== undefined;
  }
}

async function readTimeline(place) {
  const { messenger, id } = splitPlace(place);
  const list = await get("/conversations");
  const own = list.find((one) => one.messenger === messenger && one.chat_id === id);
  return own ? get(`/conversations/${own.id}/timeline`) : null;
}

const ORDER_LOOKS = {
  paid: "ok",
  payout: "ok",
  completed: "ok",
  awaiting_payment: "wait",
  cancelled: "no",
};

function factsOf(timeline) {
  if (!timeline) return [];
  const { stage, mode, order } = timeline;
  return [
    chip("stage", told(stage)),
    mode === "bot" ? null : chip("wait", t("person_speaks")),
    order ? chip("order", `${order.name}: ${order.from} → ${order.to}`) : null,
    order ? chip(ORDER_LOOKS[order.status] ?? "plain", told(order.status)) : null,
  ].filter((one) => one !== null);
}

/** What the played gateway says, independent of what the product believes. */
function drawOutside(timeline, payouts) {
  const own = payouts.filter(({ order_id }) => order_id === timeline?.order?.name);
  const box = byId("trace-outside");
  box.hidden = own.length === 0;
  const lines = own.map(({ order_id, amount, currency, status }) =>
    el("li", {}, el("b", {}, `${amount} ${currency}`), ` · ${order_id} · ${told(status)}`),
  );
  box.replaceChildren(el("p", {}, t("gateway_paid", { count: own.length })), el("ul", {}, lines));
}
