// The page of a table, and the parts that the server draws.

import { all, focus, form, game, one, say, words, write } from "./page.js";
import { actsBeingUndone, findLastAct, foldAll, kept, table, tellOfWaiting } from "./queue.js";

// The bar at the top hides this much of the page, in pixels.
const TOP = 60;
const { fixed } = game;
const parts = { wait: one(".table-wait"), undo: one(".table-undo"), aside: one(".table-aside") };

/** Draws the numbers and states of a figure or a side. */
function drawCounts(within, whose, { tracks, states }) {
  for (const element of all("[data-track]", within)) {
    const key = element.dataset.track;
    const number = tracks[key]?.[0];
    write(one("[data-n]", element), number);
    element.classList.toggle("is-low", key === fixed.life && number <= 0);
  }
  for (const element of all("[data-tally]", within)) {
    const tally = table.shown.tallies[element.dataset.tally];
    write(one("[data-n]", element), tally?.[whose] ?? 0);
  }
  for (const element of all("[data-state]", within)) element.hidden = !(element.dataset.state in states);
  for (const element of all("[data-begin]", within)) element.hidden = element.dataset.begin in states;
}

/** Says how, when and by whom a figure went out of action. */
function describeOut([turn, by, mark, unhurt]) {
  if (!turn) return words.notHere;
  const plain = unhurt ? words.left : Object.values(fixed.marks)[0];
  const how = fixed.marks[mark] ?? plain ?? "";
  const values = { HOW: how, TURN: turn, WHO: fixed.names[by] };
  return (by ? words.outBy : words.out).replace(/HOW|TURN|WHO/g, (name) => values[name]);
}

/** Describes a tap in words, for the undo button and for screen readers. */
export function describe(button, { kind, figure, by, mark, unhurt }) {
  const name = fixed.names[figure];
  if (kind === "out") return say(name, describeOut([table.shown.turn, by, mark, unhurt]));
  const label = button.ariaLabel ?? button.textContent.trim().split(" : ")[0];
  return !name || label.includes(name) ? label : say(name, label);
}

/** Draws a figure. */
function drawFigure(element, key, figure) {
  const { out, acted } = figure;
  const isStopped = Object.keys(figure.states).some((state) => fixed.states[state]?.[1]);
  const mayAct = !out && !isStopped && acted < fixed.figures[key][1];
  const holds = { out, in: !out, may: mayAct, acted: acted && !mayAct };
  element.classList.toggle("is-out", Boolean(out));
  element.classList.toggle("has-acted", !out && !mayAct);
  for (const part of all("[data-if]", element)) part.hidden = !holds[part.dataset.if];
  if (out) write(one("[data-out]", element), describeOut(out));
  drawCounts(element, key, figure);
}

/** Draws all figures, and how many of each side stand. */
function drawFigures(before) {
  const standing = {};
  const strength = {};
  for (const element of all("[data-figure]")) {
    const key = element.dataset.figure;
    const figure = table.shown.figures[key];
    const [side] = fixed.figures[key];
    standing[side] = (standing[side] ?? 0) + !figure.out;
    // Hidden until it comes, with its buttons.
    for (const late of all(`[data-late="${key}"]`)) late.hidden = figure.out?.[0] === 0;
    strength[side] = (strength[side] ?? 0) + !element.hidden;
    drawFigure(element, key, figure);
    if (JSON.stringify(figure) === JSON.stringify(before.figures[key])) continue;
    element.classList.remove("is-fresh");
    requestAnimationFrame(() => element.classList.add("is-fresh"));
  }
  for (const element of all("[data-standing]")) write(element, standing[element.dataset.standing] ?? 0);
  for (const element of all("[data-strength]")) write(element, strength[element.dataset.strength] ?? 0);
}

/** Draws the turn and its phase. */
function drawPhase(before) {
  const { phase, turn } = table.shown;
  const phases = fixed.phases.map(([key]) => key);
  const place = phases.indexOf(phase);
  for (const element of all("[data-turn]")) write(element, turn);
  if (phase !== before.phase) {
    for (const part of all("[data-rules]")) part.open = part.dataset.rules === (phase ?? fixed.acting);
  }
  write(one("[data-phase-name]"), fixed.phases[place]?.[2]);
  for (const button of all("[data-phase]")) button.hidden = phases.indexOf(button.dataset.phase) <= place;
}

