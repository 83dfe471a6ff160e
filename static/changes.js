// Changes of a page, one at a time: a press while another one is in progress waits for its turn, since the answer may
// replace its button.

import { findAgain, identify } from "./places.js";

// ``running``: the press in progress; ``waiting``: those that follow.
const presses = { running: null, waiting: [] };

/** Adds to a request what htmx does not know. */
function configure({ detail: { parameters, triggeringEvent } }) {
  // A card opened earlier carries the version of that moment. The page as a whole is newer, and its owner has seen it.
  const current = document.querySelector("[data-version]");
  if (current && parameters.version !== undefined) parameters.version = current.dataset.version;
  // htmx forgets which button was pressed when the focus leaves it, as it may while a press waits for its turn.
  const pressed = triggeringEvent?.submitter;
  if (pressed?.name) parameters[pressed.name] = pressed.value;
}

/**
 * Lets a press wait if another one is in progress. The same button twice counts once, unless its form may be repeated.
 */
function queueUp(event) {
  const { target: form, submitter } = event;
  if (!form.hasAttribute("hx-post")) return;
  const pressed = identify(submitter ?? form);
  submitter?.setAttribute("aria-busy", "true");
  if (!presses.running) {
    presses.running = { ...pressed, at: form };
    return;
  }
  event.preventDefault();
  event.stopImmediatePropagation();
  const isSame = ({ marks, places }) => marks === pressed.marks && places[0] === pressed.places[0];
  if (!form.hasAttribute("data-repeat") && [presses.running, ...presses.waiting].some(isSame)) return;
  presses.waiting.push({ ...pressed, form: form.id });
}

/** Presses a button that has waited, if it is still there. */
function pressAgain(waiting) {
  const form = waiting.form && document.getElementById(waiting.form);
  if (waiting.tag === "form") {
    if (form) form.requestSubmit();
    return;
  }
  const [button] = findAgain(waiting);
  if (button) button.form.requestSubmit(button);
}

/** Goes on with the press that has waited longest. */
function goOn() {
  presses.running = null;
  while (presses.waiting.length && !presses.running) pressAgain(presses.waiting.shift());
}

/** Ends a change. Without an answer, nothing follows. */
function end({ detail: { requestConfig, successful, xhr } }) {
  if (requestConfig?.verb !== "post") return;
  for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
  if (!successful && !xhr.status) presses.waiting = [];
  setTimeout(goOn);
}

/** Ignores an older answer, such as that of a search, that would remove a form still waiting for its own answer. */
function leaveOut({ detail }) {
  const { running } = presses;
  if (detail.requestConfig.verb === "get" && running && detail.target.contains(running.at)) detail.shouldSwap = false;
}

/** Starts without waiting requests on a page that the browser kept. */
function startOver({ persisted }) {
  if (!persisted) return;
  presses.waiting = [];
  goOn();
}

document.addEventListener("htmx:configRequest", configure);
document.addEventListener("submit", queueUp, { capture: true });
document.addEventListener("htmx:afterRequest", end);
document.addEventListener("htmx:validation:halted", goOn);
document.addEventListener("htmx:beforeSwap", leaveOut);
addEventListener("pageshow", startOver);
