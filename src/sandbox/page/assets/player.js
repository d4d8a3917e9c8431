import { untilIdle } from "./api.js";
import { byId, el, icon } from "./dom.js";
import { t } from "./texts.js";

const READ_AT_LEAST_MS = 3500;
const READ_LETTER_MS = 55;

/**
 * Plays a story before everybody's eyes: one step, then quiet, then time to read. Paused, the next
 * step waits for the button. `data-state` says what it does now: running, reading, paused, done.
 */
export class Player {
  #box = byId("player");
  #parts;
  /** Grows with each story: what an older one still does is told to nobody. */
  #generation = 0;
  #isPaused = false;
  #timer;
  #letGo = () => {};

  /** @param {{ makeCast(): any, focus(panel: string): void }} parts */
  constructor(parts) {
    this.#parts = parts;
    byId("player-next").addEventListener("click", () => {
      if (this.#box.dataset.state === "done") byId("stories").showModal();
      else this.#letGo();
    });
    byId("player-pause").addEventListener("click", () => this.#pause(!this.#isPaused));
    byId("player-stop").addEventListener("click", () => this.stop());
  }

  /** @param {import("./stories.js").Story} story */
  async play(story, { stepByStep = false } = {}) {
    this.stop();
    const own = this.#generation;
    byId("stories").close();
    this.#box.hidden = false;
    byId("player-title").textContent = t(`story_${story.id}`);
    this.#pause(stepByStep);
    const steps = story.steps(this.#parts.makeCast());
    byId("player-progress").max = steps.length;
    for (const [index, step] of steps.entries()) {
      await this.#run(step, { index, count: steps.length });
      if (own !== this.#generation) return;
      if (index < steps.length - 1) await this.#reading(step);
      if (own !== this.#generation) return;
    }
    this.#mark("done");
    byId("player-action").textContent = t("story_done");
    labelNext("other_stories");
  }

  stop() {
    this.#generation += 1;
    this.#letGo();
    this.#box.hidden = true;
    this.#parts.focus("");
  }

  async #run(step, { index, count }) {
    byId("player-count").textContent = t("step_count", { now: index + 1, count });
    byId("player-progress").value = index + 1;
    labelNext("next_step");
    say(step.action, "");
    this.#mark("running");
    try {
      await step.run();
      const waiting = await untilIdle();
      say(step.action, waiting.length > 0 ? t("still_busy", { what: waiting[0] }) : step.look);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      say(step.action, t("step_failed", { why }));
    }
    this.#parts.focus(step.panel);
  }

  /** Until the button is pressed or, unless paused, the caption was read. */
  #reading({ look }) {
    return new Promise((resolve) => {
      this.#letGo = () => {
        clearTimeout(this.#timer);
        this.#letGo = () => {};
        resolve(undefined);
      };
      this.#mark(this.#isPaused ? "paused" : "reading");
      if (this.#isPaused) return;
      const readMs = Math.max(READ_AT_LEAST_MS, look.length * READ_LETTER_MS);
      this.#timer = setTimeout(() => this.#letGo(), readMs);
    });
  }

  #pause(isPaused) {
    this.#isPaused = isPaused;
    const button = byId("player-pause");
    button.setAttribute("aria-pressed", String(isPaused));
    const label = el("span", {}, t(isPaused ? "go_on" : "pause"));
    button.replaceChildren(icon(isPaused ? "play" : "pause"), label);
    clearTimeout(this.#timer);
    if (isPaused && this.#box.dataset.state === "reading") this.#mark("paused");
    if (!isPaused && this.#box.dataset.state === "paused") this.#letGo();
  }

  #mark(state) {
    this.#box.dataset.state = state;
    byId("player-next").disabled = state === "running";
    byId("player-pause").disabled = state === "done";
  }
}

function say(action, look) {
  byId("player-action").textContent = action;
  byId("player-look").textContent = look;
  byId("player-look").parentElement.hidden = look === "";
}

function labelNext(key) {
  byId("player-next").querySelector("span").textContent = t(key);
}

/** The stories to choose from. @param {import("./stories.js").Story[]} stories */
export function drawStories(stories, player) {
  byId("story-list").replaceChildren(...stories.map((story) => entryOf(story, player)));
}

function entryOf(story, player) {
  const play = () => player.play(story);
  const inSteps = () => player.play(story, { stepByStep: true });
  return el(
    "li",
    { data: { story: story.id } },
    el("div", {}, el("b", {}, t(`story_${story.id}`)), el("p", {}, t(`story_${story.id}_about`))),
    el(
      "div",
      { class: "row" },
      el(
        "button",
        { type: "button", class: "primary", data: { play: "on" }, on: { click: play } },
        icon("play"),
        el("span", {}, t("play")),
      ),
      el(
        "button",
        { type: "button", data: { play: "steps" }, on: { click: inSteps } },
        t("step_by_step"),
      ),
    ),
  );
}
