// Names for formulas: a press writes one into the formula field that was used last.

// The formula field that was used last.
const used = { field: null };

/** Turn the listed names into buttons, once; without a script they are a list to copy. */
function arm(list) {
  for (const code of list.querySelectorAll("code[data-insert]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "chip formula-name";
    button.dataset.insert = code.textContent;
    button.textContent = code.textContent;
    code.replaceWith(button);
  }
}

/** Bring the list to the field that is being written. */
document.addEventListener("focusin", ({ target }) => {
  if (!target.matches("[data-formula]")) return;
  used.field = target;
  const list = document.querySelector("[data-names]");
  const place = target.closest("[id^='field-']");
  if (!list || !place || place.contains(list)) return;
  arm(list);
  place.append(list);
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-insert]");
  const { field } = used;
  if (!button || !field?.isConnected) return;
  field.focus();
  field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
});
