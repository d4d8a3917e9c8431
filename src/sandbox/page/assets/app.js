import { post, untilIdle } from "./api.js";
import { Cast } from "./cast.js";
import { DeskPanel } from "./desk-panel.js";
import { createDialogs } from "./dialogs.js";
import { byId, el } from "./dom.js";
import { FIRST_LEAD, LeadPanel } from "./lead-panel.js";
import { coalesced, listen } from "./live.js";
import { Modal } from "./modal.js";
import { drawStories, Player } from "./player.js";
import { STORIES } from "./stories.js";
import { createTabs } from "./tabs.js";
import { language, t } from "./texts.js";
import { attempt } from "./toasts.js";
import { TracePanel } from "./trace-panel.js";
import { createWorld, placeOf, placeOfEvent } from "./world.js";
import { createWorldMenu } from "./world-menu.js";

const SHOWN_LEAD = "countersign-playground-lead";
/** Long enough for what is under way; what takes longer is looked at after the next event. */
const SETTLE_LIMIT_MS = 30_000;
const DESK_CHATS = {
  operators: { slack: "C0OPERATORS", telegram: -1002000000001, isReview: false },
  staff: { slack: "C0REVIEW", telegram: -1002000000002, isReview: true },
};
const COMMANDS = [
  "/whoami",
  "/pending",
  "/tools",
  "/booking",
  "/booking set https://calendly.com/your-desk",
];

/** Puts the page together: what happens outside goes to the panels, what is done goes to the API. */
async function start() {
  const hasProduct = document.body.dataset.product === "yes";
  const world = createWorld();
  const tabs = createTabs({ onShow: (name) => name === "trace" && trace?.showNewest() });
  const modal = new Modal();
  const trace = hasProduct ? new TracePanel({ onChange: () => tabs.mark("trace") }) : null;
  const lead = new LeadPanel(world, {
    onPlace(place, name) {
      sessionStorage.setItem(SHOWN_LEAD, place);
      staff.follow(name);
      trace?.choose(place);
    },
  });
  const parts = { world, modal, onMessenger: clearMark };
  const operators = new DeskPanel("operators", DESK_CHATS.operators, parts);
  const staff = new DeskPanel("staff", DESK_CHATS.staff, parts);
  // whoever reads this page in a language gets the cards in it, too
  const speak = () => (hasProduct ? attempt(() => post("/language", { language })) : undefined);
  const menu = createWorldMenu({
    onReset() {
      void speak();
      trace?.read();
    },
  });
  drawCommands(staff);
  await speak();
  await world.readLists();
  lead.select(sessionStorage.getItem(SHOWN_LEAD) ?? FIRST_LEAD);
  operators.start();
  staff.start();
  const settle = settling(trace);
  world.onEvent((event) => {
    lead.take(event);
    menu.take(event);
    markUnseen(event, { lead, operators, staff, tabs });
  });
  listen(Number(document.body.dataset.after), {
    world(event) {
      world.take(event);
      if (hasProduct) settle();
    },
    product: () => trace?.read(),
    state: (state) => showPulse(state),
  });
  const player = hasProduct ? makePlayer({ world, lead, operators, modal, menu }, tabs) : null;
  createDialogs({ watch: () => player?.play(STORIES[0]) });
  document.body.dataset.ready = "yes";
}

function makePlayer(parts, { focus }) {
  const player = new Player({ makeCast: () => new Cast({ ...parts, focus }), focus });
  drawStories(STORIES, player);
  return player;
}

/** What the product writes last makes no event of the world: it is read once all is quiet. */
function settling(trace) {
  return coalesced(async () => {
    byId("pulse").dataset.busy = "yes";
    await untilIdle(SETTLE_LIMIT_MS);
    byId("pulse").dataset.busy = "no";
    trace?.read();
  }, 150);
}

/** A mark on a column, and on its messenger that is not shown, when the bot has said something. */
function markUnseen(event, { lead, operators, staff, tabs }) {
  if (!/\.(message|message_edited)$/.test(event.kind)) return;
  const place = placeOfEvent(event);
  if (place === lead.place) tabs.mark("lead");
  for (const [name, panel] of Object.entries({ operators, staff })) {
    for (const messenger of ["slack", "telegram"]) {
      if (place !== placeOf(messenger, DESK_CHATS[name][messenger])) continue;
      tabs.mark(name);
      const label = labelOf(name, messenger);
      if (panel.messenger !== messenger) label?.classList.add("unseen");
    }
  }
}

function clearMark(name, messenger) {
  labelOf(name, messenger)?.classList.remove("unseen");
}

function labelOf(name, messenger) {
  return document.querySelector(`input[name="${name}-messenger"][value="${messenger}"]`)
    ?.parentElement;
}

function drawCommands(staff) {
  byId("staff-commands").replaceChildren(
    ...COMMANDS.map((command) =>
      el(
        "button",
        { type: "button", class: "chip", on: { click: () => staff.composer.fill(command) } },
        command,
      ),
    ),
  );
}

function showPulse(state) {
  byId("pulse").dataset.state = state;
  byId("pulse-text").textContent = t(state === "live" ? "live" : "away");
}

void start();
