// The place of a reader on a page that changes: their focus, and the part they look at.

const MARKS = ["id", "name", "value", "aria-label", "href"];
const PARTS = "article[id], section[id], article :is(form, details)[id]";
// The bar, and the side of a wide screen: they do not move with the page.
const APART = ".summary-bar, aside";
// The part of the screen at which people look.
const EYE = 1 / 3;

// ``left``: the element that had the focus before a request; ``held``: the visible parts before its answer.
const reader = { left: null, held: null };

/** The attributes that distinguish an element from others. */
function marksOf(element) {
  return MARKS.map((name) => element.getAttribute(name)).join("|");
}

/** The names of the parts of the page around an element, from the inside. */
function placesOf(element) {
  const names = [];
  for (let part = element.closest("[id]"); part && part.id !== "main"; part = part.parentElement.closest("[id]")) {
    names.push(part.id);
    if (part.matches("article, section")) break;
  }
  return names;
}

/** Describes an element so that it can be found again when another one has taken its place. */
export function identify(element) {
  return { tag: element.localName, marks: marksOf(element), places: placesOf(element) };
}

/** The parts of a place that exist. */
function findParts({ places }) {
  return places.map((name) => document.getElementById(name)).filter(Boolean);
}

/** The elements that such a description fits and that can be pressed. */
export function findAgain(described) {
  return findParts(described)
    .flatMap((part) => [...part.querySelectorAll(described.tag)])
    .filter((element) => marksOf(element) === described.marks && !element.matches(":disabled"));
}

/** The element that such a description fits, if it is the only one. */
function findSingle(described) {
  const found = new Set(findAgain(described));
  return found.size === 1 ? [...found][0] : null;
}

/** Moves the focus, to any kind of element, and not the page. */
function focus(element) {
  element.focus({ preventScroll: true });
  if (document.activeElement === element) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Remembers which element has the focus. */
function rememberFocus() {
  const { activeElement: element, body } = document;
  const around = element?.closest("[data-focus][id]")?.id;
  reader.left = element && element !== body ? { element, around, ...identify(element) } : null;
}

/**
 * Gives the focus back if its element was replaced: to the same one of the new part or, if that is gone or disabled, to
 * the part itself; if that is gone too, such as the step of a post-game, to the page's part around it.
 */
function restoreFocus() {
  const { left } = reader;
  if (!left || (left.element.isConnected && !left.element.matches(":disabled, [hidden]"))) return;
  if (![null, document.body, left.element].includes(document.activeElement)) return;
  const [same] = findAgain(left);
  const part = findParts(left).find((place) => place.matches("article, section, [data-focus]"));
  const target = same ?? part ?? document.getElementById(left.around);
  if (target) focus(target);
}

/** How far an element lies below the upper edge of the screen. */
function topOf(element) {
  return element.getBoundingClientRect().top;
}

/** Whether a part that moves with the page can be seen. */
function isSeen(part) {
  const apart = part.closest(APART);
  if (apart && getComputedStyle(apart).position !== "static") return false;
  const { top, bottom } = part.getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}

/** The visible parts, those first that begin where the reader looks. */
function findSeen() {
  const eye = innerHeight * EYE;
  const distance = (part) => Math.abs(topOf(part) - eye);
  return [...document.querySelectorAll(PARTS)].filter(isSeen).sort((one, other) => distance(one) - distance(other));
}

/** The parts around an element, from the inside. */
function findAround(element) {
  const parts = [];
  for (let part = element.closest(PARTS); part; part = part.parentElement.closest(PARTS)) parts.push(part);
  return parts;
}

/** The part of a page that asks one question after the other. */
function findStep() {
  return document.querySelector("[data-step]");
}

/** Remembers the position of the pressed element on the screen, and the parts around it and nearest to it. */
function holdView({ detail: { requestConfig } }) {
  const pressed = requestConfig?.triggeringEvent?.submitter ?? requestConfig?.elt;
  reader.held = null;
  if (!pressed) return;
  const described = identify(pressed);
  // If the reader has scrolled since, the part they look at now counts.
  const parts = [...findAround(pressed).filter(isSeen), ...findSeen()];
  reader.held = {
    pressed: isSeen(pressed) && findSingle(described) ? { ...described, top: topOf(pressed) } : null,
    parts: parts.map((part) => ({ id: part.id, top: topOf(part) })),
    step: findStep()?.dataset.step,
  };
}

/** The held element and its position: the pressed one or, if it no longer exists, the first part that does. */
function findHeld({ pressed, parts }) {
  const same = pressed && findSingle(pressed);
  if (same) return { part: same, top: pressed.top };
  for (const { id, top } of parts) {
    const part = document.getElementById(id);
    if (part) return { part, top };
  }
  return {};
}

/** Scrolls so that the held part is where it was, whatever has grown or shrunk above it. */
function restoreView() {
  const { held } = reader;
  if (!held) return;
  reader.held = null;
  const step = findStep();
  if (step?.dataset.step !== held.step) {
    // The next question begins where the reader looks.
    if (step && topOf(step) < 0) step.scrollIntoView({ behavior: "instant" });
    return;
  }
  const { part, top } = findHeld(held);
  if (!part) return;
  scrollBy({ top: topOf(part) - top, behavior: "instant" });
  if (part.getBoundingClientRect().bottom < 0) part.scrollIntoView({ behavior: "instant" });
}

document.addEventListener("htmx:beforeRequest", rememberFocus);
document.addEventListener("htmx:afterSettle", restoreFocus);
document.addEventListener("htmx:beforeSwap", holdView);
document.addEventListener("htmx:afterSwap", restoreView);
