import { html } from "hono/html";
import { icon } from "./icons.ts";
import type { PageTexts } from "./texts.ts";

interface Choice {
  value: string;
  label: string;
  /** What the person may do here. */
  role?: string;
}

/** The columns: who writes, who countersigns, who watches, and what was decided. */
export function renderPanels(texts: PageTexts, hasProduct: boolean) {
  return html`<main class="board" id="board" data-tab="lead">
${renderLead(texts)}
${renderOperators(texts)}
${renderStaff(texts)}
${hasProduct ? renderTrace(texts) : ""}
</main>`;
}

/** Shown where the columns do not fit beside each other. */
export function renderTabs({ tabs }: PageTexts, hasProduct: boolean) {
  const names = ["lead", "operators", "staff", "trace"] as const;
  const shown = names.filter((name) => name !== "trace" || hasProduct);
  return html`<nav class="tabs" id="tabs">${shown.map(
    (name, index) =>
      html`<button type="button" data-tab="${name}" aria-controls="panel-${name}" aria-current="${index === 0 ? "true" : "false"}">${icon(name)}<span>${tabs[name]}</span><span class="badge" hidden></span></button>`,
  )}</nav>`;
}

function renderLead({ lead, attach, write, send }: PageTexts) {
  const choices = [
    { value: "telegram", label: "Telegram" },
    { value: "slack", label: "Slack" },
  ];
  return html`<section class="panel" id="panel-lead" data-panel="lead" aria-labelledby="lead-title">
<div class="panel-head">
${heading("lead", lead.title, lead.note)}
<div class="panel-pick">
${segments("lead-messenger", lead.messenger, choices)}
<select id="lead-chat" aria-label="${lead.client}"></select>
</div>
</div>
${log("lead", lead.log)}
<p class="typing" id="lead-typing" hidden>${lead.typing}</p>
<div class="offer" id="lead-offer" hidden></div>
<div class="chips" id="lead-suggestions"></div>
<div class="attachments" id="lead-attachments" hidden></div>
<form class="composer" id="lead-form" autocomplete="off">
<button type="button" class="bare" id="lead-attach" aria-expanded="false" aria-controls="lead-attachments" aria-label="${attach}" title="${attach}">${icon("attach")}</button>
<textarea id="lead-text" rows="1" aria-label="${write}" placeholder="${write}"></textarea>
<button type="submit" class="primary round" aria-label="${send}" title="${send}">${icon("send")}</button>
</form>
<input type="file" id="lead-file" hidden tabindex="-1">
</section>`;
}

function renderOperators({ operators, actAs, roles, writeStaff, send }: PageTexts) {
  const choices = [
    { value: "slack", label: operators.channel },
    { value: "telegram", label: operators.group },
  ];
  const people = [
    { value: "alice", label: "Alice", role: roles.operator },
    { value: "bob", label: "Bob", role: roles.operator },
    { value: "eve", label: "Eve", role: roles.stranger },
  ];
  return html`<section class="panel" id="panel-operators" data-panel="operators" aria-labelledby="operators-title">
<div class="panel-head">
${heading("operators", operators.title, operators.note)}
${segments("operators-messenger", operators.title, choices)}
${segments("operators-person", actAs, people, "people")}
</div>
${log("operators", operators.log)}
${composer("operators", writeStaff, send)}
</section>`;
}

function renderStaff({ staff, actAs, roles, writeStaff, send }: PageTexts) {
  const choices = [
    { value: "slack", label: staff.channel },
    { value: "telegram", label: staff.forum },
  ];
  const people = [
    { value: "ada", label: "Ada", role: roles.admin },
    { value: "alice", label: "Alice", role: roles.operator },
    { value: "bob", label: "Bob", role: roles.operator },
    { value: "eve", label: "Eve", role: roles.stranger },
  ];
  return html`<section class="panel" id="panel-staff" data-panel="staff" aria-labelledby="staff-title">
<div class="panel-head">
${heading("staff", staff.title, staff.note)}
${segments("staff-messenger", staff.title, choices)}
${segments("staff-person", actAs, people, "people")}
<select id="staff-thread" aria-label="${staff.thread}" hidden></select>
</div>
${log("staff", staff.log)}
<div class="chips" id="staff-commands"></div>
${composer("staff", writeStaff, send)}
</section>`;
}

function renderTrace({ trace }: PageTexts) {
  return html`<section class="panel" id="panel-trace" data-panel="trace" aria-labelledby="trace-title">
<div class="panel-head">
${heading("trace", trace.title, trace.note)}
<p><a href="/admin">${trace.admin}</a></p>
<div class="facts" id="trace-facts"></div>
</div>
${log("trace", trace.log)}
<div class="outside" id="trace-outside" hidden></div>
</section>`;
}

function heading(name: string, title: string, note: string) {
  return html`<div class="panel-title"><h2 id="${name}-title">${title}</h2><p>${note}</p></div>`;
}

/** `tabindex`: a list that scrolls can be scrolled from the keyboard. */
function log(name: string, label: string) {
  return html`<div class="log" id="${name}-log" role="log" aria-live="polite" aria-label="${label}" tabindex="0"></div>`;
}

function composer(name: string, write: string, send: string) {
  return html`<form class="composer" id="${name}-form" autocomplete="off">
<textarea id="${name}-text" rows="1" aria-label="${write}" placeholder="${write}"></textarea>
<button type="submit" class="round" aria-label="${send}" title="${send}">${icon("send")}</button>
</form>`;
}

function segments(name: string, label: string, choices: Choice[], look = "") {
  const inputs = choices.map(
    ({ value, label: text, role }, index) =>
      html`<label><input type="radio" name="${name}" value="${value}" ${index === 0 ? "checked" : ""}><span>${text}${role ? html`<small>${role}</small>` : ""}</span></label>`,
  );
  const legend = html`<legend class="${look === "people" ? "" : "hidden"}">${label}</legend>`;
  return html`<fieldset class="segments ${look}">${legend}<div>${inputs}</div></fieldset>`;
}
