// Pages of the rules fold: on a phone all but the first section are closed, unless the address leads into one. Without this
// script, and on paper, all are open.
(() => {
  "use strict";

  const folds = [...document.querySelectorAll("details.rules-section")];
  const sought = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const reveal = (target) => {
    const fold = target?.closest("details.rules-section");
    if (!fold) return;
    const closed = !fold.open;
    fold.open = true;
    if (closed) target.scrollIntoView();
  };
  const target = sought()?.closest("details.rules-section");
  if (matchMedia("(max-width: 47.99rem)").matches && folds.length > 1) {
    for (const fold of folds) fold.open = fold === (target ?? folds[0]);
    if (target) sought().scrollIntoView();
  }
  addEventListener("hashchange", () => reveal(sought()));
  // The address does not change where it leads to that place already.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href*='#']");
    if (link && link.pathname === location.pathname) reveal(document.getElementById(decodeURIComponent(link.hash.slice(1))));
    // What was found lies over the page: it makes room for the place that was chosen.
    if (link?.closest("#found") && link.pathname === location.pathname) document.getElementById("found").replaceChildren();
  });

  // A choice is sent at once.
  const gang = document.getElementById("only-gang");
  gang?.addEventListener("change", () => gang.form.requestSubmit());

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
})();
