import { createChatLog } from "./chat-log.js";
import { createComposer } from "./composer.js";
import { choose, command, onChoice, press, react, write } from "./deeds.js";
import { byId } from "./dom.js";
import { PEOPLE } from "./people.js";
import { t } from "./texts.js";
import { createThreads } from "./threads.js";
import { attempt, toast } from "./toasts.js";
import { placeOf } from "./world.js";

/**
 * A column for people of the desk: one channel in Slack, one group in Telegram, and who acts.
 * `isReview`: the conversations stand there in threads, and staff react to them.
 */
export class DeskPanel {
  #name;
  #chats;
  #parts;
  #messenger = "slack";
  #person;
  #threads;
  #log;
  #stopWatching = () => {};

  /**
   * @param {string} name     `operators` or `staff`
   * @param {{ slack: string, telegram: number, isReview: boolean }} chats
   * @param {{ world: any, modal: any, onMessenger(name: string, messenger: string): void }} parts
   */
  constructor(name, chats, parts) {
    this.#name = name;
    this.#chats = chats;
    this.#parts = parts;
    this.#person = document.querySelector(`input[name="${name}-person"]:checked`)?.value;
    this.#threads = chats.isReview ? createThreads(name, () => this.#draw(true)) : null;
    this.#log = createChatLog(byId(`${name}-log`), this.#actions(), {
      empty: () => t(`${name}_empty`),
    });
    this.composer = createComposer(name, (text) => this.#say(text, null));
    onChoice(`${name}-messenger`, (messenger) => this.show(messenger));
    onChoice(`${name}-person`, (person) => this.act(person));
  }

  get messenger() {
    return this.#messenger;
  }

  get messages() {
    return this.#parts.world.messages(this.#place);
  }

  watch(watcher) {
    return this.#parts.world.watch(this.#place, watcher);
  }

  /** Shows the messenger's chat. */
  show(messenger) {
    choose(`${this.#name}-messenger`, messenger);
    if (messenger !== this.#messenger) {
      this.#messenger = messenger;
      this.start();
    }
    this.#parts.onMessenger(this.#name, messenger);
  }

  /** From now on this person acts here. */
  act(person) {
    this.#person = person;
    choose(`${this.#name}-person`, person);
    this.#draw(false);
  }

  /** Shows the thread of this client. */
  follow(name) {
    this.#threads?.follow(name);
  }

  start() {
    this.#stopWatching();
    byId(`panel-${this.#name}`).dataset.messenger = this.#messenger;
    this.#draw(true);
    let isFirst = true;
    this.#stopWatching = this.watch(() => {
      this.#draw(isFirst);
      isFirst = false;
    });
  }

  /** Lights a button up before it is pressed. */
  point(message, label) {
    const button = this.#log.buttonOf(message, label);
    button?.scrollIntoView({ block: "nearest" });
    button?.classList.add("pointed");
    return button;
  }

  async press(message, button, node) {
    if (node) node.disabled = true;
    const answer = await attempt(() => press(this.#where, message, button));
    if (node) node.disabled = false;
    this.#tell(answer);
  }

  get #place() {
    return placeOf(this.#messenger, this.#chats[this.#messenger]);
  }

  get #where() {
    const messenger = this.#messenger;
    const user = PEOPLE[this.#person][messenger];
    return { messenger, chat: this.#chats[messenger], user };
  }

  #actions() {
    const reacting = (message, reaction) => attempt(() => react(this.#where, message, reaction));
    return {
      press: (message, button, node) => this.press(message, button, node),
      ...(this.#chats.isReview ? { react: reacting } : {}),
      answer: (message, text) => this.#say(text, message.id),
      actor: () => String(this.#where.user),
      isOwn: () => false,
    };
  }

  #draw(isOther) {
    const { messages } = this;
    const topics = this.#parts.world.topics(this.#place);
    const shown = this.#threads ? this.#threads.choose(messages, topics) : messages;
    this.#log.show(inThreads(shown), isOther);
  }

  #say(text, replyTo) {
    const thread = this.#threads?.current() ?? null;
    const isCommand = this.#messenger === "slack" && text.startsWith("/");
    if (!isCommand) return attempt(() => write(this.#where, text, { thread, replyTo }));
    return attempt(async () => {
      const answer = await command(this.#where, text);
      this.#tell(answer);
      if (!answer.answer && !answer.view) toast(t("no_answer", { command: text.split(" ")[0] }));
    });
  }

  /** A form opens; a private answer of Slack stands in the channel, one of Telegram only here. */
  #tell(answer) {
    if (answer?.view) this.#parts.modal.open(answer.view, String(this.#where.user));
    else if (answer?.answer && !answer.answer.ephemeral_for) toast(answer.answer.text);
  }
}

/** Slack: replies stand below what they answer. */
function inThreads(messages) {
  const roots = new Set(messages.filter((one) => !hasRoot(one)).map(({ id }) => id));
  const isReply = (message) => hasRoot(message) && roots.has(message.thread);
  return messages
    .filter((message) => !isReply(message))
    .flatMap((root) => [root, ...messages.filter((one) => isReply(one) && one.thread === root.id)]);
}

function hasRoot({ messenger, thread, id }) {
  return messenger === "slack" && thread !== null && thread !== id;
}
