// Boxes for dice of the table: a face that is complete moves on to the next box.

/** Whether no further digit could follow in a box. */
function isComplete(box) {
  const sides = Number(box.dataset.die);
  return box.value.length >= box.maxLength || (Number(box.value) > 0 && Number(box.value) * 10 > sides);
}

/** Shows a box for each die of a hand that is not kept. */
function fitBoxes() {
  const hand = [...document.querySelectorAll("[name=keep]")];
  if (!hand.length) return;
  const thrown = hand.filter(({ checked }) => !checked).length;
  for (const [place, box] of [...document.querySelectorAll("[name=dice]")].entries()) {
    box.disabled = place >= thrown;
    box.closest("label").hidden = box.disabled;
  }
}

fitBoxes();
// Not every browser does that by itself, or shows more than the edge of the first box.
const first = document.querySelector("[name=dice][autofocus]:enabled") ?? document.querySelector("[name=keep]");
first?.focus();
first?.scrollIntoView({ block: "center", behavior: "instant" });

document.addEventListener("change", ({ target }) => {
  if (target.name === "keep") fitBoxes();
});
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("[data-die]") || !isComplete(target)) return;
  const boxes = [...target.form.querySelectorAll("[data-die]")];
  boxes[boxes.indexOf(target) + 1]?.focus();
});
