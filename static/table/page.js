// The page of a table: its parts, its texts, and the game as the server sent it.

export const form = document.getElementById("table");
export const words = form.dataset;
export const game = JSON.parse(document.getElementById("table-game").textContent);

/** "Anselme: out of action", with the colon as the language writes it. */
export function say(figure, told) {
  return words.of.replace(/FIGURE|WORDS/g, (part) => (part === "FIGURE" ? figure : told));
}

/** The first part that matches a selector. */
export function one(selector, within = form) {
  return within.querySelector(selector);
}

/** All parts that match a selector. */
export function all(selector, within = form) {
  return [...within.querySelectorAll(selector)];
}

/** Writes a text, unless it is there already. */
export function write(element, text = "") {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Moves the focus without scrolling the page. */
export function focus(element) {
  element?.focus({ preventScroll: true });
}
