// What is tapped shows at once and is sent when it can be; what others tap comes by itself. Without
// this script every button is a form's.

const form = document.getElementById("table");
const note = document.querySelector(".table-note");
const { fold, keyOf, opposite } = tableFold;
const { fixed, state } = JSON.parse(document.getElementById("table-game").textContent);
const one = (selector, within = form) => within.querySelector(selector);
const all = (selector, within = form) => [...within.querySelectorAll(selector)];
const { outbox } = globalThis, { action: table, dataset: words } = form;
const said = one(".table-said"), wait = one(".table-wait"), undo = one(".table-undo"), aside = one(".table-aside");

// Kept beyond the page: by what name this phone taps, what can be undone, what was refused. Another
// page of the same table may have tapped meanwhile. The taps themselves are in the outbox.
const PLACE = `skirmish.table.${table}`;
const uuid = () => {
  // crypto.randomUUID() asks for HTTPS.
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};
const kept = { device: uuid(), n: 0, at: 0, done: [], aside: "" };
let keeps = true;
const safely = (task) => {
  try {
    if (keeps) task();
  } catch {
    keeps = false;
  }
};
const store = (change) => {
  safely(() => Object.assign(kept, JSON.parse(localStorage.getItem(PLACE))));
  change();
  safely(() => localStorage.setItem(PLACE, JSON.stringify(kept)));
};
store(() => {});

// What the server told last, and this page's taps that are not in it yet; those of them that it has
// not answered for; all that it has told of.
let base = state, shown = state, mine = [], queue = [], clock = 0, trouble = "";
const known = {};
// What cannot be kept lasts as long as the page, which says so.
const lasts = (asked) =>
  asked.catch(() => {
    keeps = false;
    tellWaiting();
  });
const noneOf = (rows) => {
  const there = new Set(rows.map(({ device, n }) => keyOf(device, n)));
  return ({ device, n }) => !there.has(keyOf(device, n));
};
const queueUp = (rows) => {
  const isNew = noneOf(queue), more = rows.filter(({ row }) => isNew(row));
  queue.push(...more.map(({ row }) => row));
  mine.push(...more.map(({ shown }) => shown));
  return more;
};

const put = (element, text = "") => {
  if (element.textContent !== String(text)) element.textContent = text;
};
const focus = (element) => element?.focus({ preventScroll: true });
const drawCounts = (within, who, { tracks, states }) => {
  for (const element of all("[data-track]", within)) {
    const key = element.dataset.track, number = tracks[key]?.[0];
    put(one("[data-n]", element), number);
    element.classList.toggle("is-low", key === fixed.life && number <= 0);
  }
  for (const element of all("[data-tally]", within)) {
    put(one("[data-n]", element), shown.tallies[element.dataset.tally]?.[who] ?? 0);
  }
  for (const element of all("[data-state]", within)) element.hidden = !(element.dataset.state in states);
  for (const element of all("[data-begin]", within)) element.hidden = element.dataset.begin in states;
};
const outWords = ([turn, by, mark]) => {
  const values = { HOW: fixed.marks[mark] ?? Object.values(fixed.marks)[0] ?? "", TURN: turn, WHO: fixed.names[by] };
  return (by ? words.outBy : words.out).replace(/HOW|TURN|WHO/g, (name) => values[name]);
};
const drawFigure = (element, key, figure) => {
  const { out, acted } = figure;
  const stopped = Object.keys(figure.states).some((state) => fixed.states[state]?.[1]);
  const may = !out && !stopped && acted < fixed.figures[key][1];
  const holds = { out, in: !out, may, acted: acted && !may };
  element.classList.toggle("is-out", !!out);
  element.classList.toggle("has-acted", !out && !may);
  for (const part of all("[data-if]", element)) part.hidden = !holds[part.dataset.if];
  if (out) put(one("[data-out]", element), outWords(out));
  drawCounts(element, key, figure);
};
const draw = () => {
  const before = shown, at = document.activeElement, standing = {};
  shown = fold(fixed, base, mine);
  for (const element of all("[data-figure]")) {
    const key = element.dataset.figure, figure = shown.figures[key], side = fixed.figures[key][0];
    standing[side] = (standing[side] ?? 0) + !figure.out;
    drawFigure(element, key, figure);
    if (JSON.stringify(figure) === JSON.stringify(before.figures[key])) continue;
    element.classList.remove("is-fresh");
    requestAnimationFrame(() => element.classList.add("is-fresh"));
  }
  for (const element of all("[data-own]")) drawCounts(element, element.dataset.own, shown.sides[element.dataset.own]);
  for (const element of all("[data-standing]")) put(element, standing[element.dataset.standing] ?? 0);
  const phases = fixed.phases.map(([key]) => key), place = phases.indexOf(shown.phase);
  put(one("[data-turn]"), shown.turn);
  if (shown.phase !== before.phase) {
    for (const part of all("[data-rules]")) part.open = part.dataset.rules === (shown.phase ?? fixed.acting);
  }
  put(one("[data-phase-name]"), fixed.phases[place]?.[2]);
  for (const button of all("[data-phase]")) button.hidden = phases.indexOf(button.dataset.phase) <= place;
  // The focus stays near a button that is gone.
  if (!at.checkVisibility()) {
    const there = at.closest("[data-figure]");
    focus(there ? one("summary", there) : one(".table-steps > .btn-primary"));
  }
  tellWaiting();
};
const tellWaiting = () => {
  const number = queue.length, told = [number && `${words.wait} ${number}`, trouble, number && !keeps && words.fleeting];
  wait.hidden = !trouble;
  put(one("span", wait), told.filter(Boolean).join(" · "));
  document.dispatchEvent(new Event("table:waits"));
  if (!undo) return;
  undo.disabled = !kept.done.length;
  aside.hidden = !kept.aside;
  put(one("span", aside), kept.aside);
};

