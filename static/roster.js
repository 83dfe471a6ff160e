// Members in rows are reordered by dragging, or with the arrow keys on the same handle. Without scripts, and in cards,
// the buttons of an open card do it.

// The page scrolls when the row is this near to an edge of the screen, by this much in each frame.
const EDGE = 90;
const STEP = 8;
const KEYS = { ArrowUp: -1, ArrowDown: 1 };

// ``before``: the order of the rows, in case the move is refused; ``held``: the row whose handle keeps the focus; ``drag``:
// the dragged row, the pointer's position, and the order before.
const move = { before: null, held: "", drag: null };

/** The form that sends a move; only those who may move members have it. */
function findForm() {
  return document.getElementById("order");
}

/** The part of the page that has the members. */
function findRoster() {
  return document.getElementById("roster");
}

/** The members in their order. */
function findRows() {
  return [...findRoster().querySelectorAll(":scope > article")];
}

/** Whether members are in rows, and not in cards. */
function isInRows() {
  return findRoster().classList.contains("as-rows");
}

/** Asks for an answer in the present view, however many members there are by then. */
function askForRows({ detail: { parameters, verb } }) {
  if (verb === "post") parameters.roster = isInRows() ? "rows" : "cards";
}

/** Gives every closed row a handle, which no answer takes away (morph.js). */
function addHandles() {
  const rows = findRows();
  const isMovable = isInRows() && rows.length > 1;
  for (const row of rows) {
    const head = row.querySelector(":scope > header");
    const handle = head.querySelector(".grip") ?? document.createElement("button");
    if (!isMovable || row.matches(".is-open")) {
      handle.remove();
      continue;
    }
    handle.type = "button";
    handle.className = "grip";
    handle.dataset.own = "";
    const name = head.querySelector("h3").textContent;
    handle.setAttribute("aria-label", findForm().dataset.move.replace("NAME", name));
    if (!handle.isConnected) head.append(handle);
  }
}

/** Sends the place to which a row has moved. */
function send(row, order) {
  const place = findRows().indexOf(row);
  if (order.indexOf(row) === place) return;
  const form = findForm();
  move.held = row.id;
  move.before = order;
  form.elements.member.value = row.id.split("-").at(-1);
  form.elements.to.value = place;
  form.requestSubmit();
}

/** Takes the order in an answer as the valid one, even in a refusal. A dragged row keeps its look. */
function acceptAnswer({ detail }) {
  if (detail.requestConfig.elt === findForm()) move.before = null;
  move.drag?.row.classList.add("is-dragged");
}

/** Puts the rows back if there was no answer. */
function putBack({ detail }) {
  if (detail.elt !== findForm()) return;
  if (move.before?.[0].isConnected) findRoster().append(...move.before);
  move.before = null;
}

/** Gives new rows their handles, and the focus to the handle that was used. */
function settle() {
  addHandles();
  document.getElementById(move.held)?.querySelector(".grip")?.focus({ preventScroll: true });
  move.held = "";
}

/** The middle of a row on the screen. */
function middleOf(row) {
  return row.getBoundingClientRect().top + row.offsetHeight / 2;
}

/** Lets the neighbours of the dragged row change places around it. The row itself stays the same element. */
function follow() {
  const { row, at } = move.drag;
  if (!row.isConnected) return;
  while (row.previousElementSibling && at < middleOf(row.previousElementSibling)) row.after(row.previousElementSibling);
  while (row.nextElementSibling && at > middleOf(row.nextElementSibling)) row.before(row.nextElementSibling);
}

/** Scrolls the page while a row is dragged near an edge of the screen. */
function roll() {
  if (!move.drag) return;
  const { at } = move.drag;
  let step = 0;
  if (at < EDGE) step = -STEP;
  else if (at > innerHeight - 2 * EDGE) step = STEP;
  if (step) {
    scrollBy({ top: step, behavior: "instant" });
    follow();
  }
  requestAnimationFrame(roll);
}

/** Makes answers leave all rows where they are while one is dragged: the next answer sorts them. */
function keepOrderWhileDragging() {
  const { callbacks } = Idiomorph.defaults;
  const { beforeNodeMorphed } = callbacks;
  callbacks.beforeNodeMorphed = (old, fresh) => {
    if (move.drag && old === findRoster()) {
      const rows = new Map([...fresh.children].map((row) => [row.id, row]));
      fresh.prepend(...findRows().flatMap(({ id }) => rows.get(id) ?? []));
    }
    return beforeNodeMorphed(old, fresh);
  };
}

/** Begins to drag a row by its handle. */
function grab(event) {
  const handle = event.target.closest?.(".grip");
  if (!handle || event.button) return;
  event.preventDefault();
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  move.drag = { row: handle.closest("article"), at: event.clientY, order: findRows() };
  move.drag.row.classList.add("is-dragged");
  requestAnimationFrame(roll);
}

/** Moves the dragged row. */
function drag({ clientY }) {
  if (!move.drag) return;
  move.drag.at = clientY;
  follow();
}

/** Ends dragging, and returns the dragged row. */
function letGo() {
  const dragged = move.drag;
  move.drag = null;
  dragged?.row.classList.remove("is-dragged");
  return dragged;
}

/** Leaves the dragged row where it is. */
function drop() {
  const dragged = letGo();
  if (dragged) send(dragged.row, dragged.order);
}

/** Puts the dragged row back. */
function cancel() {
  const dragged = letGo();
  if (dragged) findRoster().append(...dragged.order.filter(({ isConnected }) => isConnected));
}

/** Moves a row by the arrow keys on its handle. */
function moveByKey(event) {
  if (event.key === "Escape") cancel();
  const row = event.target.closest?.(".grip")?.closest("article");
  if (!row || !event.key.startsWith("Arrow")) return;
  event.preventDefault();
  const order = findRows();
  const other = order[order.indexOf(row) + KEYS[event.key]];
  if (!other) return;
  if (event.key === "ArrowUp") row.after(other);
  else row.before(other);
  send(row, order);
}

if (findForm()) {
  document.addEventListener("htmx:configRequest", askForRows);
  document.addEventListener("htmx:afterSwap", acceptAnswer);
  document.addEventListener("htmx:afterRequest", putBack);
  document.addEventListener("htmx:afterSettle", settle);
  document.addEventListener("pointerdown", grab);
  document.addEventListener("pointermove", drag);
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", cancel);
  document.addEventListener("keydown", moveByKey);
  keepOrderWhileDragging();
  addHandles();
}
