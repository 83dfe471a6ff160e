// What the pages need beyond htmx. Everything here is a comfort: each page works without it.
(() => {
  "use strict";

  // A form swapped in earlier carries the version of that moment. The page as a whole is newer, and
  // it is the page its owner has seen.
  document.addEventListener("htmx:configRequest", (event) => {
    const current = document.querySelector("[data-version]");
    const parameters = event.detail.parameters;
    if (current && parameters.version !== undefined) {
      parameters.version = current.dataset.version;
    }
  });

  // The banner: no answer at all, or an answer that says the server failed.
  const banner = () => document.getElementById("offline");
  const say = (text) => {
    const element = banner();
    if (element) {
      element.textContent = text;
      element.hidden = false;
    }
  };
  const quiet = () => {
    const element = banner();
    if (element) element.hidden = true;
  };
  const offline = () => say(banner()?.dataset.offline ?? "");
  document.addEventListener("htmx:sendError", offline);
  document.addEventListener("htmx:timeout", offline);
  document.addEventListener("htmx:responseError", () => say(banner()?.dataset.error ?? ""));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) quiet();
  });

  // Whoever works by keyboard or hears the page stays where he was when his button is replaced: on
  // the same button of the new part or, if that is gone or disabled, on the part itself.
  let left = null;
  const marks = (element) =>
    ["id", "name", "value", "aria-label", "href"].map((name) => element.getAttribute(name)).join("|");
  const places = (element) => {
    const ids = [];
    for (let at = element.closest("[id]"); at && at.id !== "main"; at = at.parentElement.closest("[id]")) {
      ids.push(at.id);
      if (at.matches("article, section")) break;
    }
    return ids;
  };
  const focus = (element) => {
    element.focus({ preventScroll: true });
    if (document.activeElement !== element) {
      element.tabIndex = -1;
      element.focus({ preventScroll: true });
    }
  };
  document.addEventListener("htmx:beforeRequest", () => {
    const element = document.activeElement;
    left =
      element && element !== document.body
        ? { element, tag: element.localName, marks: marks(element), places: places(element) }
        : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (!left || left.element.isConnected) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    const there = left.places.map((id) => document.getElementById(id)).filter(Boolean);
    const same = there
      .flatMap((place) => [...place.querySelectorAll(left.tag)])
      .find((element) => marks(element) === left.marks && !element.disabled);
    const part = there.find((place) => place.matches("article, section, [data-focus]"));
    if (same || part) focus(same ?? part);
  });

  // And what he pressed stays where it is on the screen, whatever grows or shrinks above it.
  let held = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const source = event.detail.requestConfig?.elt;
    const part = source?.closest("article[id], section[id]");
    held = part ? { id: part.id, top: part.getBoundingClientRect().top } : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    const part = held && document.getElementById(held.id);
    if (part) window.scrollBy({ top: part.getBoundingClientRect().top - held.top, behavior: "instant" });
    held = null;
  });

  // A list that sends itself. By keyboard every arrow key changes it, so there it counts when one
  // goes on to something else, or presses Enter.
  let keyed = false;
  const list = (event) => event.target.closest?.("[data-autosubmit]");
  const send = (select) => {
    if (!select?.form || select.dataset.sent || select.selectedIndex < 1) return;
    select.dataset.sent = "yes";
    select.form.requestSubmit();
  };
  document.addEventListener("pointerdown", () => {
    keyed = false;
  });
  document.addEventListener("keydown", (event) => {
    keyed = event.key !== "Enter";
    if (!keyed) send(list(event));
  });
  document.addEventListener("change", (event) => {
    if (!keyed) send(list(event));
  });
  document.addEventListener("focusout", (event) => send(list(event)));
  // A list that was sent in vain can be sent again.
  document.addEventListener("htmx:afterRequest", (event) => {
    for (const select of event.target.querySelectorAll("[data-sent]")) delete select.dataset.sent;
  });

  // Of tabs that do not all fit, the current one is in sight.
  const tab = document.querySelector(".tabs [aria-current]");
  if (tab) tab.closest(".tabs").scrollLeft = tab.offsetLeft - tab.closest(".tabs").offsetLeft - 40;

  // An open menu closes when one looks elsewhere.
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu !== except) menu.open = false;
    }
  };
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector("details.menu[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  });

  // A page that cannot be fetched is answered by one that says so. Only over a safe connection do
  // browsers allow it; elsewhere their own words must do.
  navigator.serviceWorker?.register("/offline.js").catch(() => {});
})();
