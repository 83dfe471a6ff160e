// The comforts of all pages beyond htmx. Each page works without them.

import "./changes.js";
import { rememberFingerprints } from "./fingerprints.js";
import { say, textOf } from "./messages.js";
import "./news.js";
import { formatDay } from "./times.js";

const TAB_MARGIN = 40;
// The reader and the day of the last look at this browser's subscription.
const COMPARED = "push-compared";

// Lists that send themselves. By keyboard every arrow key changes the choice, so it is only sent when the reader moves
// on to something else, or presses Enter.
const lists = { byKey: false };

/** The list that an event is about, if it sends itself. */
function findList({ target }) {
  return target.closest?.("[data-autosubmit]");
}

/** Sends a list with a choice, once. */
function sendList(list) {
  if (!list?.form || list.dataset.sent || list.selectedIndex < 1) return;
  list.dataset.sent = "yes";
  list.form.requestSubmit();
}

document.addEventListener("pointerdown", () => {
  lists.byKey = false;
});
document.addEventListener("keydown", (event) => {
  lists.byKey = event.key !== "Enter";
  if (!lists.byKey) sendList(findList(event));
});
document.addEventListener("change", (event) => {
  if (!lists.byKey) sendList(findList(event));
});
document.addEventListener("focusout", (event) => sendList(findList(event)));
// A list whose request has failed can be sent again.
document.addEventListener("htmx:afterRequest", ({ target }) => {
  for (const list of target.querySelectorAll("[data-sent]")) delete list.dataset.sent;
});

/** Scrolls the current tab into sight where not all tabs fit. */
function showCurrentTab() {
  const tab = document.querySelector(".tabs [aria-current]");
  if (!tab) return;
  const tabs = tab.closest(".tabs");
  tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - TAB_MARGIN;
}

/** Copies an address or a text, and says so. Browsers offer a clipboard only over a safe connection. */
async function copy(button) {
  const address = document.getElementById(button.dataset.copy);
  const said = button.parentElement.querySelector("[data-copied]");
  getSelection().selectAllChildren(address);
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(address.textContent);
    else if (!document.execCommand("copy")) return;
  } catch {
    return;
  }
  said.textContent = said.dataset.copied;
}

/** Hands an address or a text to the device's own sharing. */
function share(button) {
  const shown = document.getElementById(button.dataset.share);
  const kind = shown.matches("pre") ? "text" : "url";
  navigator.share({ title: button.dataset.title, [kind]: shown.textContent }).catch(() => {});
}

/** Shares in one press what the link leads to; without the device's own sharing, the link is followed. */
function shareNow(event) {
  const link = event.target.closest("[data-share-now]");
  const shown = link && document.getElementById(link.dataset.shareNow);
  if (!shown || !navigator.share) return;
  event.preventDefault();
  navigator.share({ title: link.dataset.title, url: shown.textContent }).catch(() => {});
}

/** Hands a picture of this site to the device's own sharing. */
async function sendPicture({ dataset }) {
  const answer = await fetch(dataset.send);
  if (!answer.ok) return;
  const picture = await answer.blob();
  const files = [new File([picture], dataset.name, { type: picture.type })];
  if (navigator.canShare({ files })) await navigator.share({ title: dataset.title, files });
}

for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
for (const button of document.querySelectorAll("[data-send]")) button.hidden = !navigator.canShare;
for (const button of document.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
document.addEventListener("click", ({ target }) => {
  const copying = target.closest("[data-copy]");
  const sharing = target.closest("[data-share]");
  const sending = target.closest("[data-send]");
  if (sending) sendPicture(sending).catch(() => {});
  if (copying) copy(copying);
  if (sharing) share(sharing);
});

document.addEventListener("click", shareNow);

/** Closes open menus when the reader presses elsewhere. */
function closeMenus({ target }) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== target.closest("details.menu")) menu.open = false;
  }
}

/** Closes the open menu by keyboard. */
function closeMenuByKey({ key }) {
  const menu = key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

document.addEventListener("click", closeMenus);
document.addEventListener("keydown", closeMenuByKey);

/** The number of taps that wait to be sent. A browser that stores nothing loses nothing. */
async function countUnsent() {
  try {
    const { taps } = await import("./outbox.js");
    return (await taps()).length;
  } catch {
    return 0;
  }
}

/** Warns a reader who signs out while taps wait, since these would be deleted. */
async function warnOfUnsent(event) {
  const form = event.target;
  if (!("unsent" in form.dataset) || form.dataset.sure) return;
  event.preventDefault();
  const number = await countUnsent();
  form.dataset.sure = "yes";
  if (number) say(form.dataset.unsent.replace("NUMBER", number));
  else form.requestSubmit();
}

document.addEventListener("submit", warnOfUnsent);

/** Shows how old a page from the browser's store is. A table shows it itself. */
function sayKept() {
  const { kept } = document.body.dataset;
  if (!kept || document.getElementById("table")) return;
  const time = formatDay(new Date(Number(kept)));
  say(textOf("kept").replace("TIME", time));
}

/**
 * Shows our own page in place of one that cannot be fetched. Browsers allow it only over a safe connection; elsewhere
 * they show their own words.
 */
async function registerWorker() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  serviceWorker.register("/offline.js").catch(() => {});
  // The very first page was loaded without it.
  if (serviceWorker.controller || !("keep" in document.body.dataset)) return;
  const { active } = await serviceWorker.ready;
  active.postMessage({ keep: location.href.split("#")[0] });
}

/** Whether this browser has not compared its subscription today for the present reader. Notes that it does now. */
function isFirstToday() {
  const today = `${document.body.dataset.who} ${new Date().toDateString()}`;
  try {
    if (localStorage.getItem(COMPARED) === today) return false;
    localStorage.setItem(COMPARED, today);
    return true;
  } catch {
    return false;
  }
}

/** Has the worker notice once a day that the browser has renewed its subscription, so that notices go on. */
async function compareSubscription() {
  const { push, kept } = document.body.dataset;
  if (push === undefined || kept || window.Notification?.permission !== "granted" || !navigator.serviceWorker) return;
  if (!isFirstToday()) return;
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({ compare: true });
}

showCurrentTab();
sayKept();
registerWorker();
compareSubscription();
rememberFingerprints(document.querySelectorAll("[data-remember]"));
