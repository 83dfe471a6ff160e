// The page of a gang: points are spread as fast as a thumb taps, open cards stay open, and the focus stays where it is
// needed.

import { isChanged } from "./fields.js";
import { announce } from "./messages.js";

// Taps that follow each other so closely are sent together, in milliseconds.
const PAUSE = 250;
const TAB_MARGIN = 40;
const SPREAD = "form[data-spread]";

// ``timer``: until points are sent; ``sent``: the values that are on their way, by form; ``later``: taps since then.
const points = { timer: 0, sent: new Map(), later: [] };
// ``asked``: the cards and pickers that were open at the time of a request; ``closing``: the card that closes once it
// is saved; ``unnamed``: the member whose name is asked for; ``edited``: the one whom a message offers to edit.
const cards = { asked: [], closing: "", unnamed: "", edited: "" };
// ``done``: the message that was read aloud last.
const shown = { done: "" };

/** The numbers of a form. */
function findNumbers(form) {
  return [...form.querySelectorAll("input[type=number]")];
}

/** The part of a form that shows how many points are left. */
function findLeft(form) {
  return form.querySelector("[data-left]");
}

/** The number of points left, by the numbers on the screen. */
function countLeft(form) {
  let left = Number(findLeft(form).dataset.left);
  for (const { value, defaultValue } of findNumbers(form)) left -= Number(value) - Number(defaultValue);
  return left;
}

/** Shows which buttons can be pressed, and how many points are left. The buttons send nothing by themselves. */
function showPoints(form) {
  const left = countLeft(form);
  findLeft(form).textContent = left;
  form.elements.evenly.hidden = left < 1;
  for (const { parentElement, value, min, max } of findNumbers(form)) {
    const [less, more] = parentElement.querySelectorAll("button");
    less.removeAttribute("name");
    more.removeAttribute("name");
    less.setAttribute("aria-disabled", Number(value) <= Number(min));
    more.setAttribute("aria-disabled", left < 1 || Number(value) >= Number(max));
  }
}

/** Shows the points of all open cards. */
function showAllPoints() {
  document.querySelectorAll(SPREAD).forEach(showPoints);
}

/** Sends the points of a form, if it still exists and they have changed. */
function sendNow(id) {
  const form = document.getElementById(id);
  if (form && findNumbers(form).some(isChanged) && form.reportValidity()) form.requestSubmit();
}

/** Sends the points of a form soon. */
function sendPoints(form) {
  clearTimeout(points.timer);
  points.timer = setTimeout(() => sendNow(form.id), PAUSE);
}

/** Counts a number up or down. */
function step(event) {
  const button = event.target.closest("button[data-step]");
  if (!button) return;
  event.preventDefault();
  const { form } = button;
  const field = button.parentElement.querySelector("input");
  const value = Number(field.value) + Number(button.dataset.step);
  const isOutside = value < Number(field.min) || value > Number(field.max);
  const isFull = button.dataset.step > 0 && countLeft(form) < 1;
  const said = form.querySelector("[data-said]");
  said.textContent = "";
  if (isOutside) {
    said.textContent = form.dataset.limit.replace("NUMBER", field.value);
  } else if (isFull) {
    said.textContent = form.dataset.full;
  } else {
    field.value = value;
    showPoints(form);
    sendPoints(form);
  }
}

/** Takes a number that the reader has typed. */
function typeNumber({ target: { form } }) {
  if (!form?.matches(SPREAD)) return;
  showPoints(form);
  sendPoints(form);
}

/** The value of a number that the server has, or will have in a moment. */
function valueSent(form, { name, defaultValue }) {
  return points.sent.get(form.id)?.[name] ?? defaultValue;
}

/** Whether some points of a form are not sent yet. */
function isUnsent(form) {
  return findNumbers(form).some((field) => field.value !== valueSent(form, field));
}

/** Undoes taps that are not sent yet. Taps on their way are undone after that. */
function undoUnsent(event) {
  if (!event.target.action.endsWith("/undo/")) return;
  const forms = [...document.querySelectorAll(SPREAD)].filter(isUnsent);
  if (!forms.length) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  clearTimeout(points.timer);
  for (const form of forms) {
    for (const field of findNumbers(form)) field.value = valueSent(form, field);
  }
  showAllPoints();
}

