// The news of others: a page that waits for them asks while it is in sight, and shows them by itself.

import { isChanged } from "./fields.js";
import { announce } from "./messages.js";

const PAUSE = 5_000;
const FIELDS = "input:not([type=hidden]), textarea, select";
const TYPING = "main :is(input, textarea, select, summary)";
const BUSY = ".htmx-request, dialog[open]";

// The news that a reader who types has been informed of.
const announced = { state: "" };

/** The part of the page that gives its state, if it waits for others. */
function findWaiting(within = document) {
  return within.querySelector("[data-waits]");
}

/** Whether the reader is typing, or has typed: then the page is left alone. */
function isBusy(main) {
  if (document.activeElement?.matches(TYPING) || document.querySelector(BUSY)) return true;
  return [...main.querySelectorAll(FIELDS)].some(isChanged);
}

/** Fetches the page as it is now, if it has changed since. */
async function fetchPage(since) {
  const address = new URL(location.href);
  address.searchParams.set("since", since);
  try {
    const answer = await fetch(address);
    if (answer.status !== 200 || answer.redirected) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("main");
  } catch {
    return null;
  }
}

/**
 * Puts the news into the page, with its width and title: a page that waits for a job becomes another one. A reader at a
 * button or a link finds themselves at the same one.
 */
function show(main, news) {
  const focused = main.contains(document.activeElement) ? document.activeElement : main;
  document.title = news.ownerDocument.title;
  main.className = news.className;
  main.replaceChildren(...news.childNodes);
  window.htmx?.process(main);
  for (const button of main.querySelectorAll("[data-copy]")) button.hidden = false;
  if (focused === main) return;
  const isAlike = (element) =>
    element.textContent === focused.textContent && element.getAttribute("href") === focused.getAttribute("href");
  const same = [...main.querySelectorAll("a, button")].find(isAlike) ?? main;
  same.focus({ preventScroll: true });
}

/** Looks for news, and shows them, or only announces them to a reader who types. */
async function lookForNews() {
  const page = findWaiting();
  const main = document.querySelector("main");
  if (!page?.dataset.waits || document.hidden || !navigator.onLine) return;
  // While the reader types, only news after those already announced count.
  const since = (isBusy(main) && announced.state) || page.dataset.waits;
  if (since === "none") return;
  const news = await fetchPage(since);
  if (!news || page !== findWaiting()) return;
  if (isBusy(main)) {
    const state = findWaiting(news)?.dataset.waits ?? "none";
    if (state !== announced.state) announce(page.dataset.ask);
    announced.state = state;
    return;
  }
  announced.state = "";
  show(main, news);
  announce(page.dataset.news);
}

const first = findWaiting();
if (first) setInterval(lookForNews, Number(first.dataset.pause ?? PAUSE));
