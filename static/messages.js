// Messages to the reader: a visible banner, and words for screen readers.

// Answers of these kinds carry a sentence of the site; a whole page is from a web server in front of it.
const WITH_SENTENCE = [413, 503];
const PAUSE = 100;

/** The banner at the top of the page; some pages have none. */
function banner() {
  return document.getElementById("offline");
}

/** Shows a text in the banner; none hides it. */
export function say(text) {
  const element = banner();
  if (!element) return;
  element.textContent = text;
  element.hidden = !text;
}

/** One of the page's texts for the banner. */
export function textOf(name) {
  return banner()?.dataset[name] ?? "";
}

/** Has words read aloud, through the one part of the page that is never replaced. Given twice, they are heard twice. */
export function announce(words) {
  const heard = document.getElementById("heard");
  if (!heard || !words) return;
  heard.textContent = "";
  setTimeout(() => {
    heard.textContent = words;
  }, PAUSE);
}

/** Shows that there was no answer. */
function sayOffline() {
  say(textOf("offline"));
}

/** Shows that an answer is a failure. */
function sayFailure({ detail: { xhr } }) {
  const isSentence = WITH_SENTENCE.includes(xhr.status) && xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  say((isSentence && xhr.responseText) || textOf("error"));
}

/** Announces how many results a search has found while the reader types. */
function announceFound({ detail: { requestConfig, target } }) {
  if (!requestConfig?.elt.matches("form[role=search]") || !target?.id.startsWith("goods")) return;
  const goods = document.getElementById(target.id);
  const number = goods?.querySelectorAll("[name=buy]").length ?? 0;
  announce(document.getElementById("heard")?.dataset.found.replace("NUMBER", number));
}

document.addEventListener("htmx:sendError", sayOffline);
document.addEventListener("htmx:timeout", sayOffline);
document.addEventListener("htmx:responseError", sayFailure);
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful) say("");
});
document.addEventListener("htmx:afterSettle", announceFound);