// Parts that the server draws: neither the focus nor what one looks at moves.
const replace = (html) => {
  const eye = all("[data-figure]").find((element) => element.getBoundingClientRect().bottom > 60);
  const top = eye?.getBoundingClientRect().top;
  for (const name in html) {
    const part = document.getElementById(`table-${name}`);
    if (!part || part.told === html[name]) continue;
    const at = document.activeElement, inside = part.contains(at);
    part.innerHTML = part.told = html[name];
    if (!inside) continue;
    part.tabIndex = -1;
    const buttons = all("button", part);
    focus(buttons.find(({ value }) => value === at.value) ?? buttons[0] ?? part);
  }
  if (eye && top < innerHeight) scrollBy({ top: eye.getBoundingClientRect().top - top, behavior: "instant" });
};

const tap = (taps, told) => {
  const rows = [];
  store(() => {
    kept.at = Math.max(kept.at + 1, Date.now() + clock);
    // An act is called by its first tap, so that a picture of many needs little room.
    const act = kept.device.slice(0, 24) + (kept.n + 1).toString(16).padStart(12, "0");
    for (const tap of taps) {
      const row = { device: kept.device, n: (kept.n += 1), after: base.seq, at: kept.at, turn: shown.turn, act, tap };
      const gone = tap.kind === "struck" && known[keyOf(tap.device, tap.device_seq)];
      // What asks somebody first waits for the server.
      rows.push({ row, shown: gone && !gone.asks ? { ...row, tap: opposite(gone.tap) } : row });
    }
    const keys = rows.map(({ row }) => row.n);
    if (!/struck|undo/.test(taps[0].kind)) kept.done = [...kept.done, { told, keys, act }].slice(-30);
  });
  lasts(outbox.add(table, queueUp(rows)));
  leaving ||= words.report && taps[0].kind === "over";
  put(said, told);
  draw();
  wake();
};
const told = (button, { kind, figure, by, mark }) => {
  const own = button.ariaLabel ?? button.textContent.trim().split(" : ")[0], who = fixed.names[figure];
  if (kind === "out") return `${who}: ${outWords([shown.turn, by, mark])}`;
  return !who || own.includes(who) ? own : `${who}: ${own}`;
};
const pressed = (button) => {
  const taps = JSON.parse(button.value), first = taps[0], figure = button.closest("[data-figure]");
  tap(taps, told(button, first));
  if (!figure) return;
  const panel = one("details", figure), { out, tracks } = shown.figures[first.figure];
  if (first.kind === "out" && !first.mark) panel.open = false;
  // Who has no life left is probably out: by whose hand?
  if (first.track === fixed.life && first.by < 0 && !out && tracks[fixed.life][0] === 0) panel.open = true;
};
form.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "taps") return;
  event.preventDefault();
  pressed(event.submitter);
});
note?.addEventListener("submit", (event) => {
  const field = one("[name=text]", note), text = field.value.trim();
  event.preventDefault();
  if (!text) return;
  tap([{ kind: "said", text }], text);
  field.value = "";
});
if (undo) {
  undo.hidden = false;
  undo.addEventListener("click", () => {
    let act;
    store(() => (act = kept.done.pop()));
    if (act) tap(act.keys.map((n) => ({ kind: "struck", device: kept.device, device_seq: n })), `${words.undone} ${act.told}`);
  });
  one("button", aside).addEventListener("click", () => {
    store(() => (kept.aside = ""));
    tellWaiting();
  });
}

