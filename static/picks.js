// How many ranks a selector picks, counted again as its boxes are ticked.

/** The values of the ticked boxes whose name ends so. */
function ticked(part, end) {
  return new Set([...part.querySelectorAll(`input[name$="-${end}"]:checked`)].map(({ value }) => value));
}

/** Count the ranks that a selector picks, and write the numbers into its words. */
function count(part) {
  const output = part.querySelector("[data-words]");
  const boxes = [...part.querySelectorAll('input[name$="-ranks"]')];
  if (!output || !boxes.length) return;
  const named = ticked(part, "ranks");
  const without = ticked(part, "not_ranks");
  const picked = boxes.filter(({ value }) => !without.has(value) && (!named.size || named.has(value)));
  let place = 0;
  output.textContent = output.dataset.words.replace(/\d+/g, () => [picked.length, boxes.length][place++] ?? "");
}

document.addEventListener("change", ({ target }) => {
  const part = target.closest("[data-picks]");
  if (part) count(part);
});
