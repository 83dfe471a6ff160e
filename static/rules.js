// Pages of the rules fold: on a phone all but the first section are closed, unless the address leads into one. Without this
// script, and on paper, all are open.

const SECTION = "details.rules-section";
const PHONE = "(max-width: 47.99rem)";
const folds = [...document.querySelectorAll(SECTION)];
const gang = document.getElementById("only-gang");
// The sections that are open on paper only.
const closed = new Set();

/** The element that the part of an address behind # names. */
function findTarget({ hash }) {
  return document.getElementById(decodeURIComponent(hash.slice(1)));
}

/** Opens the section of an element, and goes there. */
function reveal(target) {
  const fold = target?.closest(SECTION);
  if (!fold || fold.open) return;
  fold.open = true;
  target.scrollIntoView();
}

/** Closes all sections but one. */
function closeOthers() {
  const target = findTarget(location);
  const open = target?.closest(SECTION);
  for (const fold of folds) fold.open = fold === (open ?? folds[0]);
  if (open) target.scrollIntoView();
}

/** Follows a link within the page, even if the address already ends with its target. */
function follow(event) {
  const link = event.target.closest("a[href*='#']");
  if (!link || link.pathname !== location.pathname) return;
  reveal(findTarget(link));
  // The list of results covers the page: close it to show the chosen place.
  if (link.closest("#found")) document.getElementById("found").replaceChildren();
}

/** Opens all sections for paper. */
function openForPaper() {
  for (const fold of folds) {
    if (!fold.open) closed.add(fold);
    fold.open = true;
  }
}

/** Closes the sections again that were opened for paper. */
function closeAfterPaper() {
  for (const fold of closed) fold.open = false;
  closed.clear();
}

if (matchMedia(PHONE).matches && folds.length > 1) closeOthers();
addEventListener("hashchange", () => reveal(findTarget(location)));
document.addEventListener("click", follow);
// A choice is sent immediately.
gang?.addEventListener("change", () => gang.form.requestSubmit());
addEventListener("beforeprint", openForPaper);
addEventListener("afterprint", closeAfterPaper);
