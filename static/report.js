// The report of a game: big buttons to count with, everybody ticked at once. The page works without them.

const form = document.querySelector("[data-steppers]");

/** Counts a number up or down, within its bounds. */
function count(input, step) {
  const least = Number(input.min || 0);
  const most = Number(input.max || 99);
  const number = Math.min(most, Math.max(least, (Number(input.value) || 0) + step));
  input.value = number || "";
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Makes a button that counts a number. */
function makeButton(sign, words, step, input) {
  const button = document.createElement("button");
  const label = form.querySelector(`label[for="${input.id}"]`)?.textContent.trim() ?? "";
  button.type = "button";
  button.className = "stepper-button";
  button.textContent = sign;
  button.setAttribute("aria-label", `${label}: ${words}`);
  button.addEventListener("click", () => count(input, step));
  return button;
}

/** Puts buttons around a number. */
function addButtons(input) {
  const stepper = document.createElement("div");
  const { less, more } = form.dataset;
  stepper.className = "number-stepper";
  input.before(stepper);
  stepper.append(makeButton("−", less, -1, input), input, makeButton("+", more, 1, input));
}

/** Ticks a fallen member as present. */
function tickFallen({ target }) {
  const played = target.closest(".fallen-name") && target.closest(".report-row")?.querySelector(".report-played input");
  if (played && target.checked) played.checked = true;
}

/** Ticks everybody of a section. */
function tickAll(event) {
  const all = event.target.closest("[data-tick-all]");
  if (!all) return;
  event.preventDefault();
  for (const box of all.closest("section").querySelectorAll(".report-played input")) box.checked = true;
}

if (form) {
  form.querySelectorAll("input[data-stepper]").forEach(addButtons);
  form.addEventListener("change", tickFallen);
  form.addEventListener("click", tickAll);
}
