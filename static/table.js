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
// A request that outlives its page may carry 64 KiB.
const LONGEST = 6e4;
const uuid = () => {
  // crypto.randomUUID() asks for HTTPS.
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};
// ``own``: all names that it had; ``act``: what its acts are called after. Others see that, and not
// the name of the phone, under which they could tap.
const kept = { device: uuid(), act: "", n: 0, at: 0, done: [], aside: "", own: [] };
const keyed = (key) => (Array.isArray(key) ? key : [kept.device, key]);
const rename = () => {
  Object.assign(kept, { device: uuid(), act: uuid(), n: 0 });
  kept.own = [...kept.own, kept.device].slice(-20);
};
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
store(() => {
  if (kept.act) return;
  // An older version of the site called the phone by a name that everybody saw.
  kept.own = [kept.device];
  kept.done = kept.done.map((done) => ({ ...done, keys: done.keys.map(keyed) }));
  rename();
});

// The last state from the server, and this page's taps that are not in it yet; those of them that the
// log does not have yet; all taps in the news, and the numbers in the log of those sent from here.
let base = state, shown = state, mine = [], queue = [], clock = 0, trouble = "";
const known = {}, logged = new Map();
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
// Taps that the server has counted no longer go on top of its state. News show an alias of their
// phone; this page undoes them under its own name.
const settle = () => {
  const isIn = ({ device, n }) => logged.get(keyOf(device, n)) <= base.seq;
  for (const row of mine.filter(isIn)) known[keyOf(row.device, row.n)] = row;
  mine = mine.filter((row) => !isIn(row));
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

const struck = ([device, n]) => ({ kind: "struck", device, device_seq: n });
const tap = (taps, told) => {
  const rows = [];
  store(() => {
    kept.at = Math.max(kept.at + 1, Date.now() + clock);
    // Taps that another phone has handed over may claim to be of this one.
    for (const { device, n } of queue) if (device === kept.device) kept.n = Math.max(kept.n, n);
    // An act is called by its first tap, so that a picture of many needs little room.
    const act = kept.act.slice(0, 24) + (kept.n + 1).toString(16).padStart(12, "0");
    for (const tap of taps) {
      const row = { device: kept.device, n: (kept.n += 1), after: base.seq, at: kept.at, turn: shown.turn, act, tap };
      const gone = tap.kind === "struck" && known[keyOf(tap.device, tap.device_seq)];
      // What asks somebody first waits for the server.
      rows.push({ row, shown: gone && !gone.asks ? { ...row, tap: opposite(gone.tap) } : row });
    }
    const keys = rows.map(({ row }) => [row.device, row.n]);
    if (!/struck|undo/.test(taps[0].kind)) kept.done = [...kept.done, { told, keys, act }].slice(-30);
  });
  // Another page that numbered a tap at the same moment was first: the next ones go elsewhere.
  lasts(outbox.add(table, queueUp(rows)).then((clashing) => clashing.length && store(rename)));
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
    if (act) tap(act.keys.map(keyed).map(struck), `${words.undone} ${act.told}`);
  });
  one("button", aside).addEventListener("click", () => {
    store(() => (kept.aside = ""));
    tellWaiting();
  });
}