/** Remembers the points that are on their way. */
function rememberSent({ detail: { elt } }) {
  if (!elt.matches(SPREAD)) return;
  const values = findNumbers(elt).map(({ name, value }) => [name, value]);
  points.sent.set(elt.id, Object.fromEntries(values));
}

/** Remembers the taps since the points were sent. */
function rememberLater({ detail: { requestConfig, xhr } }) {
  const form = requestConfig?.elt;
  const sent = form && points.sent.get(form.id);
  points.later = [];
  if (!sent || xhr.status >= 400) return;
  for (const { name, value } of findNumbers(form)) {
    if (value !== sent[name]) points.later.push({ id: form.id, name, by: Number(value) - Number(sent[name]) });
  }
}

/** Adds the taps since then to the answer, and sends them next. */
function addLater() {
  const { later } = points;
  points.later = [];
  for (const { id, name, by } of later) {
    const form = document.getElementById(id);
    const field = form?.elements[name];
    // The answer may already contain the sent value, or may lack the field.
    if (field) field.value = Number(field.defaultValue) + by;
    if (form) sendPoints(form);
  }
  showAllPoints();
}

/** The open cards, each with the search and the kind of goods of its picker. */
function findOpenCards() {
  return [...document.querySelectorAll("article.is-open")].map((card) => {
    const id = card.id.split("-").at(-1);
    const search = card.querySelector("[type=search]");
    const kind = card.querySelector("[name=kind]:checked")?.value ?? "";
    return { card, id, search, kind };
  });
}

/** The names of the open cards and pickers. */
function findOpen() {
  return findOpenCards().flatMap(({ card, id, search }) => (search ? [card.id, `picker-${id}`] : [card.id]));
}

/** Asks for an answer that shows the open cards and pickers open. */
function askForOpen({ detail: { elt, parameters, verb } }) {
  if (verb !== "post" && elt.id !== "builder") return;
  const open = findOpenCards();
  parameters.open = open.map(({ id, search, kind }) => (search ? `${id}:${kind}:${search.value}` : id));
  if (parameters.opened && !open.some(({ id }) => id === parameters.opened)) delete parameters.opened;
}

/** Whether an answer is to a change of the gang. */
function isAnswer({ requestConfig, target }) {
  return requestConfig.verb === "post" && target.id === "builder";
}

/** Marks the parts that were opened or closed since the request: they stay as they are. */
function markSince({ detail }) {
  if (!isAnswer(detail)) return;
  const open = findOpen();
  for (const id of new Set([...cards.asked, ...open])) {
    const isSince = cards.asked.includes(id) !== open.includes(id);
    if (isSince) document.getElementById(id)?.setAttribute("data-since", "");
  }
}

/** Removes these marks, and searches again for words that the answer does not know yet. */
function unmarkSince({ detail }) {
  if (!isAnswer(detail)) return;
  for (const part of document.querySelectorAll("[data-since]")) part.removeAttribute("data-since");
  for (const { search } of findOpenCards()) {
    if (search && isChanged(search)) search.form.requestSubmit();
  }
}

/** Saves the fields of a card before it closes. */
function saveBeforeClosing(event) {
  const card = event.target.closest("[data-done]")?.closest("article");
  const forms = [...(card?.querySelectorAll("form[data-save]") ?? [])];
  const form = forms.find(({ elements }) => [...elements].some(isChanged));
  if (!form || cards.closing) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  cards.closing = card.id;
  form.requestSubmit();
}

/** Closes a card that is saved. After a refusal the card stays open and says why. */
function closeSaved() {
  const card = cards.closing && document.getElementById(cards.closing);
  cards.closing = "";
  if (card && !card.querySelector(".is-invalid, .alert-danger")) card.querySelector("[data-done]")?.click();
}

/** Scrolls the chosen kind of gear into sight: on a phone they are in one strip. */
function showChosenKinds() {
  for (const strip of document.querySelectorAll(".kind-tabs")) {
    const tab = strip.querySelector("input:checked + label");
    if (tab) strip.scrollLeft = tab.offsetLeft - TAB_MARGIN;
  }
}

