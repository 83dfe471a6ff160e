// A game without a network: this browser keeps it, and taps go from phone to phone.

import { isAlone, takeOver } from "./sync.js";
import { table } from "./queue.js";
import { tap } from "./taps.js";
import { formatClock } from "../times.js";

// A browser that has not begun to keep pages after this time never will, in milliseconds.
const PATIENCE = 20_000;
// No phone's taps fill a larger file, in bytes.
const LARGEST_FILE = 1_000_000;
const MARK = "#taps=";

const panel = document.getElementById("table-along");
const words = panel.dataset;
const state = panel.querySelector("[data-along-state]");
const offer = panel.querySelector("[data-hand-over]");
const button = panel.querySelector("[data-take]");
const dialog = document.getElementById("table-attempts");
const { serviceWorker } = navigator;

/**
 * Shows since when the game is on this phone. The time is stored beside the pages themselves, and deleted with them.
 */
async function tellSince() {
  const answer = await caches.match(`${location.pathname}?along`);
  const time = Number(await answer?.text());
  const shown = formatClock(new Date(time));
  state.textContent = time ? words.taken.replace("TIME", shown) : words.none;
  return Boolean(time);
}

/** Puts the game on this phone. */
async function take() {
  state.textContent = words.taking;
  await serviceWorker.register("/offline.js");
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
  const { active } = await Promise.race([serviceWorker.ready, late]);
  active.postMessage({ along: [location.pathname, ...words.pages.split(" ")] });
}

/** Puts the game on this phone the first time by itself, unless it saves data. */
async function takeOnce() {
  serviceWorker.addEventListener("message", ({ data }) => {
    if (data.along) tryTo(tellSince);
  });
  const isHere = await tellSince();
  if (!isHere && !navigator.connection?.saveData) await take();
}

/** Does something that a browser may refuse, or never finish. */
async function tryTo(task) {
  try {
    await task();
  } catch {
    state.textContent = words.unable;
    button.hidden = true;
  }
}

/** Offers the taps that wait here to another phone. */
async function offerTaps() {
  const rows = table.queue;
  offer.hidden = !rows.length;
  if (!offer.open || !rows.length) return;
  const { show } = await import("./handover.js");
  show(panel, rows);
}

/** Asks whether to take over the taps of another phone. */
async function askAbout(text) {
  const { ask } = await import("./handover.js");
  ask(words, document.getElementById("table-arrived"), text, takeOver);
}

/** Reads taps out of the page's address. */
function readAddress() {
  if (!location.hash.startsWith(MARK)) return;
  askAbout(location.hash.slice(MARK.length));
  history.replaceState(null, "", location.pathname);
}

/** Reads taps out of a file. */
async function readFile({ target }) {
  const [file] = target.files;
  if (file) await askAbout(file.size < LARGEST_FILE ? await file.text() : null);
  target.value = "";
}

/** Shows the possible actions of a figure, as computed in advance; or else the page that explains why not. */
async function showAttempts(link) {
  try {
    const { show } = await import("./attempts.js");
    await show(dialog, link, tap);
  } catch {
    location.assign(link.href);
  }
}

button.addEventListener("click", () => tryTo(take));
tryTo(takeOnce);
// A spectator has no taps.
if (offer) {
  offer.addEventListener("toggle", offerTaps);
  document.addEventListener("table:waits", offerTaps);
  offerTaps();
  panel.querySelector("input").addEventListener("change", readFile);
  addEventListener("hashchange", readAddress);
  readAddress();
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-figure] a[href]");
  if (!dialog || !link || !isAlone()) return;
  event.preventDefault();
  showAttempts(link.closest("[data-figure]").querySelector("[data-actions]"));
});
panel.hidden = false;
