import { el } from "./dom.js";
import { t } from "./texts.js";

/** The five that mean something to the desk, under their names in both messengers. */
export const REACTIONS = [
  { emoji: "👍", slack: "+1", meaning: "react_good" },
  { emoji: "👎", slack: "-1", meaning: "react_other" },
  { emoji: "🤔", slack: "thinking_face", meaning: "react_wrong" },
  { emoji: "🤷", slack: "shrug", meaning: "react_missing" },
  { emoji: "✍", slack: "writing_hand", meaning: "react_args" },
];

function nameIn(message, reaction) {
  return message.messenger === "slack" ? reaction.slack : reaction.emoji;
}

/** What stands on a message, and, where one may react, the five to add. */
export function reactionBar(message, actions) {
  const others = message.reactions.filter(
    ({ emoji }) => !REACTIONS.some((reaction) => nameIn(message, reaction) === emoji),
  );
  const canReact = actions.react !== undefined && message.fromBot;
  if (!canReact && message.reactions.length === 0) return null;
  const known = REACTIONS.filter((reaction) => canReact || usersOf(message, reaction).length > 0);
  return el(
    "div",
    { class: "reactions" },
    known.map((reaction) => reactionButton(message, reaction, actions)),
    others.map(({ emoji, users }) =>
      el("span", { class: "reaction on" }, `${shown(emoji)} ${users.length}`),
    ),
  );
}

function usersOf(message, reaction) {
  return message.reactions.find(({ emoji }) => emoji === nameIn(message, reaction))?.users ?? [];
}

function reactionButton(message, reaction, actions) {
  const users = usersOf(message, reaction);
  const isMine = users.includes(actions.actor());
  const label = `${reaction.emoji} ${t(reaction.meaning)}`;
  const picture = inColour(reaction.emoji);
  const text = users.length > 0 ? `${picture} ${users.length}` : picture;
  if (!actions.react) return el("span", { class: "reaction on", title: label }, text);
  return el(
    "button",
    {
      type: "button",
      class: `reaction${users.length > 0 ? " on" : ""}`,
      title: label,
      "aria-label": label,
      "aria-pressed": String(isMine),
      on: { click: () => actions.react(message, { ...reaction, isMine }) },
    },
    text,
  );
}

/** With the selector that asks for colour; the messengers know the reaction without it. */
function inColour(emoji) {
  return emoji === "✍" ? "✍\ufe0f" : emoji;
}

function shown(emoji) {
  return /^[\w+-]+$/.test(emoji) ? `:${emoji}:` : emoji;
}
