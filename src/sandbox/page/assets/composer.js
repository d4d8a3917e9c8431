import { byId } from "./dom.js";

/**
 * A field for a message: Enter sends, Shift+Enter begins a line.
 * @param {string} name      of the panel
 * @param {(text: string) => Promise<unknown> | unknown} send
 */
export function createComposer(name, send) {
  const form = byId(`${name}-form`);
  const field = byId(`${name}-text`);
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, 140)}px`;
  };
  const submit = async (event) => {
    event?.preventDefault();
    const text = field.value.trim();
    if (text === "") return;
    field.value = "";
    grow();
    await send(text);
  };
  form.addEventListener("submit", submit);
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return {
    fill(text) {
      field.value = text;
      grow();
      field.focus();
    },
    /** Writes it before everybody's eyes, then sends it. */
    async typeAndSend(text) {
      const isQuick = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const step = Math.max(1, Math.ceil(text.length / TYPING_FRAMES));
      for (let end = step; !isQuick && end < text.length; end += step) {
        field.value = text.slice(0, end);
        grow();
        await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
      }
      field.value = text;
      await submit();
    },
  };
}

const TYPING_FRAMES = 30;
const FRAME_MS = 24;
