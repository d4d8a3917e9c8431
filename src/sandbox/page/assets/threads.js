import { byId, el } from "./dom.js";
import { t } from "./texts.js";

const TITLE_LENGTH = 48;

/** Which thread or topic is shown: that of the client, else the one that was written in last. */
export function createThreads(name, onChange) {
  const select = byId(`${name}-thread`);
  let chosen = null;
  let current = null;
  let followed = "";
  select.addEventListener("change", () => {
    chosen = select.value;
    onChange();
  });
  return {
    current: () => (current === "all" ? null : current),
    /** The client whose thread is shown until somebody chooses another. */
    follow(title) {
      chosen = null;
      followed = title;
      onChange();
    },
    choose(messages, topics) {
      const threads = threadsOf(messages, topics);
      select.hidden = threads.length === 0;
      if (threads.length === 0) {
        current = null;
        return messages;
      }
      const known = threads.some(({ id }) => id === chosen) || chosen === "all";
      const own = threads.find(({ title }) => followed !== "" && title.includes(followed));
      current = known ? chosen : (own ?? threads[0])?.id;
      select.replaceChildren(
        ...threads.map(({ id, title }) => el("option", { value: id }, title)),
        el("option", { value: "all" }, t("all_threads")),
      );
      select.value = current;
      if (current === "all") return messages;
      // what stands in no thread (answers to commands) is shown below every one
      return messages.filter(
        (one) => one.thread === current || one.id === current || isLoose(one, threads),
      );
    },
  };
}

function isLoose(message, threads) {
  return message.thread === null && !threads.some(({ id }) => id === message.id);
}

/** Newest activity first. */
function threadsOf(messages, topics) {
  const found = new Map();
  for (const message of messages) {
    if (message.thread === null) continue;
    found.delete(message.thread);
    found.set(message.thread, titleOf(message.thread, messages, topics));
  }
  return [...found].reverse().map(([id, title]) => ({ id, title }));
}

function titleOf(id, messages, topics) {
  const topic = topics.find(({ thread_id }) => String(thread_id) === id);
  const root = messages.find((message) => message.id === id);
  const title = topic?.name ?? root?.text.split("\n")[0] ?? id;
  return title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title;
}
