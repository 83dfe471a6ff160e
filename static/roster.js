// Members in rows are put into another order by dragging, or by the arrow keys on the same handle. Without scripts, and in
// cards, the buttons of an open card do it.
(() => {
  "use strict";

  const form = () => document.getElementById("order");
  if (!form()) return;
  const EDGE = 90;
  const roster = () => document.getElementById("roster");
  const rows = () => [...roster().querySelectorAll(":scope > article")];
  const number = (row) => row.id.split("-").at(-1);

  // What comes back fits what is in sight, however many members there are by then.
  document.addEventListener("htmx:configRequest", ({ detail: { parameters, verb } }) => {
    if (verb === "post") parameters.roster = roster().classList.contains("as-rows") ? "rows" : "cards";
  });

  // Every closed row has a handle, which no answer takes away (morph.js); rows that came with one get theirs then.
  const grip = () => {
    const movable = roster().classList.contains("as-rows") && rows().length > 1;
    for (const row of rows()) {
      const head = row.querySelector(":scope > header");
      const handle = head.querySelector(".grip") ?? document.createElement("button");
      if (!movable || row.matches(".is-open")) {
        handle.remove();
        continue;
      }
      handle.type = "button";
      handle.className = "grip";
      handle.dataset.own = "";
      handle.setAttribute("aria-label", form().dataset.move.replace("NAME", head.querySelector("h3").textContent));
      if (!handle.isConnected) head.append(handle);
    }
  };

  // Where the rows stood before, should the move be refused; and whose handle keeps the focus.
  let before = null;
  let held = "";
  const send = (row, order) => {
    const to = rows().indexOf(row);
    if (order.indexOf(row) === to) return;
    held = row.id;
    before = order;
    form().elements.member.value = number(row);
    form().elements.to.value = to;
    form().requestSubmit();
  };
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    // An answer, a refusal, too, has the order that holds.
    if (detail.requestConfig.elt === form()) before = null;
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.elt !== form()) return;
    if (before?.[0].isConnected) roster().append(...before);
    before = null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    grip();
    document.getElementById(held)?.querySelector(".grip")?.focus({ preventScroll: true });
    held = "";
  });

  // The row that is dragged stays what it is: its neighbours change their places around it.
  let drag = null;
  const middle = (row) => row.getBoundingClientRect().top + row.offsetHeight / 2;
  const follow = () => {
    const { row, at } = drag;
    if (!row.isConnected) return;
    while (row.previousElementSibling && at < middle(row.previousElementSibling)) row.after(row.previousElementSibling);
    while (row.nextElementSibling && at > middle(row.nextElementSibling)) row.before(row.nextElementSibling);
  };
  const roll = () => {
    if (!drag) return;
    const by = drag.at < EDGE ? -8 : drag.at > innerHeight - 2 * EDGE ? 8 : 0;
    if (by) {
      scrollBy({ top: by, behavior: "instant" });
      follow();
    }
    requestAnimationFrame(roll);
  };
  // An answer that comes while a row is dragged leaves all rows where they are: the next one puts them into their order.
  const { callbacks } = Idiomorph.defaults, { beforeNodeMorphed } = callbacks;
  callbacks.beforeNodeMorphed = (old, fresh) => {
    if (drag && old === roster()) {
      const same = new Map([...fresh.children].map((row) => [row.id, row]));
      fresh.prepend(...rows().flatMap(({ id }) => same.get(id) ?? []));
    }
    return beforeNodeMorphed(old, fresh);
  };
  document.addEventListener("htmx:afterSwap", () => drag?.row.classList.add("is-dragged"));
  document.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest?.(".grip");
    if (!handle || event.button) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    drag = { row: handle.closest("article"), at: event.clientY, order: rows() };
    drag.row.classList.add("is-dragged");
    requestAnimationFrame(roll);
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag.at = event.clientY;
    follow();
  });
  const drop = (moved) => {
    if (!drag) return;
    const { row, order } = drag;
    drag = null;
    row.classList.remove("is-dragged");
    if (moved) send(row, order);
    else roster().append(...order.filter(({ isConnected }) => isConnected));
  };
  document.addEventListener("pointerup", () => drop(true));
  document.addEventListener("pointercancel", () => drop(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") drop(false);
    const handle = event.target.closest?.(".grip");
    const row = handle?.closest("article");
    const other = { ArrowUp: row?.previousElementSibling, ArrowDown: row?.nextElementSibling }[event.key];
    if (!handle || !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    if (!other) return;
    const order = rows();
    if (event.key === "ArrowUp") row.after(other);
    else row.before(other);
    send(row, order);
  });

  grip();
})();
