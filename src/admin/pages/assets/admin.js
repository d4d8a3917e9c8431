// Everything works without this file: it only makes the review queue quicker.
const calls = [...document.querySelectorAll("article.call")];

document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
  const call = target.closest?.("article.call");
  if (!call) return;
  const label = call.querySelectorAll(".labels button")[Number(key) - 1];
  if (label) {
    event.preventDefault();
    label.click();
    return;
  }
  const step = { j: 1, k: -1 }[key.toLowerCase()];
  if (step) focusCall(calls[calls.indexOf(call) + step]);
});

// after a label the next call is at hand; no element is named so, else the browser would take the focus
if (location.hash === "#next") focusCall(calls[0]);

function focusCall(call) {
  call?.querySelector(".labels button")?.focus();
}

function isTyping(node) {
  return node.matches?.("input:not([type=checkbox]), textarea, select");
}