const ask = async (address, more) => {
  const began = Date.now(), answer = await fetch(address, { signal: AbortSignal.timeout(8e3), ...more });
  if (!answer.ok) throw Error("", { cause: words.gone });
  if (answer.status === 204) return null;
  const news = await answer.json();
  clock = Math.round(news.now - (began + Date.now()) / 2);
  return news;
};
const forget = (rows) => {
  const waits = noneOf(rows), gone = queue.filter((row) => !waits(row));
  queue = queue.filter(waits);
  if (gone.length) lasts(outbox.drop(table, gone));
  return waits;
};
const send = async (rows) => {
  const { refused } = await ask(table, {
    method: "POST",
    keepalive: true,
    headers: { "Content-Type": "application/json", "X-CSRFToken": one("[name=csrfmiddlewaretoken]").value },
    body: JSON.stringify(rows),
  });
  forget(rows);
  // What the server can never take holds nobody up: it is told, and goes.
  for (const place in refused) {
    const { act } = rows[place];
    store(() => {
      kept.aside += ` ${kept.done.find((done) => done.act === act)?.told ?? ""} (${refused[place]})`;
      kept.done = kept.done.filter((done) => done.act !== act);
    });
    mine = mine.filter(noneOf([rows[place]]));
    draw();
  }
};
// Every two seconds while somebody looks, later if nobody answers.
let leaving, busy, again, next, patience = 2000;
const round = async () => {
  clearTimeout(next);
  again = busy;
  if (busy) return;
  busy = true;
  try {
    while (queue.length) await send(queue.slice(0, 100));
    const news = !document.hidden && (await ask(words.since.replace(/0\/$/, `${base.seq}/`)));
    if (news) take(news);
    trouble = "";
    patience = 2000;
  } catch (error) {
    trouble = error.cause ?? words.offline;
    patience = Math.min(patience * 2, 16000);
  }
  busy = false;
  tellWaiting();
  if (!document.hidden || queue.length) next = setTimeout(round, again && !trouble ? 0 : patience);
};
const take = (news) => {
  for (const row of news.taps) known[keyOf(row.device, row.n)] = row;
  mine = mine.filter(forget(news.taps));
  // A page of an older version of the site goes on as long as something waits, and is then fetched
  // anew, once.
  if (news.state.format !== state.format && !queue.length) {
    safely(() => {
      if (sessionStorage.getItem(PLACE) === `${news.state.format}`) return;
      sessionStorage.setItem(PLACE, news.state.format);
      location.reload();
    });
  }
  base = news.state;
  draw();
  replace(news.html);
  lasts(outbox.see(table, { state: base, html: news.html }));
  if (news.taps.some((row) => row.device !== kept.device)) {
    put(said, one("#table-story li > span").innerText);
  }
  if (leaving && !queue.length && base.over !== null) location.assign(words.report);
};
const wake = () => {
  round();
  // Who plays keeps the screen on.
  if (kept.n && !document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
};
for (const name of ["visibilitychange", "online", "pageshow"]) addEventListener(name, wake);

const tab = (number) => {
  for (const link of all("[data-tab]")) link.ariaCurrent = String(link.dataset.tab === number);
  for (const side of all("[data-side]")) side.classList.toggle("is-shown", side.dataset.side === number);
};
for (const link of all("[data-tab]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    tab(link.dataset.tab);
  });
}
form.classList.add("is-live");
const asked = document.getElementById(location.hash.slice(1))?.closest("[data-side]");
tab((asked ?? one("[data-side]")).dataset.side);

draw();
// What this phone knew when it was here last: the page may be one that was kept.
const before = async () => {
  const [last, rows] = await Promise.all([outbox.seen(table), outbox.taps(table)]);
  if (last?.state.format === state.format && last.state.seq > base.seq) {
    base = last.state;
    replace(last.html);
  }
  queueUp(rows);
  draw();
  round();
};
lasts(before());

// For what goes from phone to phone: the taps that wait here, and those of another phone.
const holds = (row) => {
  try {
    return fold(fixed, base, [row]);
  } catch {
    return false;
  }
};
globalThis.tableTaps = {
  waiting: () => queue,
  // Whether nobody answers.
  alone: () => !!trouble || !navigator.onLine,
  tell: tap,
  takeOver: (rows) => {
    const more = queueUp(rows.filter(holds).map((row) => ({ row, shown: row })));
    lasts(outbox.add(table, more));
    draw();
    round();
  },
};
