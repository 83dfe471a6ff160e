// A page that becomes what an answer says (idiomorph), but for what its reader has done to it since: what they typed or chose,
// what they unfolded, and what scripts put there.
(() => {
  "use strict";

  const FIELDS = "input:not([type=hidden]), textarea, select";
  const checkable = (field) => field.matches("[type=radio], [type=checkbox]");
  const state = (field) => (checkable(field) ? field.checked : field.value);
  const initial = (field) => {
    if (checkable(field)) return field.defaultChecked;
    if (!field.options) return field.defaultValue;
    return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value;
  };
  // Of radio buttons one alone says nothing: they are kept or left together.
  const alike = (field) =>
    field.type === "radio" && field.form ? [...field.form.elements].filter(({ type, name }) => type === "radio" && name === field.name) : [field];

  // What a form has sent counts as said: only what was typed since is kept.
  const sent = new WeakMap();
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt, requestConfig } }) => {
    if (requestConfig.verb !== "post") return;
    for (const field of elt.elements ?? []) sent.set(field, state(field));
  });
  document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => {
    for (const field of elt.elements ?? []) sent.delete(field);
  });
  const touched = (field) => state(field) !== (sent.has(field) ? sent.get(field) : initial(field));

  let kept = new Map(), folds = new Set();
  document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
    const fields = [...target.querySelectorAll(FIELDS)].filter(touched).flatMap(alike);
    kept = new Map(fields.map((field) => [field, state(field)]));
    folds = new Set(target.querySelectorAll("details"));
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const [field, value] of kept) {
      if (!field.isConnected || state(field) === value) continue;
      if (checkable(field)) field.checked = value;
      // A choice that is no longer offered is none.
      else if (!field.options || [...field.options].some((option) => option.value === value)) field.value = value;
    }
    kept = new Map();
    folds = new Set();
  });

  Object.assign(Idiomorph.defaults.callbacks, {
    beforeNodeMorphed: (old, fresh) => {
      if (old.nodeType !== Node.ELEMENT_NODE) return true;
      if (old.matches("[data-own], [data-since]")) return false;
      // A text that is written again, even the same, would lose its caret: the new one says what is typed already.
      if (kept.has(old) && !checkable(old) && !old.options) {
        if (old.localName === "input" && !fresh.hasAttribute("value")) fresh.setAttribute("value", "");
        fresh.value = kept.get(old);
      }
      return true;
    },
    beforeNodeRemoved: (old) => !old.hasAttribute?.("data-own"),
    // What was there is folded as its reader left it; what is new, as the answer says.
    beforeAttributeUpdated: (name, old) => !(name === "open" && folds.has(old)),
  });
})();
