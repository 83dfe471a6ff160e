// Buttons that a player may press after a while: ``data-wakes`` counts the seconds down.

/** Counts a second, and wakes the buttons whose time has come. */
function tick() {
  for (const button of document.querySelectorAll("[data-wakes]")) {
    button.dataset.wakes -= 1;
    if (button.dataset.wakes > 0) continue;
    button.disabled = false;
    delete button.dataset.wakes;
  }
}

setInterval(tick, 1000);
