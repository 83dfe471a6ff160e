// The page of a table: its parts, its texts, and the game as the server told it.

export const form = document.getElementById("table");
export const words = form.dataset;
export const game = JSON.parse(document.getElementById("table-game").textContent);

/** The first part that a selector fits. */
export function one(selector, within = form) {
  return within.querySelector(selector);
}

/** All parts that a selector fits. */
export function all(selector, within = form) {
  return [...within.querySelectorAll(selector)];
}

/** Writes a text, unless it stands there already. */
export function write(element, text = "") {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Moves the focus, and not the page. */
export function focus(element) {
  element?.focus({ preventScroll: true });
}