const ask = async (address, more) => {
  const began = Date.now(), answer = await fetch(address, { signal: AbortSignal.timeout(8e3), ...more });
  if (!answer.ok) throw Error("", { cause: answer.status });
  if (answer.status === 204) return null;
  const news = await answer.json();
  clock = Math.round(news.now - (began + Date.now()) / 2);
  return news;
};
const forget = (rows) => {
  queue = queue.filter(noneOf(rows));
  if (rows.length) lasts(outbox.drop(table, rows));
};
// A tap that can never be noted holds nothing up: the page says so, and lets it go.
const setAside = (row, why) => {
  const { act } = row;
  store(() => {
    kept.aside += ` ${kept.done.find((done) => done.act === act)?.told ?? ""} (${why})`;
    kept.done = kept.done.filter((done) => done.act !== act);
  });
  forget([row]);
  mine = mine.filter(noneOf([row]));
};
// Somebody else has used the numbers of these taps: this phone goes on under another name, and they
// with it, as late and having seen as much as before. Strikes of them follow. Another page may have
// renumbered some of them already.
const renumber = async (rows) => {
  const names = new Map(), drawn = new Map(mine.map((row) => [keyOf(row.device, row.n), row]));
  store(() => {
    rename();
    for (const { device, n } of rows) names.set(keyOf(device, n), [kept.device, (kept.n += 1)]);
  });
  const strikes = (row) => row.tap.kind === "struck" && names.get(keyOf(row.tap.device, row.tap.device_seq));
  const renamed = (row) => {
    const [device, n] = names.get(keyOf(row.device, row.n)) ?? [row.device, row.n], key = strikes(row);
    return { ...row, device, n, tap: key ? struck(key) : row.tap };
  };
  const old = [...rows, ...queue.filter((row) => strikes(row) && !rows.includes(row))];
  const pairs = old.map((row) => [row, { row: renamed(row), shown: renamed(drawn.get(keyOf(row.device, row.n)) ?? row) }]);
  const ours = await outbox.replace(table, pairs).catch(() => {
    keeps = false;
    return pairs;
  });
  queue = queue.filter(noneOf(old));
  mine = mine.filter(noneOf(old));
  queueUp(ours.map(([, more]) => more));
  const moved = new Map(ours.map(([{ device, n }, { row }]) => [keyOf(device, n), [row.device, row.n]]));
  store(() => {
    kept.done = kept.done.map((done) => ({ ...done, keys: done.keys.map((key) => moved.get(keyOf(...keyed(key))) ?? key) }));
  });
  if (keeps) queueUp(await outbox.taps(table));
};
const send = async (rows) => {
  const body = JSON.stringify(rows), size = new Blob([body]).size;
  const headers = { "Content-Type": "application/json", "X-CSRFToken": one("[name=csrfmiddlewaretoken]").value };
  const sent = { method: "POST", keepalive: size < LONGEST, headers, body };
  if (size > LONGEST && rows.length > 1) return send(rows.slice(0, rows.length / 2));
  const answer = await ask(table, sent).catch((error) => {
    if (error.cause !== 413) throw error;
    return rows.length > 1 ? null : { logged: [], refused: { 0: words.tooLarge }, taken: [] };
  });
  if (!answer) return send(rows.slice(0, rows.length / 2));
  const { refused, taken } = answer, again = [];
  rows.forEach(({ device, n }, place) => {
    if (answer.logged[place]) logged.set(keyOf(device, n), answer.logged[place]);
  });
  // The log has these with their own content.
  forget(rows.filter((_, place) => answer.logged[place]));
  for (const place in refused) {
    if (taken.includes(+place) && kept.own.includes(rows[place].device)) again.push(rows[place]);
    else setAside(rows[place], refused[place]);
  }
  if (again.length) await renumber(again);
  settle();
  draw();
  return null;
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
    trouble = error.cause ? words.gone : words.offline;
    patience = Math.min(patience * 2, 16000);
  }
  busy = false;
  tellWaiting();
  if (!document.hidden || queue.length) next = setTimeout(round, again && !trouble ? 0 : patience);
};
const take = (news) => {
  for (const row of news.taps) known[keyOf(row.device, row.n)] = row;
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
  settle();
  draw();
  replace(news.html);
  lasts(outbox.see(table, { state: base, html: news.html }));
  const sent = new Set(logged.values());
  if (news.taps.some(({ seq }) => !sent.has(seq))) {
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
    const keep = async () => {
      const clashing = await outbox.add(table, more);
      queue = queue.filter(noneOf(clashing));
      mine = mine.filter(noneOf(clashing));
    };
    lasts(keep().finally(draw));
    draw();
    round();
  },
};
