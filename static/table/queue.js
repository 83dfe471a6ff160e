// The taps of this phone: their names and numbers, and those that the server has not answered yet.

import * as outbox from "../outbox.js";
import { fold, keyOf } from "./fold.js";
import { form, game } from "./page.js";

export const address = form.action;
const PLACE = `skirmish.table.${address}`;
const MOST_NAMES = 20;
const MOST_UNDONE = 30;
const MOST_STATES = 20;

/** The table as this page knows it. */
export const table = {
  // The last state from the server, and the same with this page's taps on top.
  base: game.state,
  shown: game.state,
  // The last states from the server, and all taps since the first of them.
  states: [game.state],
  rows: [],
  // The newest acts of this person that the server knows and that can be undone.
  own: game.own ?? [],
  // This page's taps that are not in that state yet, and those of them that are not in the log yet.
  mine: [],
  queue: [],
  // The server's time minus this phone's.
  clock: 0,
  // The reason why nothing is sent, in words.
  trouble: "",
  // Whether the browser stores anything beyond the page.
  keeps: true,
  // Whether this page has ended the game, and goes on to its report.
  leaves: false,
};
// The numbers in the log of the taps sent from here.
export const logged = new Map();

// Kept beyond the page: the name under which this phone taps, all its earlier names (``own``), the last number and time
// of a tap, the acts that were made here and can be undone, the refused taps. Others see acts, so these have a name of
// their own (``act``): with the phone's name, others could tap for it.
export const kept = { device: makeUuid(), act: "", n: 0, at: 0, done: [], aside: "", own: [] };

/** Makes a random name. (crypto.randomUUID() asks for HTTPS.) */
function makeUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Gives the phone another name. */
function rename() {
  Object.assign(kept, { device: makeUuid(), act: makeUuid(), n: 0 });
  kept.own = [...kept.own, kept.device].slice(-MOST_NAMES);
}

/** Does something that needs storage, as long as the browser allows it. */
export function safely(task) {
  if (!table.keeps) return;
  try {
    task();
  } catch {
    table.keeps = false;
  }
}

/** Changes the part that is kept. Another page of the same table may have tapped meanwhile. */
export function store(change) {
  safely(() => Object.assign(kept, JSON.parse(localStorage.getItem(PLACE))));
  change();
  safely(() => localStorage.setItem(PLACE, JSON.stringify(kept)));
}

/** Tells the other parts of the page that the waiting taps may have changed. */
export function tellOfWaiting() {
  document.dispatchEvent(new Event("table:waits"));
}

/** Waits for the outbox. A tap that cannot be stored lasts as long as the page, which shows a warning. */
export async function tryToKeep(request) {
  try {
    await request;
  } catch {
    table.keeps = false;
    tellOfWaiting();
  }
}

/** Makes a test for rows that are none of these. */
function isNoneOf(rows) {
  const there = new Set(rows.map(({ device, n }) => keyOf(device, n)));
  return ({ device, n }) => !there.has(keyOf(device, n));
}

/** Forgets the taps that the server has counted: they no longer go on top of its state. */
export function settle() {
  table.mine = table.mine.filter(({ device, n }) => !(logged.get(keyOf(device, n)) <= table.base.seq));
}

/** Lets rows wait, and returns those that did not wait yet. */
export function queueUp(rows) {
  const isNew = isNoneOf(table.queue);
  const more = rows.filter(({ row }) => isNew(row));
  table.queue.push(...more.map(({ row }) => row));
  table.mine.push(...more.map(({ shown }) => shown));
  return more;
}

/** Takes rows out of the page's memory. */
export function leaveOut(rows) {
  table.queue = table.queue.filter(isNoneOf(rows));
  table.mine = table.mine.filter(isNoneOf(rows));
}

/** Removes rows from the queue that the server has answered. */
export function forget(rows) {
  table.queue = table.queue.filter(isNoneOf(rows));
  if (rows.length) tryToKeep(outbox.drop(address, rows));
}

/** The tap that strikes another. */
function strike([device, n]) {
  return { kind: "struck", device, device_seq: n };
}

/** Whether a tap is about undoing others. */
function isUndoing({ kind }) {
  return /struck|undo/.test(kind);
}

/** The acts that these rows undo. */
function actsUndoneBy(rows) {
  return new Set(rows.filter(({ tap }) => tap.kind === "undone").map(({ tap }) => tap.act));
}

/** The acts that this page undoes, until the server has counted that. */
export function actsBeingUndone() {
  return actsUndoneBy(table.mine);
}

/** Forgets the acts that these rows undo: they are no longer there to undo. */
function forgetUndone(rows) {
  const gone = actsUndoneBy(rows);
  kept.done = kept.done.filter(({ act }) => !gone.has(act));
}

/** Takes over a state from the server, with the taps since the one before, or without them. */
export function learn({ state, taps, own }) {
  Object.assign(table, { base: state, own: own ?? [] });
  table.states = [...(taps ? table.states : []), state].slice(-MOST_STATES);
  table.rows = taps ? [...table.rows, ...taps] : [];
  if (taps) store(() => forgetUndone(taps));
}