/** Draws which sides spend nothing on dice in this turn. */
function drawDeclined() {
  for (const part of all("[data-declines]")) {
    const isDeclined = table.shown.declined.includes(Number(part.dataset.declines));
    part.hidden = (part.dataset.if === "declined") !== isDeclined;
  }
}

/** Marks the acts that are undone here, until the server has counted that. */
function drawUndoing() {
  const acts = actsBeingUndone();
  for (const line of all("[data-act]")) {
    const mark = one("[data-undoing]", line);
    if (mark) mark.hidden = !acts.has(line.dataset.act);
  }
}

/** Writes into the forms of the page what this phone has seen. */
function drawSeen() {
  for (const field of all("[name=after]", document)) field.value = table.base.seq;
  for (const field of all("[name=turn]", document)) field.value = table.shown.turn;
}

/** Draws the whole table: the server's state with this page's taps on top. */
export function draw() {
  const before = table.shown;
  const focused = document.activeElement;
  table.shown = foldAll();
  drawFigures(before);
  for (const element of all("[data-own]")) {
    const { own } = element.dataset;
    drawCounts(element, own, table.shown.sides[own]);
  }
  drawPhase(before);
  drawDeclined();
  drawSeen();
  drawUndoing();
  // The focus stays near a button that is gone.
  if (!focused.checkVisibility()) {
    const figure = focused.closest("[data-figure]");
    const next = all(".table-steps .btn-primary").find((button) => button.checkVisibility());
    focus(figure ? one("summary", figure) : next);
  }
  tellOfWaiting();
}

/** Shows how many taps wait and why, and which act can be undone. */
function drawWaiting() {
  const number = table.queue.length;
  const told = [];
  if (number) told.push(`${words.wait} ${number}`);
  if (table.trouble) told.push(table.trouble);
  if (number && !table.keeps) told.push(words.fleeting);
  parts.wait.hidden = !table.trouble;
  write(one("span", parts.wait), told.join(" · "));
  if (!parts.undo) return;
  parts.undo.disabled = !findLastAct();
  parts.aside.hidden = !kept.aside;
  write(one("span", parts.aside), kept.aside);
}

/** Replaces a part that the server draws. The focus stays at its button. */
function replacePart(part, html) {
  const focused = document.activeElement;
  const isInside = part.contains(focused);
  const wasOpen = Boolean(one("details[open]", part));
  part.innerHTML = html;
  if (wasOpen) for (const details of all("details", part)) details.open = true;
  if (!isInside) return;
  part.tabIndex = -1;
  const buttons = all("button", part);
  focus(buttons.find(({ value }) => value === focused.value) ?? buttons[0] ?? part);
}

/** Makes a change inside or above an element, and scrolls so that what follows the element does not move. */
export function keepInPlace(element, change) {
  const before = element?.getBoundingClientRect();
  change();
  if (!element || before.top >= innerHeight) return;
  scrollBy({ top: element.getBoundingClientRect().bottom - before.bottom, behavior: "instant" });
}

/** Replaces the parts that the server has drawn differently. The figure that the reader looks at does not move. */
export function replaceParts(html) {
  const seen = all("[data-figure]").find((element) => element.getBoundingClientRect().bottom > TOP);
  keepInPlace(seen, () => {
    for (const name in html) {
      const part = document.getElementById(`table-${name}`);
      if (!part || part.told === html[name]) continue;
      part.told = html[name];
      replacePart(part, html[name]);
    }
    drawUndoing();
  });
}

/** Shows the figures of one side, where there is room for one. */
export function showSide(number) {
  for (const link of all("[data-tab]")) link.ariaCurrent = String(link.dataset.tab === number);
  for (const side of all("[data-side]")) side.classList.toggle("is-shown", side.dataset.side === number);
}

/** Shows that the page is live. */
export function enliven() {
  document.addEventListener("table:waits", drawWaiting);
  form.classList.add("is-live");
  for (const link of all("[data-tab]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showSide(link.dataset.tab);
    });
  }
  const asked = document.getElementById(location.hash.slice(1))?.closest("[data-side]");
  showSide((asked ?? one("[data-side]")).dataset.side);
}
