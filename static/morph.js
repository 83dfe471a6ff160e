// A page that becomes what an answer says (idiomorph), except for the reader's own changes since then: the fields that
// they changed, the parts that they unfolded, and the parts that scripts added.

import { initialState, isCheckable, stateOf } from "./fields.js";

const FIELDS = "input:not([type=hidden]), textarea, select";

// ``fields``: the states that an answer leaves alone; ``folds``: the parts that the reader has folded or unfolded.
const kept = { fields: new Map(), folds: new Set() };
// Values that a form has sent are not kept: only later typing is.
const sent = new WeakMap();

/** The fields that are kept or left together: one radio button of a group means nothing by itself. */
function findGroup(field) {
  if (field.type !== "radio" || !field.form) return [field];
  return [...field.form.elements].filter(({ type, name }) => type === "radio" && name === field.name);
}

/** Whether the reader has changed a field since it was given or sent. */
function isTouched(field) {
  const before = sent.has(field) ? sent.get(field) : initialState(field);
  return stateOf(field) !== before;
}

/** Remembers what a form sends: to be saved, or to be shown again as a whole. */
function rememberSent({ detail: { elt, target, requestConfig } }) {
  if (requestConfig.verb !== "post" && elt !== target) return;
  for (const field of elt.elements ?? []) sent.set(field, stateOf(field));
}

/** Forgets what a form has sent. */
function forgetSent({ detail: { elt } }) {
  for (const field of elt.elements ?? []) sent.delete(field);
}

/** Remembers the reader's changes to a part before it changes. */
function keep({ detail: { target } }) {
  const fields = [...target.querySelectorAll(FIELDS)].filter(isTouched).flatMap(findGroup);
  kept.fields = new Map(fields.map((field) => [field, stateOf(field)]));
  kept.folds = new Set(target.querySelectorAll("details"));
}

/** Whether a list offers a value. Other fields take any. */
function offers(field, value) {
  return !field.options || [...field.options].some((option) => option.value === value);
}

/** Puts the reader's changes back into the fields. A choice that is no longer offered is dropped. */
function restore() {
  for (const [field, state] of kept.fields) {
    if (!field.isConnected || stateOf(field) === state) continue;
    if (isCheckable(field)) field.checked = state;
    else if (offers(field, state)) field.value = state;
  }
  kept.fields = new Map();
  kept.folds = new Set();
}

/** Leaves parts alone that belong to a script or were opened since, and puts the typed text into a new text field. */
function beforeNodeMorphed(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) return true;
  if (old.matches("[data-own], [data-since]")) return false;
  // A text that is written again, even the same, would lose its caret.
  if (kept.fields.has(old) && !isCheckable(old) && !old.options) {
    if (old.localName === "input" && !fresh.hasAttribute("value")) fresh.setAttribute("value", "");
    fresh.value = kept.fields.get(old);
  }
  return true;
}

/** Leaves parts alone that belong to a script. */
function beforeNodeRemoved(old) {
  return !old.hasAttribute?.("data-own");
}

/** Leaves parts folded as the reader left them. New ones are folded as the answer says. */
function beforeAttributeUpdated(name, old) {
  return name !== "open" || !kept.folds.has(old);
}

document.addEventListener("htmx:beforeRequest", rememberSent);
document.addEventListener("htmx:afterRequest", forgetSent);
document.addEventListener("htmx:beforeSwap", keep);
document.addEventListener("htmx:afterSwap", restore);
Object.assign(Idiomorph.defaults.callbacks, { beforeNodeMorphed, beforeNodeRemoved, beforeAttributeUpdated });
