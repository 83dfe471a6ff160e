// The page with the names of a gang: a die gives its field another name without a request, and Enter goes to the next
// field. Without scripts, the server throws the die, and Enter saves.

const form = document.getElementById("names");

/** The fields for names, in order. */
function findFields() {
  return [...form.querySelectorAll(".names-row > input")];
}

/** A listed name that is in no field; "" if all are. */
function pickName() {
  const taken = new Set(findFields().map(({ value }) => value.toLowerCase()));
  const listed = [...document.getElementById("names-listed").options].map(({ value }) => value);
  const free = listed.filter((name) => !taken.has(name.toLowerCase()));
  return free.length ? free[Math.floor(Math.random() * free.length)] : "";
}

form.addEventListener("click", (event) => {
  const die = event.target.closest("button[name=die]");
  const name = die && pickName();
  if (!name) return;
  event.preventDefault();
  form.elements[die.value].value = name;
});

form.addEventListener("keydown", (event) => {
  const fields = findFields();
  const next = fields[fields.indexOf(event.target) + 1];
  if (event.key !== "Enter" || event.isComposing || !event.target.matches(".names-row > input") || !next) return;
  event.preventDefault();
  next.focus();
  next.select();
});
