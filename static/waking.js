// Buttons that appear after a while: ``data-wakes`` counts the seconds down.

/** Counts a second, and shows the parts whose time has come. */
function tick() {
  for (const part of document.querySelectorAll("[data-wakes]")) {
    part.dataset.wakes -= 1;
    if (part.dataset.wakes > 0) continue;
    part.hidden = false;
    delete part.dataset.wakes;
  }
}

setInterval(tick, 1000);
