import { byId } from "./dom.js";

/** Which panel a narrow screen shows, and the marks on those that changed unseen. */
export function createTabs({ onShow }) {
  const board = byId("board");
  const buttons = [...byId("tabs").querySelectorAll("button")];
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.tab));
  return { show, focus, mark };

  function show(name) {
    board.dataset.tab = name;
    for (const button of buttons) {
      button.setAttribute("aria-current", String(button.dataset.tab === name));
      if (button.dataset.tab === name) button.querySelector(".badge").hidden = true;
    }
    const log = byId(`${name}-log`);
    log.scrollTop = log.scrollHeight; // a hidden list cannot be scrolled
    onShow(name);
  }

  /** Lights a panel up and, on a narrow screen, brings it to the front; "" puts the light out. */
  function focus(name) {
    for (const panel of board.children) {
      panel.classList.toggle("lit", panel.dataset.panel === name);
    }
    if (name !== "") show(name);
  }

  function mark(name) {
    const button = buttons.find(({ dataset }) => dataset.tab === name);
    if (button && board.dataset.tab !== name) button.querySelector(".badge").hidden = false;
  }
}
