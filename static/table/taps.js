// A press shows immediately, and is sent when possible. Without scripts, buttons belong to forms.

import { describe, draw, enliven, keepInPlace } from "./draw.js";
import { all, form, game, one, words, write } from "./page.js";
import { addTaps, findLastAct, kept, store, table, tellOfWaiting } from "./queue.js";
import { start, wake } from "./sync.js";

const note = document.querySelector(".table-note");
const undo = one(".table-undo");

/** Notes the taps of one act, with these words for it. */
export function tap(taps, described) {
  addTaps(taps, described);
  if (words.report && taps[0].kind === "over") table.leaves = true;
  // The first tap closes the opponent's place.
  document.querySelector("#table-place[data-free]")?.removeAttribute("open");
  write(one(".table-said"), described);
  draw();
  wake();
}

/** Notes the tap of a button. */
function press(button) {
  const taps = JSON.parse(button.value);
  const [first] = taps;
  // Several have no name.
  tap(taps, describe(button, first.kind === "back" && taps[1] ? {} : first));
  button.closest("[popover]:popover-open")?.hidePopover();
  const figure = button.closest("[data-figure]");
  if (!figure) return;
  const panel = one("details", figure);
  const { life } = game.fixed;
  const { out, tracks } = table.shown.figures[first.figure];
  if (first.kind === "out" && !first.mark) panel.open = false;
  // A figure without life is probably out: who took it out?
  if (first.track === life && first.by < 0 && !out && tracks[life][0] === 0) panel.open = true;
}

/**
 * Shows the attacks of a figure that is opened, while the buttons below stay under the finger that is on its way to them.
 * Without a network there is the page of its actions, which the phone keeps.
 */
async function showAttacks({ target, newState }) {
  const place = newState === "open" ? target.querySelector("[data-attacks]") : null;
  if (!place) return;
  try {
    const answer = await fetch(place.dataset.attacks);
    if (!answer.ok || answer.redirected) return;
    const html = await answer.text();
    keepInPlace(place.parentElement, () => {
      place.innerHTML = html;
    });
  } catch {
    place.replaceChildren();
  }
}

/** Undoes the last act of this person. */
function undoLast() {
  const last = findLastAct();
  if (!last) return;
  const { led = [] } = table.own.find(({ act }) => act === last.act) ?? {};
  tap([last.act, ...led].map((act) => ({ kind: "undone", act })), `${words.undone} ${last.told}`);
}

/** Forgets which taps were refused. */
function clearAside() {
  store(() => {
    kept.aside = "";
  });
  tellOfWaiting();
}

form.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "taps") return;
  event.preventDefault();
  press(event.submitter);
});
form.addEventListener("click", ({ target }) => target.closest('[popover] a[href^="#"]')?.closest("[popover]").hidePopover());
// It does not bubble.
form.addEventListener("toggle", showAttacks, true);
note?.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = one("[name=text]", note);
  const text = field.value.trim();
  if (!text) return;
  tap([{ kind: "said", text }], text);
  field.value = "";
});
if (undo) {
  undo.hidden = false;
  undo.addEventListener("click", undoLast);
  one("button", one(".table-aside")).addEventListener("click", clearAside);
}
enliven();
start();
