// Points are spread as fast as a thumb taps: each tap shows at once, and they are sent together. Open cards stay open.
(() => {
  "use strict";

  const PAUSE = 250;
  const fields = (form) => [...form.querySelectorAll("input[type=number]")];
  const stepped = (form) => form.matches?.("[data-spread]");
  const left = (form) =>
    fields(form).reduce((points, field) => points - (Number(field.value) - Number(field.defaultValue)), Number(form.querySelector("[data-left]").dataset.left));
  const changed = (form) => fields(form).some((field) => field.value !== field.defaultValue);

  // What can be pressed, and how many points are left, as they stand on the screen. The buttons send nothing by themselves.
  const show = (form) => {
    const points = left(form);
    form.querySelector("[data-left]").textContent = points;
    form.elements.evenly.hidden = points < 1;
    for (const field of fields(form)) {
      const [less, more] = field.parentElement.querySelectorAll("button");
      for (const button of [less, more]) button.removeAttribute("name");
      less.setAttribute("aria-disabled", Number(field.value) <= Number(field.min));
      more.setAttribute("aria-disabled", points < 1 || Number(field.value) >= Number(field.max));
    }
  };
  const showAll = () => document.querySelectorAll("form[data-spread]").forEach(show);

  let timer = 0;
  const send = (form) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = document.getElementById(form.id);
      if (now && changed(now) && now.reportValidity()) now.requestSubmit();
    }, PAUSE);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-step]");
    if (!button) return;
    event.preventDefault();
    const { form } = button;
    const field = button.parentElement.querySelector("input");
    const full = button.dataset.step > 0 && left(form) < 1;
    const value = Number(field.value) + Number(button.dataset.step);
    const outside = value < Number(field.min) || value > Number(field.max);
    const { full: nothingLeft, limit } = form.dataset;
    form.querySelector("[data-said]").textContent = outside ? limit.replace("NUMBER", field.value) : full ? nothingLeft : "";
    if (full || outside) return;
    field.value = value;
    show(form);
    send(form);
  });
  document.addEventListener("change", ({ target }) => {
    if (!target.form || !stepped(target.form)) return;
    show(target.form);
    send(target.form);
  });
  // What is on its way, by form. What was tapped since is put on top of the answer, and sent next.
  const sent = new Map();
  const standing = (form, field) => sent.get(form.id)?.[field.name] ?? field.defaultValue;
  const unsent = (form) => fields(form).some((field) => field.value !== standing(form, field));
  // Undo: first what was tapped and not yet sent; what is on its way is undone after it. On the window, so that
  // nothing counts as under way.
  window.addEventListener("submit", (event) => {
    const undo = event.target.action.endsWith("/undo/");
    const waiting = undo && [...document.querySelectorAll("form[data-spread]")].filter(unsent);
    if (!waiting?.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    clearTimeout(timer);
    for (const form of waiting) for (const field of fields(form)) field.value = standing(form, field);
    showAll();
  }, { capture: true });

  let later = [];
  const values = (form) => Object.fromEntries(fields(form).map(({ name, value }) => [name, value]));
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
    if (stepped(elt)) sent.set(elt.id, values(elt));
  });
  document.addEventListener("htmx:afterRequest", ({ detail: { requestConfig } }) => sent.delete(requestConfig?.elt.id));
  document.addEventListener("htmx:beforeSwap", ({ detail: { requestConfig, xhr } }) => {
    const form = requestConfig?.elt;
    const was = form && sent.get(form.id);
    later = [];
    if (!was || !stepped(form) || xhr.status >= 400) return;
    later = fields(form)
      .filter(({ name, value }) => value !== was[name])
      .map(({ name, value }) => ({ form: form.id, name, by: Number(value) - Number(was[name]) }));
  });
  document.addEventListener("htmx:afterSettle", () => {
    const forms = new Set(later.map(({ form }) => form));
    for (const { form, name, by } of later) {
      const field = document.getElementById(form)?.elements[name];
      // What was sent may be here already, or be a line that did not come again.
      if (field) field.value = Number(field.defaultValue) + by;
    }
    later = [];
    for (const id of forms) if (document.getElementById(id)) send(document.getElementById(id));
    showAll();
  });
  showAll();

  // Every answer shows the cards and pickers open that were when it was asked for. Those opened or closed since stay as they are.
  const openCards = () =>
    [...document.querySelectorAll("article.is-open")].map((card) => {
      const search = card.querySelector("[type=search]");
      return { card, id: card.id.split("-").at(-1), search, kind: card.querySelector("[name=kind]:checked")?.value ?? "" };
    });
  const openNow = () => openCards().flatMap(({ card, id, search }) => (search ? [card.id, `picker-${id}`] : [card.id]));
  let asked = [];
  document.addEventListener("htmx:configRequest", ({ detail: { parameters, verb } }) => {
    if (verb !== "post") return;
    const cards = openCards();
    parameters.open = cards.map(({ id, search, kind }) => (search ? `${id}:${kind}:${search.value}` : id));
    if (parameters.opened && !cards.some(({ id }) => id === parameters.opened)) delete parameters.opened;
  });
  document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig } }) => {
    if (requestConfig.verb === "post") asked = openNow();
  });
  const answers = ({ requestConfig, target }) => requestConfig.verb === "post" && target.id === "builder";
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (!answers(detail)) return;
    const now = openNow();
    for (const id of new Set([...asked, ...now])) {
      if (asked.includes(id) !== now.includes(id)) document.getElementById(id)?.setAttribute("data-since", "");
    }
  });
  document.addEventListener("htmx:afterSettle", ({ detail }) => {
    if (!answers(detail)) return;
    for (const since of document.querySelectorAll("[data-since]")) since.removeAttribute("data-since");
    // What is searched for by now, the answer does not know yet.
    for (const { search } of openCards()) if (search && search.value !== search.defaultValue) search.form.requestSubmit();
  });

  // Whoever is done with a card has saved what they typed into it.
  const typed = (form) =>
    [...form.elements].some((field) => {
      if (field.type === "hidden") return false;
      if (!field.options) return field.value !== (field.defaultValue ?? field.value);
      const initial = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
      return field.value !== initial.value;
    });
  let closing = null;
  document.addEventListener("click", (event) => {
    const done = event.target.closest("[data-done]");
    const form = [...(done?.closest("article").querySelectorAll("form[data-save]") ?? [])].find(typed);
    if (!form || closing) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    closing = done.closest("article").id;
    form.requestSubmit();
  }, { capture: true });
  document.addEventListener("htmx:afterSettle", () => {
    const article = closing && document.getElementById(closing);
    closing = null;
    // What was refused is told on the card, which stays open then.
    if (article && !article.querySelector(".is-invalid, .alert-danger")) article.querySelector("[data-done]")?.click();
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.successful) closing = null;
  });

  // Kinds of gear stand in one strip on a phone: the chosen one is in sight.
  const inSight = (strip) => {
    const tab = strip.querySelector("input:checked + label");
    if (tab) strip.scrollLeft = tab.offsetLeft - 40;
  };
  document.addEventListener("htmx:afterSettle", () => document.querySelectorAll(".kind-tabs").forEach(inSight));

  // Who is asked for a name can type it at once.
  let unnamed = "";
  document.addEventListener("click", ({ target }) => {
    unnamed = target.closest("a[data-name-of]")?.dataset.nameOf ?? unnamed;
  });
  document.addEventListener("htmx:afterSettle", () => {
    const field = unnamed && document.querySelector(`#describe-${unnamed} [name=name]`);
    if (!field) return;
    unnamed = "";
    field.focus({ preventScroll: true });
  });

  // "Recruit a leader" leads to those who would do, and chooses the rank.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-rank]");
    if (!link) return;
    event.preventDefault();
    const { rank } = link.dataset;
    const recruiting = document.getElementById("recruit");
    const radio = rank && recruiting.querySelector(`input[name=rank][value="${CSS.escape(rank)}"]`);
    if (radio) radio.checked = true;
    const ready = recruiting.querySelector(rank ? `[data-of="${CSS.escape(rank)}"]` : "[data-of]");
    recruiting.scrollIntoView();
    (ready ?? radio ?? recruiting.querySelector("input:not([type=hidden])")).focus({ preventScroll: true });
  });
})();
