// Messages to the reader: a banner that is seen, and words that are heard.

// Answers of these kinds come with a sentence of the site; a page is a web server's in front of it.
const WITH_SENTENCE = [413, 503];
const PAUSE = 100;

/** The banner at the top of the page, which a page may lack. */
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

/** One of the texts that the page has for the banner. */
export function textOf(name) {
  return banner()?.dataset[name] ?? "";
}

/** Lets words be heard, in the one part of the page that never goes. Said twice, they are heard twice. */
export function announce(words) {
  const heard = document.getElementById("heard");
  if (!heard || !words) return;
  heard.textContent = "";
  setTimeout(() => {
    heard.textContent = words;
  }, PAUSE);
}

/** Says that nobody has answered. */
function sayOffline() {
  say(textOf("offline"));
}

/** Says that an answer is a failure. */
function sayFailure({ detail: { xhr } }) {
  const isSentence = WITH_SENTENCE.includes(xhr.status) && xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  say((isSentence && xhr.responseText) || textOf("error"));
}

/** Says how much a search has found that shows it while somebody types. */
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
