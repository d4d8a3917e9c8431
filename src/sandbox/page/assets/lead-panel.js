import { attachmentMessage, drawAttachments } from "./attachments.js";
import { createChatLog } from "./chat-log.js";
import { createComposer } from "./composer.js";
import { choose, onChoice, press, write } from "./deeds.js";
import { byId, el } from "./dom.js";
import { Offer } from "./offer.js";
import { nameOf, SLACK_LEAD } from "./people.js";
import { language, t } from "./texts.js";
import { attempt, toast } from "./toasts.js";
import { placeOf, splitPlace } from "./world.js";

export const FIRST_LEAD = placeOf("telegram", 1001);
/** New clients count on from here, below the accounts of the staff. */
const NEW_LEADS = { from: 1100, to: 2000 };
const TYPING_MS = 6000;

/** The client's private chat with the bot, in either messenger. */
export class LeadPanel {
  #world;
  #onPlace;
  #place = "";
  #stopWatching = () => {};
  #typingTimer;
  /** Names of clients who have not written yet: the messenger does not know them. */
  #fresh = new Map();
  #log;

  constructor(world, { onPlace }) {
    this.#world = world;
    this.#onPlace = onPlace;
    this.#log = createChatLog(
      byId("lead-log"),
      {
        press: (message, button, node) => this.#press(message, button, node),
        actor: () => String(this.#where().user),
        isOwn: (message) => !message.fromBot,
        hidesNames: true,
      },
      { empty: () => t("lead_empty") },
    );
    this.composer = createComposer("lead", (text) => this.#send(text, {}));
    this.offer = new Offer({
      say: (text) => this.#send(text, {}),
      attach: (kind) => this.attach(kind),
    });
    drawAttachments((kind, file) => this.attach(kind, file));
    drawSuggestions((text) => this.composer.fill(text));
    this.#listenToChoices();
  }

  get place() {
    return this.#place;
  }

  get messages() {
    return this.#world.messages(this.#place);
  }

  watch(watcher) {
    return this.#world.watch(this.#place, watcher);
  }

  /** A client whom nobody knows yet, under this name. @returns {string} the name */
  meet(name) {
    const { from, to } = NEW_LEADS;
    const known = [...this.#privateIds()].filter((id) => id < to);
    const id = Math.max(from, ...known) + 1;
    this.#fresh.set(id, name);
    this.select(placeOf("telegram", id));
    return name;
  }

  select(next) {
    if (next === this.#place) return;
    this.#stopWatching();
    this.#place = next;
    const { messenger } = splitPlace(next);
    choose("lead-messenger", messenger);
    byId("panel-lead").dataset.messenger = messenger;
    this.#fillChats();
    this.#showTyping(false);
    this.#log.show([], true);
    this.offer.show(next, []);
    let isFirst = true;
    this.#stopWatching = this.#world.watch(next, () => {
      this.#draw(isFirst);
      isFirst = false;
    });
    this.#onPlace(next, this.#name);
  }

  /** Sends a file of the kind; what stands in the field goes with it. */
  async attach(kind, file) {
    const { messenger, user } = this.#where();
    const field = byId("lead-text");
    const caption = field.value.trim();
    const given = { messenger, file, caption, account: user };
    const more = await attempt(() => attachmentMessage(kind, given));
    if (!more) return;
    if (caption !== "") field.value = "";
    await this.#send(null, more);
  }

  take(event) {
    const isHere = event.data?.chatId && placeOf("telegram", event.data.chatId) === this.#place;
    if (event.kind === "telegram.action" && isHere) this.#showTyping(true);
    if (event.kind === "loaded") this.#fillChats();
    if (event.kind !== "world.reset") return;
    this.#fresh.clear();
    this.select(FIRST_LEAD);
  }

  get #name() {
    const { messenger, id } = splitPlace(this.#place);
    return messenger === "slack" ? nameOf(SLACK_LEAD.user) : this.#nameOf(Number(id));
  }

  #where() {
    const { messenger, id } = splitPlace(this.#place);
    return { messenger, chat: id, user: messenger === "slack" ? SLACK_LEAD.user : id };
  }

  #draw(isOther) {
    const { messages } = this;
    if (messages.at(-1)?.fromBot) this.#showTyping(false);
    this.#log.show(messages, isOther);
    this.offer.show(this.#place, messages);
  }

  #send(text, more) {
    const where = this.#where();
    const name = this.#fresh.get(Number(where.chat));
    const person = { language_code: language, ...(name ? { first_name: name } : {}) };
    const all = where.messenger === "slack" ? more : { ...person, ...more };
    return attempt(() => write(where, text, { more: all }));
  }

  async #press(message, button, node) {
    node.disabled = true;
    const answer = await attempt(() => press(this.#where(), message, button));
    node.disabled = false;
    toast(answer?.answer?.text);
  }

  #listenToChoices() {
    byId("lead-chat").addEventListener("change", ({ target }) => {
      if (target.value === "new") this.meet(nextName(this.#privateIds().size));
      else this.select(target.value);
    });
    onChoice("lead-messenger", (messenger) => {
      const slack = placeOf("slack", SLACK_LEAD.channel);
      this.select(messenger === "slack" ? slack : FIRST_LEAD);
    });
  }

  #privateIds() {
    const known = this.#world.chats.filter(({ type }) => type === "private").map(({ id }) => id);
    return new Set([...known, ...this.#fresh.keys()]);
  }

  #fillChats() {
    const select = byId("lead-chat");
    const isSlack = splitPlace(this.#place).messenger === "slack";
    const option = (value, text) => el("option", { value }, text);
    const ids = isSlack ? [] : [...this.#privateIds()];
    select.replaceChildren(
      ...(isSlack ? [option(this.#place, nameOf(SLACK_LEAD.user))] : []),
      ...ids.map((id) => option(placeOf("telegram", id), this.#nameOf(id))),
      ...(isSlack ? [] : [option("new", t("new_client"))]),
    );
    select.value = this.#place;
    select.disabled = isSlack;
  }

  #nameOf(id) {
    const name = this.#fresh.get(id) ?? nameOf(id);
    return name === String(id) ? t("client_number", { id }) : name;
  }

  #showTyping(isTyping) {
    clearTimeout(this.#typingTimer);
    byId("lead-typing").hidden = !isTyping;
    if (isTyping) this.#typingTimer = setTimeout(() => this.#showTyping(false), TYPING_MS);
  }
}

const NAMES = {
  en: ["Mia", "Noah", "Emma", "Liam", "Zoe", "Max", "Ruth", "Omar"],
  ru: ["Олег", "Вера", "Иван", "Аня", "Марк", "Юля", "Павел", "Рита"],
};

/** Names in turn, each once: a card is found by its client's name. */
export function nextName(number) {
  const list = NAMES[language];
  const round = Math.floor(number / list.length);
  const name = list[number % list.length];
  return round === 0 ? name : `${name} ${round + 1}`;
}

function drawSuggestions(take) {
  const texts = [1, 2, 3, 4, 5].map((number) => t(`suggestion_${number}`));
  byId("lead-suggestions").replaceChildren(
    ...texts.map((text) =>
      el("button", { type: "button", class: "chip", on: { click: () => take(text) } }, text),
    ),
  );
}
