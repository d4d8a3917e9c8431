import { html } from "hono/html";
import { icon } from "./icons.ts";
import type { PageTexts } from "./texts.ts";

/** Everything that opens above the page; Esc closes each of them. */
export function renderDialogs(texts: PageTexts, hasProduct: boolean) {
  return html`${renderIntro(texts, hasProduct)}${renderStories(texts)}${renderWorld(texts)}
<dialog id="form-dialog" aria-labelledby="form-title">
<form method="dialog" id="modal-form" novalidate>
<div class="dialog-head"><h2 id="form-title"></h2></div>
<div class="dialog-body" id="form-fields"></div>
<div class="dialog-actions">
<button type="button" id="form-cancel">${texts.cancel}</button>
<button type="submit" class="primary" id="form-submit"></button>
</div>
</form>
</dialog>`;
}

function renderIntro({ intro, close }: PageTexts, hasProduct: boolean) {
  return html`<dialog id="intro" aria-labelledby="intro-title">
<div class="dialog-head"><h2 id="intro-title">${intro.title}</h2>${closeButton(close)}</div>
<div class="dialog-body intro-text">${intro.sentences.map((sentence) => html`<p>${sentence}</p>`)}</div>
<div class="dialog-actions">
<button type="button" id="intro-look">${intro.look}</button>
<button type="button" class="primary" id="intro-watch" autofocus ${hasProduct ? "" : "hidden"}>${icon("play")}<span>${intro.watch}</span></button>
</div>
</dialog>`;
}

function renderStories({ stories, close }: PageTexts) {
  return html`<dialog id="stories" aria-labelledby="stories-title">
<div class="dialog-head"><h2 id="stories-title">${stories.title}</h2>${closeButton(close)}</div>
<div class="dialog-body"><p class="muted">${stories.note}</p><ul class="stories" id="story-list"></ul></div>
</dialog>`;
}

function renderWorld(texts: PageTexts) {
  return html`<dialog id="world" aria-labelledby="world-title">
<div class="dialog-head"><h2 id="world-title">${texts.worldTitle}</h2>${closeButton(texts.close)}</div>
<div class="dialog-body">
<p class="muted">${texts.worldNote}</p>
<h3>${texts.faults}</h3>
<div class="fault-buttons" id="fault-buttons"></div>
<ul class="faults" id="fault-list"></ul>
<h3>${texts.clock}</h3>
<p class="clock-row"><time id="played-time"></time>
<button type="button" data-advance="900">${texts.forward}</button>
<button type="button" data-advance="3600">${texts.hours.one}</button>
<button type="button" data-advance="86400">${texts.hours.day}</button></p>
<h3>${texts.reset}</h3>
<p class="muted">${texts.resetNote}</p>
<div id="reset-ask" hidden><p><b>${texts.resetAsk}</b></p>
<p class="row"><button type="button" class="danger" id="reset-yes">${texts.resetYes}</button>
<button type="button" id="reset-no">${texts.cancel}</button></p></div>
<button type="button" class="danger" id="reset">${texts.reset}…</button>
</div>
</dialog>`;
}

function closeButton(label: string) {
  return html`<button type="button" class="bare" data-close aria-label="${label}" title="${label}">${icon("close")}</button>`;
}
