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

  // Whoever works by keyboard or hears the page stays where he was when his button is replaced.
  let focused = null;
  document.addEventListener("htmx:beforeRequest", () => {
    focused = document.activeElement;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!focused || focused === document.body) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    const swapped = event.target instanceof Element ? event.target : document.body;
    const next = focused.isConnected
      ? focused
      : swapped.matches("[data-focus]")
        ? swapped
        : swapped.querySelector("[data-focus]");
    if (!next) return;
    next.focus({ preventScroll: true });
    if (document.activeElement !== next) {
      next.tabIndex = -1;
      next.focus({ preventScroll: true });
    }
  });

  document.addEventListener("change", (event) => {
    const select = event.target.closest("[data-autosubmit]");
    if (select?.form) select.form.requestSubmit();
  });

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
})();
