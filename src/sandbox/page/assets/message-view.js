import { el, icon } from "./dom.js";
import { telegramText } from "./marked-text.js";
import { fileView } from "./media-view.js";
import { hueOf, nameOf } from "./people.js";
import { reactionBar } from "./reactions.js";
import { slackBlocks } from "./slack-blocks.js";
import { t, timeOf } from "./texts.js";

/** @typedef {import("./messages.js").Message} Message */

/**
 * What can be done with the messages of a log.
 * @typedef {object} MessageActions
 * @property {(message: Message, button: any, node: HTMLButtonElement) => void} press
 * @property {((message: Message, emoji: any) => void) | undefined} [react]
 * @property {((message: Message, text: string) => void) | undefined} [answer]
 * @property {() => string} actor        account of who acts
 * @property {(message: Message) => boolean} isOwn
 * @property {boolean} [hidesNames]      two people: the side says who speaks
 * @property {(message: Message) => boolean} waitsForAnswer
 * @property {(id: string) => Message | undefined} find
 */

/** @param {Message} message @param {MessageActions} actions */
export function messageView(message, actions) {
  return message.messenger === "slack"
    ? slackMessage(message, actions)
    : telegramMessage(message, actions);
}

function telegramMessage(message, actions) {
  const isOwn = actions.isOwn(message);
  const text =
    message.text && el("div", { class: "text" }, telegramText(message.text, message.entities));
  return el(
    "article",
    { class: `message telegram${isOwn ? " own" : ""}${message.fromBot ? " bot" : ""}` },
    el(
      "div",
      { class: "bubble" },
      isOwn || actions.hidesNames
        ? null
        : el(
            "div",
            { class: `author hue-${hueOf(nameOf(message.author))}` },
            nameOf(message.author),
          ),
      quoteOf(message, actions),
      message.files.map(fileView),
      text,
      stampOf(message),
    ),
    message.buttons.length > 0 &&
      el(
        "div",
        { class: "keyboard" },
        message.buttons.map((row) => keyboardRow(message, row, actions)),
      ),
    message.asksReply && actions.answer && actions.waitsForAnswer(message)
      ? answerForm(message, actions)
      : null,
    reactionBar(message, actions),
  );
}

function keyboardRow(message, row, actions) {
  return el(
    "div",
    { class: "row" },
    row.map((button) =>
      button.url
        ? el(
            "a",
            { class: "button", href: button.url, target: "_blank", rel: "noopener noreferrer" },
            button.label,
          )
        : pressable(message, button, actions),
    ),
  );
}

/** A button of the bot; `data-label` finds it again. */
function pressable(message, button, actions) {
  const node = el(
    "button",
    {
      type: "button",
      class: `press ${button.style ?? ""}`,
      data: { label: button.label, message: message.id },
      on: { click: () => actions.press(message, button, node) },
    },
    button.label,
  );
  return node;
}

function quoteOf(message, actions) {
  const replied = message.replyTo === null ? undefined : actions.find(message.replyTo);
  if (!replied) return null;
  const [line = ""] = replied.text.split("\n");
  return el("div", { class: "quote" }, el("b", {}, nameOf(replied.author)), " ", line);
}

function stampOf(message) {
  const marks = [
    message.isProtected ? el("span", { title: t("protected") }, icon("lock")) : null,
    message.isEdited ? t("edited") : null,
    el("time", {}, timeOf(message.at)),
  ];
  return el("div", { class: "stamp" }, marks);
}

/** The bot has no forms in Telegram: it asks, and the answer is a reply to the question. */
function answerForm(message, actions) {
  const input = el("input", { type: "text", "aria-label": t("answer"), placeholder: t("answer") });
  const submit = (event) => {
    event.preventDefault();
    if (input.value.trim() !== "") actions.answer(message, input.value.trim());
  };
  return el(
    "form",
    { class: "answer", on: { submit } },
    input,
    el("button", { type: "submit", class: "primary" }, t("answer_send")),
  );
}

function slackMessage(message, actions) {
  const name = nameOf(message.author);
  const body = message.blocks?.length
    ? slackBlocks(message.blocks, (button) => pressable(message, button, actions))
    : plainText(message.text);
  return el(
    "article",
    {
      class: `message slack${message.fromBot ? " bot" : ""}${message.privateFor ? " private" : ""}${message.thread && message.thread !== message.id ? " threaded" : ""}`,
    },
    avatar(name, message.fromBot),
    el(
      "div",
      { class: "body" },
      message.privateFor &&
        el("div", { class: "only" }, t("only_visible", { name: nameOf(message.privateFor) })),
      el(
        "div",
        { class: "author" },
        el("b", {}, name),
        message.fromBot ? el("span", { class: "app" }, "APP") : null,
        stampOf(message),
      ),
      message.blocks?.length || message.text ? body : null,
      message.files.map(fileView),
      message.privateFor ? null : reactionBar(message, actions),
    ),
  );
}

/** Lines that begin with ">" are what somebody else said. */
function plainText(text) {
  const lines = text.split("\n");
  const pieces = [];
  for (const line of lines) {
    const isQuote = /^> ?/.test(line);
    const last = pieces.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(line);
    else pieces.push({ isQuote, lines: [line] });
  }
  return pieces.map(({ isQuote, lines: own }) =>
    isQuote
      ? el("div", { class: "quote said" }, own.map((line) => line.replace(/^> ?/, "")).join("\n"))
      : el("div", { class: "block-text" }, own.join("\n")),
  );
}

function avatar(name, isBot) {
  const inside = isBot ? el("img", { src: "/sandbox/assets/icon.svg", alt: "" }) : name.slice(0, 1);
  return el("span", { class: `avatar hue-${hueOf(name)}`, "aria-hidden": "true" }, inside);
}
