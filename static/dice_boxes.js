// Boxes for dice of the table: a face that is complete moves on to the next box.

/** Whether no further digit could follow in a box. */
function isComplete(box) {
  const sides = Number(box.dataset.die);
  return box.value.length >= box.maxLength || (Number(box.value) > 0 && Number(box.value) * 10 > sides);
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("[data-die]") || !isComplete(target)) return;
  const boxes = [...target.form.querySelectorAll("[data-die]")];
  boxes[boxes.indexOf(target) + 1]?.focus();
});
