import { byId } from "./dom.js";

const SEEN = "countersign-playground-seen";

/** Opens and closes what stands above the page. */
export function createDialogs({ watch }) {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector("[data-close]")?.addEventListener("click", () => dialog.close());
    // a click on what it covers lands on the dialog itself
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && dialog.matches(":modal")) dialog.close();
    });
  }
  opens("open-about", "intro");
  opens("open-world", "world");
  opens("open-stories", "stories");
  const intro = byId("intro");
  byId("intro-look").addEventListener("click", () => {
    intro.close();
    // where a keyboard is at hand one can write at once; a screen keyboard would hide the page
    if (matchMedia("(pointer: fine)").matches) byId("lead-text").focus();
  });
  byId("intro-watch").addEventListener("click", () => {
    intro.close();
    watch();
  });
  intro.addEventListener("close", remember);
  if (!isSeen()) intro.showModal();
}

function opens(button, dialog) {
  document.getElementById(button)?.addEventListener("click", () => byId(dialog).showModal());
}

function isSeen() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false; // a browser that keeps nothing
  }
}

function remember() {
  try {
    localStorage.setItem(SEEN, "yes");
  } catch {
    // it greets once more the next time
  }
}
