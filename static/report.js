// The report of a game: big buttons to count with, everybody ticked at once. The page works without.
(() => {
  "use strict";

  const form = document.querySelector("[data-steppers]");
  if (!form) return;

  const button = (sign, words, step, input) => {
    const element = document.createElement("button");
    element.type = "button";
    element.className = "stepper-button";
    element.textContent = sign;
    const label = form.querySelector(`label[for="${input.id}"]`);
    element.setAttribute("aria-label", `${label ? label.textContent.trim() : ""}: ${words}`);
    element.addEventListener("click", () => {
      const least = Number(input.min || 0);
      const most = Number(input.max || 99);
      const next = Math.min(most, Math.max(least, (Number(input.value) || 0) + step));
      input.value = next || "";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    return element;
  };
  for (const input of form.querySelectorAll("input[data-stepper]")) {
    const stepper = document.createElement("div");
    stepper.className = "number-stepper";
    input.before(stepper);
    stepper.append(button("−", form.dataset.less, -1, input), input, button("+", form.dataset.more, 1, input));
  }

  // Whoever went down took part.
  form.addEventListener("change", ({ target }) => {
    const played = target.closest(".fallen-name") && target.closest(".report-row")?.querySelector(".report-played input");
    if (played && target.checked) played.checked = true;
  });

  form.addEventListener("click", (event) => {
    const all = event.target.closest("[data-tick-all]");
    if (!all) return;
    event.preventDefault();
    for (const box of all.closest("section").querySelectorAll(".report-played input")) box.checked = true;
  });
})();
