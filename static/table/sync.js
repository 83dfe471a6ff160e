// The way to the server and back: waiting taps are sent as soon as possible, and others' taps appear by themselves.

import * as outbox from "../outbox.js";
import { draw, replaceParts } from "./draw.js";
import { fold, keyOf } from "./fold.js";
import { game, one, words, write } from "./page.js";
import {
  address, forget, kept, learn, leaveOut, logged, queueUp, renumber, safely, setAside, settle, table, tellOfWaiting, tryToKeep,
} from "./queue.js";

// A request that outlives its page may carry 64 KiB.
const LONGEST = 60_000;
const MOST_AT_ONCE = 100;
// The pause between two requests while somebody looks, longer if there is no answer, in milliseconds.
const PAUSE = 2_000;
const LONGEST_PAUSE = 16_000;
const PATIENCE = 8_000;
const CSRF = "[name=csrfmiddlewaretoken]";

// ``isRunning``: whether a round is in progress; ``again``: whether another one is wanted after it.
const rounds = { isRunning: false, again: false, timer: 0, pause: PAUSE };

/** Asks the server. Fails with the status of an answer that is not usable. */
async function ask(url, more) {
  const began = Date.now();
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), ...more });
  if (!answer.ok) throw Error("", { cause: answer.status });
  if (answer.status === 204) return null;
  const news = await answer.json();
  table.clock = Math.round(news.now - (began + Date.now()) / 2);
  return news;
}

/** Sends rows; resolves to null if they are too large for one request. */
async function post(rows) {
  const body = JSON.stringify(rows);
  const { size } = new Blob([body]);
  if (size > LONGEST && rows.length > 1) return null;
  const headers = { "Content-Type": "application/json", "X-CSRFToken": one(CSRF).value };
  try {
    return await ask(address, { method: "POST", keepalive: size < LONGEST, headers, body });
  } catch (error) {
    if (error.cause !== 413) throw error;
    return rows.length > 1 ? null : { logged: [], refused: { 0: words.tooLarge }, taken: [] };
  }
}

/** Sends rows, or as many of them as the server takes in one request. */
async function send(rows) {
  const answer = await post(rows);
  if (!answer) {
    await send(rows.slice(0, rows.length / 2));
    return;
  }
  const { refused, taken } = answer;
  rows.forEach(({ device, n }, place) => {
    if (answer.logged[place]) logged.set(keyOf(device, n), answer.logged[place]);
  });
  // The log has these with their own content.
  forget(rows.filter((_, place) => answer.logged[place]));
  const again = [];
  for (const place in refused) {
    const row = rows[place];
    if (taken.includes(Number(place)) && kept.own.includes(row.device)) again.push(row);
    else setAside(row, refused[place]);
  }
  if (again.length) await renumber(again);
  settle();
  draw();
}

/** Fetches the page again, once, if it is of an older version of the site. */
function renewPage({ format }) {
  if (format === game.state.format || table.queue.length) return;
  const place = `skirmish.table.${address}`;
  safely(() => {
    if (sessionStorage.getItem(place) === `${format}`) return;
    sessionStorage.setItem(place, format);
    location.reload();
  });
}

/** Shows the news. */
function takeNews(news) {
  const { state, taps, own, html } = news;
  renewPage(state);
  learn(news);
  settle();
  draw();
  replaceParts(html);
  tryToKeep(outbox.see(address, { state, own, html }));
  const sent = new Set(logged.values());
  if (taps.some(({ seq }) => !sent.has(seq))) write(one(".table-said"), one("#table-story li > span").innerText);
  if (table.leaves && !table.queue.length && state.over !== null) location.assign(words.report);
}

/** Sends all waiting taps, and asks for news if somebody looks. */
async function exchange() {
  while (table.queue.length) await send(table.queue.slice(0, MOST_AT_ONCE));
  if (document.hidden) return;
  const news = await ask(words.since.replace(/0\/$/, `${table.base.seq}/`));
  if (news) takeNews(news);
}

/** Does a round now, or right after the present one, and the next one by itself. */
export async function startRound() {
  clearTimeout(rounds.timer);
  rounds.again = rounds.isRunning;
  if (rounds.isRunning) return;
  rounds.isRunning = true;
  try {
    await exchange();
    table.trouble = "";
    rounds.pause = PAUSE;
  } catch (error) {
    table.trouble = error.cause ? words.gone : words.offline;
    rounds.pause = Math.min(rounds.pause * 2, LONGEST_PAUSE);
  }
  rounds.isRunning = false;
  tellOfWaiting();
  if (document.hidden && !table.queue.length) return;
  rounds.timer = setTimeout(startRound, rounds.again && !table.trouble ? 0 : rounds.pause);
}

/** Asks immediately, because something has happened. The screen stays on for a player. */
export function wake() {
  startRound();
  if (kept.n && !document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
}

/** Restores what this phone knew last time: the page may be a stored one. */
async function resume() {
  const [last, rows] = await Promise.all([outbox.seen(address), outbox.taps(address)]);
  if (last?.state.format === game.state.format && last.state.seq > table.base.seq) {
    learn({ state: last.state, own: last.own });
    replaceParts(last.html);
  }
  queueUp(rows);
  draw();
  startRound();
}

/** Begins to send and to ask. */
export function start() {
  for (const name of ["visibilitychange", "online", "pageshow"]) addEventListener(name, wake);
  draw();
  tryToKeep(resume());
}

/** Whether the server does not answer. */
export function isAlone() {
  return Boolean(table.trouble) || !navigator.onLine;
}

/** Whether a row of another phone belongs to this table. */
function fits(row) {
  try {
    return Boolean(fold(game.fixed, table.base, [row]));
  } catch {
    return false;
  }
}

/** Keeps the rows of another phone, except those whose number another tap has. */
async function keep(rows) {
  try {
    leaveOut(await outbox.add(address, rows));
  } finally {
    draw();
  }
}

/** Takes over the taps of another phone. */
export function takeOver(rows) {
  const more = queueUp(rows.filter(fits).map((row) => ({ row, shown: row })));
  tryToKeep(keep(more));
  draw();
  startRound();
}
