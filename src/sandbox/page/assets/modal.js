import { post } from "./api.js";
import { byId, el } from "./dom.js";
import { t } from "./texts.js";
import { attempt, toast } from "./toasts.js";

/**
 * Slack's modal: the bot opens it for one person, who fills it in here. The page beside it stays
 * usable: other people go on, and a story's next step may be what fills it in.
 */
export class Modal {
  #dialog = byId("form-dialog");
  #view = null;
  #user = "";
  #focusedBefore = null;

  constructor() {
    byId("modal-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
    byId("form-cancel").addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#dialog.close();
    });
    this.#dialog.addEventListener("close", () => this.#closed());
  }

  get isOpen() {
    return this.#view !== null;
  }

  /** @param {string} user  account of the person who sees it */
  open(view, user) {
    this.#view = view;
    this.#user = user;
    this.#draw();
    if (this.#dialog.open) return;
    this.#focusedBefore = document.activeElement;
    this.#dialog.show();
  }

  fill(text) {
    const field = this.#dialog.querySelector(".field-input");
    if (field) field.value = text;
  }

  async submit() {
    if (!this.#view) return;
    const fields = [...this.#dialog.querySelectorAll(".field-input")];
    const values = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    const path = `/slack/views/${this.#view.id}/submit`;
    const answer = await attempt(() => post(path, { user: this.#user, values }));
    if (!answer) return;
    if (answer.result === "errors") this.#showErrors(answer.errors);
    else if (answer.view) this.open(answer.view, this.#user);
    else {
      this.#view = null;
      this.#dialog.close();
      if (answer.result === "timeout") toast(t("form_timeout"), "bad");
    }
  }

  #closed() {
    this.#focusedBefore?.focus();
    if (!this.#view) return;
    const path = `/slack/views/${this.#view.id}/close`;
    this.#view = null;
    void attempt(() => post(path, { user: this.#user }));
  }

  #draw() {
    const { title, submit, text, inputs, errors } = this.#view;
    byId("form-title").textContent = title;
    byId("form-submit").textContent = submit || t("answer_send");
    const isOnlyLabels = inputs.map((input) => input.label).join("\n") === text;
    byId("form-fields").replaceChildren(
      ...(isOnlyLabels || !text ? [] : [el("p", { class: "muted" }, text)]),
      ...inputs.map(fieldOf),
    );
    this.#showErrors(errors ?? {});
  }

  #showErrors(errors) {
    const fields = [...this.#dialog.querySelectorAll(".field")];
    for (const [label, text] of Object.entries(errors)) {
      const note = fields.find((field) => field.dataset.label === label);
      note?.querySelector(".field-error")?.replaceChildren(text);
    }
  }
}

function fieldOf({ label, block_id, type, optional, options }) {
  const common = { class: "field-input", name: block_id };
  const chosen = (options ?? []).map((option) => el("option", { value: option }, option));
  const written = type === "plain_text_input" ? "textarea" : "input";
  return el(
    "label",
    { class: "field", data: { label } },
    el("span", {}, optional ? `${label} ${t("optional")}` : label),
    options ? el("select", common, chosen) : el(written, { ...common, rows: "3" }),
    el("span", { class: "field-error", role: "alert" }),
  );
}
