// A game without a network: taken along by this browser, and handed from phone to phone.

const panel = document.getElementById("table-along"), words = panel.dataset;
const one = (selector, within = panel) => within.querySelector(selector);
const state = one("[data-along-state]"), offer = one("[data-hand-over]"), shown = one("[data-picture]");
const arrived = document.getElementById("table-arrived");
const { tableTaps } = globalThis;
const at = (time) => new Date(time).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
const tell = (text) => {
  state.textContent = text;
};

// Once for each game, and again when somebody wants it as it is now. When that was lies beside the
// pages themselves, and goes with them.
const taken = async () => +(await (await caches.match(`${location.pathname}?along`))?.text());
const pages = words.pages.split(" ");
const take = async () => {
  const { active } = await navigator.serviceWorker.ready;
  tell(words.taking);
  active.postMessage({ along: [location.pathname, ...pages] });
};
const told = async () => {
  const last = await taken();
  tell(last ? words.taken.replace("TIME", at(last)) : words.none);
  return last;
};
if (navigator.serviceWorker) {
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.along) told();
  });
  one("[data-take]").addEventListener("click", take);
  told().then((last) => last || navigator.connection?.saveData || take());
} else {
  one("[data-take]").hidden = true;
  tell(words.unsafe);
}

// Out: a picture if it can be read off a screen, and a file.
const picture = async () => {
  const rows = tableTaps.waiting();
  const [{ write, fits }, { renderSVG }] = await Promise.all([import(words.letters), import(words.qr)]);
  const text = await write(rows), address = `${location.origin}${location.pathname}#taps=${text}`;
  shown.hidden = !fits(address);
  one("[data-too-many]").hidden = fits(address);
  shown.innerHTML = fits(address) ? renderSVG(address, { ecc: "L", border: 4 }) : "";
  const link = one("[data-file]");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
};
const waits = () => {
  offer.hidden = !tableTaps.waiting().length;
  if (offer.open && !offer.hidden) picture();
};

// In: asked about first, for anybody can make such an address.
let rows = [];
const ask = async (text) => {
  const { read } = await import(words.letters);
  rows = await read(text);
  one("p", arrived).textContent = rows.length ? words.arrived.replace("NUMBER", rows.length) : words.nothing;
  one("[data-accept]", arrived).hidden = !rows.length;
  arrived.hidden = false;
};
const look = () => {
  if (!location.hash.startsWith("#taps=")) return;
  const text = location.hash.slice(6);
  history.replaceState(null, "", location.pathname);
  ask(text);
};
// Who only looks on has no taps.
if (offer) {
  offer.addEventListener("toggle", waits);
  document.addEventListener("table:waits", waits);
  waits();
  for (const button of arrived.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      if (button.matches("[data-accept]")) tableTaps.takeOver(rows);
      arrived.hidden = true;
    });
  }
  one("input").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (file) await ask(file.size < 1e6 ? await file.text() : "");
    target.value = "";
  });
  addEventListener("hashchange", look);
  look();
}

// What somebody may do is asked of the server; without one, of what was worked out beforehand.
const dialog = document.getElementById("table-attempts");
const attempt = async (link) => {
  try {
    const answer = await fetch(new URL("attempts.json", link.href)), { attempts } = await answer.json();
    if (!attempts.length) throw Error();
    const { show } = await import(dialog.dataset.show);
    show(dialog, link.closest("[data-figure]").querySelector(".table-name").textContent, attempts, tableTaps.tell);
  } catch {
    location.assign(link.href);
  }
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-figure] a[href]");
  if (!dialog || !link || !tableTaps.alone()) return;
  event.preventDefault();
  attempt(link);
});
panel.hidden = false;
