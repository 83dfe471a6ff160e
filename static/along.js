// A game without a network: taken along by this browser, and handed from phone to phone.

const panel = document.getElementById("table-along"), words = panel.dataset;
const one = (selector) => panel.querySelector(selector);
const state = one("[data-along-state]"), offer = one("[data-hand-over]"), button = one("[data-take]");
const { tableTaps } = globalThis, { serviceWorker } = navigator;

// Once for each game, and again when somebody wants it as it is now. When that was lies beside the
// pages themselves, and goes with them.
const told = async () => {
  const last = +(await (await caches.match(`${location.pathname}?along`))?.text());
  const at = new Date(last).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
  state.textContent = last ? words.taken.replace("TIME", at) : words.none;
  return last;
};
// A browser may refuse to keep pages, or never come to it.
const safely = (task) =>
  task().catch(() => {
    state.textContent = words.unable;
    button.hidden = true;
  });
const take = async () => {
  state.textContent = words.taking;
  await serviceWorker.register("/offline.js");
  const { active } = await Promise.race([serviceWorker.ready, new Promise((_, fail) => setTimeout(fail, 2e4))]);
  active.postMessage({ along: [location.pathname, ...words.pages.split(" ")] });
};
button.addEventListener("click", () => safely(take));
safely(async () => {
  serviceWorker.addEventListener("message", ({ data }) => data.along && safely(told));
  (await told()) || navigator.connection?.saveData || (await take());
});

// From phone to phone: the taps that wait here, and those of another. Who only looks on has none.
const handing = () => import(words.letters);
const waits = async () => {
  const rows = tableTaps.waiting();
  offer.hidden = !rows.length;
  if (offer.open && rows.length) (await handing()).show(panel, rows);
};
const ask = async (text) =>
  (await handing()).ask(words, document.getElementById("table-arrived"), text, tableTaps.takeOver);
const look = () => {
  if (!location.hash.startsWith("#taps=")) return;
  ask(location.hash.slice(6));
  history.replaceState(null, "", location.pathname);
};
if (offer) {
  offer.addEventListener("toggle", waits);
  document.addEventListener("table:waits", waits);
  waits();
  one("input").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (file) await ask(file.size < 1e6 ? await file.text() : null);
    target.value = "";
  });
  addEventListener("hashchange", look);
  look();
}

// What somebody may do is asked of the server; without one, of what was worked out beforehand.
const dialog = document.getElementById("table-attempts");
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-figure] a[href]");
  if (!dialog || !link || !tableTaps.alone()) return;
  event.preventDefault();
  import(dialog.dataset.show)
    .then(({ show }) => show(dialog, link, tableTaps.tell))
    .catch(() => location.assign(link.href));
});
panel.hidden = false;
