/** The closed list of ReactionTypeEmoji: no skin tones, and ❤ without its variation selector. */
const REACTIONS = new Set(
  (
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 " +
    "😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 " +
    "🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

/** Anything else is refused, as by Telegram. */
export function isReaction(emoji: string): boolean {
  return REACTIONS.has(emoji);
}