/**
 * The table with this page's taps on top. Acts that are undone here are left out of a state from before them and
 * before all that was undone since. If there is none, the server has to answer first.
 */
export function foldAll() {
  const { base, mine, rows, states } = table;
  const gone = actsBeingUndone();
  const acts = new Set([...gone, ...actsUndoneBy(rows)]);
  const first = gone.size ? rows.find(({ act }) => acts.has(act)) : null;
  const before = first && states.findLast(({ seq }) => seq < first.seq);
  const later = rows.filter(({ seq }) => seq > before?.seq);
  const there = new Set(later.map(({ act }) => act));
  const isCertain = later.every(({ act, asks, tap }) => {
    if (asks && (acts.has(act) || isUndoing(tap))) return false;
    return !isUndoing(tap) || there.has(tap.act);
  });
  return isCertain && before ? fold(game.fixed, before, [...later, ...mine]) : fold(game.fixed, base, mine);
}

/** Numbers the taps of one act, with these words for undoing it, and lets them wait. */
export function addTaps(taps, described) {
  const rows = [];
  store(() => {
    kept.at = Math.max(kept.at + 1, Date.now() + table.clock);
    // Taps that another phone has handed over may claim to be of this one.
    for (const { device, n } of table.queue) {
      if (device === kept.device) kept.n = Math.max(kept.n, n);
    }
    // An act is named after its first tap, so that a picture of many needs little room.
    const act = kept.act.slice(0, 24) + (kept.n + 1).toString(16).padStart(12, "0");
    for (const tap of taps) {
      kept.n += 1;
      const { device, n, at } = kept;
      const row = { device, n, after: table.base.seq, at, turn: table.shown.turn, act, tap };
      rows.push({ row, shown: row });
    }
    forgetUndone(rows.map(({ row }) => row));
    if (isUndoing(taps[0])) return;
    kept.done = [...kept.done, { told: described, act, at: kept.at }].slice(-MOST_UNDONE);
  });
  tryToKeep(keepOrRename(queueUp(rows)));
}

/** Stores rows. If another page was first to number a tap at the same moment, the next ones get another name. */
async function keepOrRename(rows) {
  const clashing = await outbox.add(address, rows);
  if (clashing.length) store(rename);
}

/** Sets a tap aside that can never be counted: it blocks no others, and the page shows it. */
export function setAside(row, why) {
  const { act } = row;
  store(() => {
    kept.aside += ` ${kept.done.find((done) => done.act === act)?.told ?? ""} (${why})`;
    kept.done = kept.done.filter((done) => done.act !== act);
  });
  forget([row]);
  leaveOut([row]);
}

/**
 * Lets this phone go on under another name, because another phone has used the numbers of these taps. The taps move to
 * the new name, with the same time and the same knowledge of the log, and strikes of them follow. Another page may have
 * renumbered some of them already.
 */
export async function renumber(rows) {
  const names = new Map();
  store(() => {
    rename();
    for (const { device, n } of rows) {
      kept.n += 1;
      names.set(keyOf(device, n), [kept.device, kept.n]);
    }
  });
  const newKeyOfStruck = ({ tap }) => tap.kind === "struck" && names.get(keyOf(tap.device, tap.device_seq));
  const renumbered = (row) => {
    const [device, n] = names.get(keyOf(row.device, row.n)) ?? [row.device, row.n];
    const key = newKeyOfStruck(row);
    return { ...row, device, n, tap: key ? strike(key) : row.tap };
  };
  const drawn = new Map(table.mine.map((row) => [keyOf(row.device, row.n), row]));
  const old = [...rows, ...table.queue.filter((row) => newKeyOfStruck(row) && !rows.includes(row))];
  const pairs = old.map((row) => {
    const shown = drawn.get(keyOf(row.device, row.n)) ?? row;
    return [row, { row: renumbered(row), shown: renumbered(shown) }];
  });
  const ours = await replaceOrKeep(pairs);
  leaveOut(old);
  queueUp(ours.map(([, more]) => more));
  if (table.keeps) queueUp(await outbox.taps(address));
}

/** Replaces rows in the outbox, and returns the pairs that are this page's. */
async function replaceOrKeep(pairs) {
  try {
    return await outbox.replace(address, pairs);
  } catch {
    table.keeps = false;
    return pairs;
  }
}

/** The last act that can be undone: of this phone, or what the server knows of this person. */
export function findLastAct() {
  const gone = actsBeingUndone();
  const waiting = new Set(table.mine.map(({ act }) => act));
  // An older version of the site kept no times, and at first no acts.
  const acts = [...table.own, ...kept.done].filter(({ act }) => act && !gone.has(act));
  const time = ({ act, at = 0 }) => (waiting.has(act) ? Infinity : at);
  return acts.reduce((last, one) => (last && time(last) > time(one) ? last : one), undefined);
}

store(() => {
  if (kept.act) return;
  // In an older version of the site, everybody saw the phone's name.
  kept.own = [kept.device];
  rename();
});
