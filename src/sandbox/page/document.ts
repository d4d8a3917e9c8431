import { html, raw } from "hono/html";
import { renderDialogs } from "./dialogs.ts";
import { icon, iconSprite } from "./icons.ts";
import type { PageLanguage } from "./language.ts";
import { renderPanels, renderTabs } from "./panels.ts";
import { PAGE_TEXTS, type PageTexts } from "./texts.ts";

/** What the page has to know before it asks for anything. */
export interface PageState {
  language: PageLanguage;
  /** False: the emulators run alone, for a bot in another process. */
  hasProduct: boolean;
  /** Number of the newest event that the chats, read afterwards, are sure to show. */
  after: number;
  /** How far the played clock is ahead. */
  offsetMs: number;
  env: Record<string, string>;
}

const STYLES = ["base", "layout", "chat", "slack", "trace", "dialogs", "player", "narrow"];

/** The whole page; what happens in it comes later, by the modules in `assets`. */
export function renderPage(state: PageState) {
  const texts = PAGE_TEXTS[state.language];
  const styles = STYLES.map(
    (name) => html`<link rel="stylesheet" href="/sandbox/assets/${name}.css">`,
  );
  return html`${raw("<!doctype html>")}
<html lang="${state.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${texts.title}</title>
<link rel="icon" type="image/svg+xml" href="/sandbox/assets/icon.svg">
${styles}
<script type="module" src="/sandbox/assets/app.js"></script>
</head>
<body data-after="${state.after}" data-offset="${state.offsetMs}" data-product="${state.hasProduct ? "yes" : "no"}">
${iconSprite()}
<a class="skip" href="#lead-text">${texts.skip}</a>
${renderTop(state, texts)}
${state.hasProduct ? renderPlayer(texts) : renderAlone(state, texts)}
${renderPanels(texts, state.hasProduct)}
${renderTabs(texts, state.hasProduct)}
${renderDialogs(texts, state.hasProduct)}
<div class="toasts" id="toasts" role="status" aria-live="polite"></div>
<noscript><p class="no-script">${texts.needsScript}</p></noscript>
</body>
</html>`;
}

function renderTop({ language, hasProduct }: PageState, texts: PageTexts) {
  const other = language === "ru" ? "en" : "ru";
  return html`<header class="top">
<h1 class="brand"><img src="/sandbox/assets/icon.svg" alt="" width="28" height="28">
<span>Countersign <small>${texts.brandNote}</small></span></h1>
<p class="stand-in"><code>sandbox-rules</code> <span>${texts.standIn}</span></p>
<p class="pulse" id="pulse" data-state="live"><span class="dot"></span><span id="pulse-text">${texts.live}</span></p>
<div class="top-actions">
${
  hasProduct
    ? html`<button type="button" class="primary" id="open-stories">${icon("play")}<span>${texts.playStory}</span></button>`
    : ""
}
<button type="button" id="forward" title="${texts.clock}">${icon("clock")}<span>${texts.forward}</span></button>
<button type="button" id="open-world" aria-label="${texts.worldTitle}">${icon("world")}<span>${texts.world}</span><span class="count" id="fault-count" hidden></span></button>
<button type="button" id="open-about" class="bare" aria-label="${texts.about}" title="${texts.about}">${icon("about")}</button>
<a class="language" href="?lang=${other}" hreflang="${other}" lang="${other}" aria-label="${texts.language}: ${texts.otherLanguage}">${other.toUpperCase()}</a>
</div>
</header>`;
}

function renderPlayer({ player, stories }: PageTexts) {
  return html`<section class="player" id="player" aria-label="${stories.title}" hidden>
<div class="player-head">
<strong id="player-title"></strong>
<span class="player-count" id="player-count"></span>
<progress id="player-progress" value="0" max="1" aria-labelledby="player-title"></progress>
</div>
<div class="player-say" role="status" aria-live="polite">
<p class="player-action" id="player-action"></p>
<p class="player-look"><b>${player.look}:</b> <span id="player-look"></span></p>
</div>
<div class="player-actions">
<button type="button" id="player-pause" aria-pressed="false">${icon("pause")}<span>${player.pause}</span></button>
<button type="button" id="player-next" class="primary">${icon("next")}<span>${player.next}</span></button>
<button type="button" id="player-stop" class="bare" aria-label="${player.stop}" title="${player.stop}">${icon("close")}</button>
</div>
</section>`;
}

function renderAlone({ env }: PageState, { alone }: PageTexts) {
  const lines = [["SANDBOX", "off"], ...Object.entries(env)].map(([k, v]) => `${k}=${v}`);
  return html`<section class="alone" aria-labelledby="alone-title">
<h2 id="alone-title">${alone.title}</h2>
<p>${alone.note}</p>
<details><summary>SANDBOX=off …</summary><pre tabindex="0">${lines.join("\n")}</pre></details>
<p>${alone.how}</p>
</section>`;
}