/** Puts the focus on the field for a missing name. */
function focusName() {
  const field = cards.unnamed && document.querySelector(`#describe-${cards.unnamed} [name=name]`);
  if (!field) return;
  cards.unnamed = "";
  field.focus({ preventScroll: true });
}

/** Puts the focus on the card that a message has opened: the message itself disappears. */
function focusEdited() {
  const card = cards.edited && document.querySelector(`#member-${cards.edited}.is-open`);
  if (!card) return;
  cards.edited = "";
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
}

/** The message about the last change; every change has another one. */
function findDone() {
  return document.querySelector("#done > *");
}

/** Has the message about a change read aloud, once. */
function announceDone() {
  const done = findDone();
  if (done?.id === shown.done) return;
  shown.done = done?.id ?? "";
  announce(done?.querySelector("span").textContent);
}

/** Shows the gang as it is now. After Back, a browser shows a page as it was left, or as it once arrived. */
function refresh() {
  const target = document.getElementById("builder");
  // An address of its own: after Back, a browser takes known ones from its store without asking.
  const values = { since: document.getElementById("summary").dataset.version };
  const swap = { swap: "morph:innerHTML", select: "#builder > *" };
  window.htmx.ajax("GET", location.pathname, { source: target, target, values, ...swap });
}

/** Whether the page was loaded by Back or Forward. */
function isReturn() {
  return performance.getEntriesByType("navigation")[0]?.type === "back_forward";
}

/** Leads from "Recruit a leader" to the matching recruits, and chooses the rank. */
function goToRecruits(event) {
  const link = event.target.closest("a[data-rank]");
  if (!link) return;
  event.preventDefault();
  const { rank } = link.dataset;
  const recruiting = document.getElementById("recruit");
  const radio = rank && recruiting.querySelector(`input[name=rank][value="${CSS.escape(rank)}"]`);
  const list = rank && recruiting.querySelector("select[name=rank]");
  if (radio) radio.checked = true;
  if (list) list.value = rank;
  const ready = recruiting.querySelector(rank ? `[data-of="${CSS.escape(rank)}"]` : "[data-of]");
  recruiting.scrollIntoView();
  const field = ready || radio || list || recruiting.querySelector("input:not([type=hidden])");
  field.focus({ preventScroll: true });
}

document.addEventListener("click", step);
document.addEventListener("change", typeNumber);
// On the window, so that nothing counts as in progress (changes.js).
addEventListener("submit", undoUnsent, { capture: true });
document.addEventListener("htmx:beforeRequest", rememberSent);
document.addEventListener("htmx:afterRequest", ({ detail: { requestConfig } }) => points.sent.delete(requestConfig?.elt.id));
document.addEventListener("htmx:beforeSwap", rememberLater);
document.addEventListener("htmx:afterSettle", addLater);
showAllPoints();

document.addEventListener("htmx:configRequest", askForOpen);
document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig } }) => {
  if (requestConfig.verb === "post") cards.asked = findOpen();
});
document.addEventListener("htmx:beforeSwap", markSince);
document.addEventListener("htmx:afterSettle", unmarkSince);

document.addEventListener("click", saveBeforeClosing, { capture: true });
document.addEventListener("htmx:afterSettle", closeSaved);
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (!detail.successful) cards.closing = "";
});

document.addEventListener("htmx:afterSettle", showChosenKinds);
// A tap at the edge of the strip shows the whole kind, and the next ones.
document.addEventListener("change", ({ target }) => target.closest(".kind-tabs") && showChosenKinds());
document.addEventListener("click", ({ target }) => {
  cards.unnamed = target.closest("a[data-name-of]")?.dataset.nameOf ?? cards.unnamed;
  cards.edited = target.closest("a[data-edit-of]")?.dataset.editOf ?? cards.edited;
});
document.addEventListener("htmx:afterSettle", focusName);
document.addEventListener("htmx:afterSettle", focusEdited);
document.addEventListener("htmx:afterSettle", announceDone);
addEventListener("pageshow", ({ persisted }) => (persisted || isReturn()) && refresh());
document.addEventListener("click", goToRecruits);
