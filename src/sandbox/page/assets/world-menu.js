import { get, post } from "./api.js";
import { byId, el } from "./dom.js";
import { coalesced } from "./live.js";
import { dayOf, t } from "./texts.js";
import { attempt, toast } from "./toasts.js";

const FAULTS = [
  {
    key: "fault_payout",
    fault: { service: "payout", kind: "drop_response_after_effect", delay_ms: 3000, count: 1 },
  },
  { key: "fault_payout_down", fault: { service: "payout", kind: "down", count: 1 } },
  { key: "fault_model", fault: { service: "model", kind: "status", status: 500, count: 3 } },
  { key: "fault_slack", fault: { service: "slack", kind: "status", status: 503, count: 20 } },
  {
    key: "fault_telegram",
    fault: { service: "telegram", kind: "status", status: 429, retry_after: 3, count: 2 },
  },
  { key: "fault_chain", fault: { service: "chain", kind: "status", status: 503, count: 3 } },
];

/** Faults, played time and reset: what happens to the world as a whole. */
export function createWorldMenu({ onReset }) {
  let offsetMs = Number(document.body.dataset.offset);
  const read = coalesced(async () => drawFaults(await get("/faults")));
  byId("fault-buttons").replaceChildren(
    ...FAULTS.map(({ key, fault }) =>
      el(
        "button",
        { type: "button", on: { click: () => attempt(() => post("/faults", fault)) } },
        t(key),
      ),
    ),
  );
  byId("forward").addEventListener("click", () => forward(900));
  for (const button of document.querySelectorAll("[data-advance]")) {
    button.addEventListener("click", () => forward(Number(button.dataset.advance)));
  }
  listenToReset(onReset);
  setInterval(drawTime, 15_000);
  const menu = {
    forward,
    read,
    take(event) {
      if (event.at !== undefined) offsetMs = event.at - Date.now();
      if (event.kind === "world.clock") drawTime();
      if (/^(fault\.|world\.reset)/.test(event.kind)) read();
    },
  };
  read();
  drawTime();
  return menu;

  async function forward(seconds) {
    const moved = await attempt(() => post("/clock", { advance_s: seconds }));
    if (moved) toast(t("clock_moved", { time: dayOf(moved.now) }));
  }

  function drawTime() {
    byId("played-time").textContent = dayOf(Date.now() + offsetMs);
    byId("forward").title = t("clock_now", { time: dayOf(Date.now() + offsetMs) });
  }
}

function drawFaults(faults) {
  const count = byId("fault-count");
  count.hidden = faults.length === 0;
  count.textContent = String(faults.length);
  byId("fault-list").replaceChildren(
    ...faults.map((fault) =>
      el(
        "li",
        {},
        el(
          "span",
          {},
          t("fault_open", {
            service: fault.service,
            kind: fault.kind.replaceAll("_", " "),
            count: fault.count,
          }),
        ),
        el(
          "button",
          {
            type: "button",
            class: "bare small",
            on: { click: () => attempt(() => post("/faults", { ...fault, count: 0 })) },
          },
          t("fault_clear"),
        ),
      ),
    ),
  );
}

/** Nothing is deleted before it was asked twice. */
function listenToReset(onReset) {
  const ask = (isAsked) => {
    byId("reset-ask").hidden = !isAsked;
    byId("reset").hidden = isAsked;
    if (isAsked) byId("reset-no").focus();
  };
  byId("reset").addEventListener("click", () => ask(true));
  byId("reset-no").addEventListener("click", () => ask(false));
  byId("reset-yes").addEventListener("click", async () => {
    const done = await attempt(() => post("/reset", {}));
    ask(false);
    if (!done) return;
    byId("world").close();
    onReset();
    toast(t("reset_done"), "good");
  });
}
