import { el, showList } from "./dom.js";
import { messageView } from "./message-view.js";

const NEAR_BOTTOM_PX = 80;

/**
 * A scrolling list of messages that stays at its end while new ones come, unless somebody has
 * scrolled up.
 * @param {HTMLElement} node
 * @param {Omit<import("./message-view.js").MessageActions, "find" | "waitsForAnswer">} actions
 * @param {{ empty(): string }} options
 */
export function createChatLog(node, actions, { empty }) {
  let messages = [];
  const all = {
    ...actions,
    find: (id) => messages.find((message) => message.id === id),
    waitsForAnswer: (question) => !messages.some((message) => message.replyTo === question.id),
  };
  return {
    /** `isOther`: the list is that of another chat now. */
    show(list, isOther = false) {
      const isAtEnd =
        isOther || node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_BOTTOM_PX;
      messages = list;
      node.setAttribute("aria-busy", String(isOther)); // what was said before is not read out
      const last = messages.at(-1);
      showList(node, entriesOf(messages, empty()), {
        key: (entry) => entry.key,
        sign: (entry) => `${JSON.stringify(entry)}${all.actor()}${all.waitsForAnswer(entry)}`,
        render: (entry) =>
          entry.empty === undefined
            ? messageView(entry, all)
            : el("p", { class: "empty" }, entry.empty),
      });
      if (isAtEnd && last) node.scrollTop = node.scrollHeight;
      node.setAttribute("aria-busy", "false");
    },
    /** The button under a message, if it is shown. */
    buttonOf(message, label) {
      return [...node.querySelectorAll("button.press")].find(
        (button) => button.dataset.message === message.id && button.dataset.label === label,
      );
    },
  };
}

function entriesOf(messages, empty) {
  if (messages.length === 0) return [{ key: "empty", id: "", empty }];
  return messages.map((message) => ({ ...message, key: `${message.messenger}${message.id}` }));
}
