// What the pages need beyond htmx. Everything here is a comfort: each page works without it.
(() => {
  "use strict";

  // A card opened earlier carries the version of that moment. The page as a whole is newer, and it is the page its owner
  // has seen.
  document.addEventListener("htmx:configRequest", ({ detail: { parameters, triggeringEvent } }) => {
    const current = document.querySelector("[data-version]");
    if (current && parameters.version !== undefined) parameters.version = current.dataset.version;
    // htmx forgets which button was pressed when the focus leaves it, as it may while a press waits for its turn.
    const pressed = triggeringEvent?.submitter;
    if (pressed?.name) parameters[pressed.name] = pressed.value;
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
  document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
    // 413 and 503 come with a sentence of the site; a page is a web server's in front of it.
    const told = [413, 503].includes(xhr.status) && xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
    say((told && xhr.responseText) || banner()?.dataset.error || "");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) quiet();
  });

  // What changed is heard, in the one part of the page that never goes. Said twice, it is heard twice.
  const announce = (words) => {
    const heard = document.getElementById("heard");
    if (!heard || !words) return;
    heard.textContent = "";
    setTimeout(() => { heard.textContent = words; }, 100);
  };
  document.addEventListener("htmx:afterSettle", ({ detail: { requestConfig, target } }) => {
    // A search that shows what it finds while somebody types.
    if (!requestConfig?.elt.matches("form[role=search]") || !target?.id.startsWith("goods")) return;
    const found = document.getElementById(target.id)?.querySelectorAll("[name=buy]").length ?? 0;
    announce(document.getElementById("heard")?.dataset.found.replace("NUMBER", found));
  });

  // Who works by keyboard or hears the page stays where they were when their button is replaced: on
  // the same button of the new part or, if that is gone or disabled, on the part itself.
  let left = null;
  const kind = (element) => ({ tag: element.localName, marks: marks(element), places: places(element) });
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
  const again = ({ tag, marks: wanted, places }) =>
    places
      .map((id) => document.getElementById(id))
      .flatMap((place) => [...(place?.querySelectorAll(tag) ?? [])])
      .filter((element) => marks(element) === wanted && !element.matches(":disabled"));
  document.addEventListener("htmx:beforeRequest", () => {
    const element = document.activeElement;
    left =
      element && element !== document.body
        ? { element, ...kind(element) }
        : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    if (!left || (left.element.isConnected && !left.element.matches(":disabled, [hidden]"))) return;
    if (![null, document.body, left.element].includes(document.activeElement)) return;
    const there = left.places.map((id) => document.getElementById(id)).filter(Boolean);
    const [same] = again(left);
    const part = there.find((place) => place.matches("article, section, [data-focus]"));
    if (same || part) focus(same ?? part);
  });

  // And what they pressed stays where it is on the screen, whatever grows or shrinks above it; if it
  // is gone, what is around it, or else what is nearest.
  const PARTS = "article[id], section[id], article :is(form, details)[id]";
  // The bar, and the side of a wide screen: they do not move with the page.
  const stands = (element) => {
    const apart = element.closest(".summary-bar, aside");
    return apart && getComputedStyle(apart).position !== "static";
  };
  const top = (element) => element.getBoundingClientRect().top;
  const seen = (part) => !stands(part) && top(part) < window.innerHeight && part.getBoundingClientRect().bottom > 0;
  // The parts that can be seen, those first that begin where one looks.
  const inSight = () => {
    const eye = window.innerHeight / 3;
    return [...document.querySelectorAll(PARTS)]
      .filter(seen)
      .sort((one, other) => Math.abs(top(one) - eye) - Math.abs(top(other) - eye));
  };
  const around = (element) => {
    const parts = [];
    for (let part = element.closest(PARTS); part; part = part.parentElement.closest(PARTS)) parts.push(part);
    return parts;
  };
  // What is told from all others.
  const single = (pressed) => {
    const found = new Set(again(pressed));
    const [one] = found;
    return found.size === 1 ? one : null;
  };
  // What is asked now, where one thing is asked after the other: the next begins where one looks.
  const step = () => document.querySelector("[data-step]")?.dataset.step;
  let held = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const config = event.detail.requestConfig;
    const pressed = config?.triggeringEvent?.submitter ?? config?.elt;
    // Whoever has scrolled on since keeps what they look at by now.
    const parts = pressed ? [...around(pressed).filter(seen), ...inSight()] : [];
    held = pressed && {
      pressed: seen(pressed) && single(kind(pressed)) ? { ...kind(pressed), top: top(pressed) } : null,
      parts: parts.map((part) => ({ id: part.id, top: top(part) })),
      step: step(),
    };
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!held) return;
    const { pressed, parts, step: before } = held;
    held = null;
    if (step() !== before) {
      const steps = document.querySelector("[data-step]");
      if (steps && top(steps) < 0) steps.scrollIntoView({ behavior: "instant" });
      return;
    }
    let part = pressed && single(pressed);
    let was = pressed?.top;
    for (const { id, top } of part ? [] : parts) {
      part = document.getElementById(id);
      was = top;
      if (part) break;
    }
    if (!part) return;
    window.scrollBy({ top: top(part) - was, behavior: "instant" });
    if (part.getBoundingClientRect().bottom < 0) part.scrollIntoView({ behavior: "instant" });
  });

  // One change at a time: what is pressed while another is under way waits for its turn, since the
  // answer may replace its button. The same button twice counts once, unless it is one to be pressed
  // again and again.
  let running = null;
  const line = [];
  document.addEventListener("submit", (event) => {
    const form = event.target, { submitter } = event;
    if (!form.hasAttribute("hx-post")) return;
    const pressed = submitter ?? form;
    submitter?.setAttribute("aria-busy", "true");
    if (!running) {
      running = { ...kind(pressed), at: form };
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    const waits = { ...kind(pressed), form: form.id };
    const same = ({ marks, places }) => marks === waits.marks && places[0] === waits.places[0];
    if (form.hasAttribute("data-repeat") || ![running, ...line].some(same)) line.push(waits);
  }, { capture: true });
  const next = () => {
    running = null;
    const waits = line.shift();
    if (!waits) return;
    const form = waits.form && document.getElementById(waits.form);
    const pressed = waits.tag === "form" ? form : again(waits)[0];
    if (pressed) pressed === form ? form.requestSubmit() : pressed.form.requestSubmit(pressed);
    if (!running) next();
  };
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.requestConfig?.verb !== "post") return;
    for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
    if (!detail.successful && !detail.xhr.status) line.length = 0;
    setTimeout(next);
  });
  document.addEventListener("htmx:validation:halted", next);
  // What was asked for before, as by a search, must not take away the form whose answer is awaited.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.requestConfig.verb === "get" && running && detail.target.contains(running.at)) detail.shouldSwap = false;
  });
  // A page that the browser kept waits for nothing.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    line.length = 0;
    next();
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

  // An address is copied at a press. Only over a safe connection does the browser have a clipboard.
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const address = document.getElementById(button.dataset.copy);
    const said = button.parentElement.querySelector("[data-copied]");
    getSelection().selectAllChildren(address);
    try {
      if (navigator.clipboard) await navigator.clipboard.writeText(address.textContent);
      else if (!document.execCommand("copy")) return;
    } catch {
      return;
    }
    said.textContent = said.dataset.copied;
  });

  // Or handed to whatever the device shares with.
  for (const button of document.querySelectorAll("[data-share]")) button.hidden = !navigator.share;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-share]");
    if (!button) return;
    const url = document.getElementById(button.dataset.share).textContent;
    navigator.share({ title: button.dataset.title, url }).catch(() => {});
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

  // What the other player does appears by itself: a page that waits asks while it is in sight. What
  // somebody is typing is left alone, and it is said that there is something new.
  const waits = () => document.querySelector("[data-waits]");
  const initial = (list) => ([...list.options].find((option) => option.defaultSelected) ?? list.options[0])?.value;
  const changed = (field) => field.value !== (field.options ? initial(field) : (field.defaultValue ?? field.value));
  const busy = (main) =>
    document.activeElement?.matches("main :is(input, textarea, select, summary)") ||
    document.querySelector(".htmx-request, dialog[open]") ||
    [...main.querySelectorAll("input:not([type=hidden]), textarea, select")].some(
      (field) => changed(field) || (field.defaultChecked ?? field.checked) !== field.checked,
    );
  let toldOf = "";
  const lookForNews = async () => {
    const page = waits();
    if (!page?.dataset.waits || document.hidden || !navigator.onLine) return;
    // While somebody types, the page stays as it is: they are told once, and only what is newer still counts as news.
    const typing = busy(document.querySelector("main")), since = (typing && toldOf) || page.dataset.waits;
    if (since === "none") return;
    const address = new URL(location.href);
    address.searchParams.set("since", since);
    const answer = await fetch(address).catch(() => null);
    if (answer?.status !== 200 || answer.redirected || page !== waits()) return;
    const news = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const main = document.querySelector("main"), { ask, news: words } = page.dataset;
    if (!news) return;
    if (busy(main)) {
      const state = news.querySelector("[data-waits]")?.dataset.waits ?? "none";
      if (state !== toldOf) announce(ask);
      toldOf = state;
      return;
    }
    // Whoever is at a button or a link finds themselves at the same one.
    const at = main.contains(document.activeElement) && document.activeElement;
    const alike = (one) => one.textContent === at.textContent && one.getAttribute("href") === at.getAttribute("href");
    main.replaceChildren(...news.childNodes);
    toldOf = "";
    window.htmx?.process(main);
    if (at && at !== main) ([...main.querySelectorAll("a, button")].find(alike) ?? main).focus({ preventScroll: true });
    for (const button of main.querySelectorAll("[data-copy]")) button.hidden = false;
    announce(words);
  };
  if (waits()) setInterval(lookForNews, 5000);

  // What waits to be sent would go with whoever signs out.
  document.addEventListener("submit", async (event) => {
    const form = event.target, { signOut, unsent, sure } = form.dataset;
    if (!signOut || sure) return;
    event.preventDefault();
    let waits = 0;
    try {
      await import(signOut);
      waits = (await globalThis.outbox.taps()).length;
    } catch {
      // A browser that keeps nothing loses nothing.
    }
    form.dataset.sure = "yes";
    if (waits) say(unsent.replace("NUMBER", waits));
    else form.requestSubmit();
  });

  // A page that the browser kept says since when.
  const { kept } = document.body.dataset;
  const day = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  if (kept && !document.getElementById("table")) say(banner().dataset.kept.replace("TIME", new Date(+kept).toLocaleString(document.documentElement.lang, day)));

  // A page that cannot be fetched is answered by one that says so. Only over a safe connection do
  // browsers allow it; elsewhere their own words must do.
  const { serviceWorker } = navigator;
  serviceWorker?.register("/offline.js").catch(() => {});
  // The first page of all has come without it.
  if (serviceWorker && !serviceWorker.controller && "keep" in document.body.dataset) {
    serviceWorker.ready.then(({ active }) => active.postMessage({ keep: location.href.split("#")[0] }));
  }

  // The fingerprints of seeds that dice will be drawn from: the first that was seen counts, so that whoever shows another one
  // afterwards is caught (`throws.js`).
  const MOST_FINGERPRINTS = 200;
  try {
    const seen = [...document.querySelectorAll("[data-remember]")];
    if (seen.length) {
      const known = JSON.parse(localStorage.getItem("fingerprints")) ?? {};
      for (const { dataset } of seen) known[dataset.key] ??= dataset.fingerprint;
      localStorage.setItem("fingerprints", JSON.stringify(Object.fromEntries(Object.entries(known).slice(-MOST_FINGERPRINTS))));
    }
  } catch {
    // No room, or none allowed: nothing is remembered, and the throws can be checked all the same.
  }
})();
