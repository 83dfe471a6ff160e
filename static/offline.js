// The pages that a phone keeps for when there is no network. A page marked with data-keep is kept with its files as it
// was last seen, for its reader (data-who) and nobody else. In place of any other page, one appears that says there is
// no connection.
"use strict";

const SHELF = "offline-3";
const PAGES = "pages-1";
const FILES = "files-1";
const MOST = { [PAGES]: 120, [FILES]: 160 };
const ALONE = "/offline/";
const BARE = [ALONE, "/static/bare.css", "/static/favicon.svg"];
const STATIC = "/static/";
const LOOK = /\/look-\w+\.css$/;
const HASHED = /\.[0-9a-f]{12}\.\w+$/;
// The addresses of other files, in a page and in each kind of file.
const IN_PAGE = /(?:href|src)="([^"]+)"/g;
const IN_FILE = {
  css: /url\(["']?([^"')]+)/g,
  js: /\b(?:from|import)\s*\(?\s*["'](\.{0,2}\/[^"']+)["']/g,
};
// The reader whose pages are kept, as an entry beside them.
const READER = "/offline.js?who";
// The longest wait for a page that is also kept, in milliseconds.
const PATIENCE = 4_000;
// Where the site compares the browser's subscription at its push service with the one that it knows.
const RENEWAL = "/notices/devices/renew/";
const BYTE = 2;
const HEXADECIMAL = 16;
// An answer with a higher status comes from a proxy: the site itself is not there.
const LAST_OF_SITE = 501;

/** Finds the entry of an address, whatever parameters it was requested with. */
function find(name, address) {
  return caches.match(address, { cacheName: name, ignoreVary: true });
}

/** Drops the oldest entries of a cache that is too full. */
async function trim(name) {
  const cache = await caches.open(name);
  const keys = await cache.keys();
  const old = keys.slice(0, Math.max(0, keys.length - MOST[name]));
  await Promise.all(old.map((key) => cache.delete(key)));
}

/** Keeps an answer as the newest entry, so that it is dropped last. */
async function put(name, key, answer) {
  const cache = await caches.open(name);
  await cache.delete(key);
  await cache.put(key, answer);
  await trim(name);
}

/** Forgets the pages of anybody except the present reader. */
async function forgetOthers(reader) {
  const answer = await find(PAGES, READER);
  const known = await answer?.text();
  if (known === reader) return;
  await caches.delete(PAGES);
  const cache = await caches.open(PAGES);
  await cache.put(READER, new Response(reader));
}

/** Whether an address is that of a file that never differs between readers. */
function isFile({ origin, pathname }) {
  return origin === location.origin && (pathname.startsWith(STATIC) || LOOK.test(pathname));
}

/** Keeps a file. Resolves to its answer, and to nothing if there is none. */
async function keepFile(url) {
  const kept = HASHED.test(url.pathname) && (await find(FILES, url.href));
  if (kept) return kept;
  const answer = await fetch(url);
  if (!answer.ok) return null;
  await put(FILES, url, answer.clone());
  return answer;
}

/** Keeps the files that a text leads to, and those that they lead to. */
async function keepFiles(text, base, pattern, done = new Set()) {
  for (const [, address] of text.matchAll(pattern)) {
    const url = new URL(address, base);
    url.hash = "";
    if (!isFile(url) || done.has(url.href)) continue;
    done.add(url.href);
    const answer = await keepFile(url);
    const leads = IN_FILE[/\.m?(css|js)$/.exec(url.pathname)?.[1]];
    if (answer && leads) await keepFiles(await answer.text(), url, leads, done);
  }
}

/** Whether an address is that of the attempts of a figure. */
function isData(address) {
  return new URL(address, location.origin).pathname.endsWith("/attempts.json");
}

/** Keeps a page that wants it, with its files. */
async function keep(address, answer) {
  const isWhole = answer.ok && !answer.redirected;
  if (isData(address)) {
    if (isWhole) await put(PAGES, address, answer);
    return;
  }
  const type = answer.headers.get("Content-Type") ?? "";
  if (!type.startsWith("text/html")) return;
  const text = await answer.text();
  const body = /<body[^>]*>/.exec(text)?.[0] ?? "";
  const reader = / data-who="([^"]*)"/.exec(body)?.[1];
  if (reader === undefined) return;
  await forgetOthers(reader);
  if (!isWhole || !body.includes(" data-keep")) return;
  const headers = new Headers(answer.headers);
  headers.set("Kept-At", Date.now());
  await put(PAGES, address, new Response(text, { headers }));
  await keepFiles(text, address, IN_PAGE);
}

/** Keeps a page if possible, and otherwise does without. */
async function tryToKeep(address, answer) {
  try {
    await keep(address, await answer);
  } catch {
    // There is no network, or no room.
  }
}

/** Answers with a kept page, which says how old it is. */
async function answerKept(kept) {
  const since = `<body data-kept="${kept.headers.get("Kept-At")}"`;
  const text = await kept.text();
  return new Response(text.replace("<body", since), { headers: kept.headers });
}

/** Answers a reader who opens a page. */
async function answerPage(event) {
  const { request } = event;
  const address = request.url.split("#")[0];
  const kept = request.method === "GET" && (await find(PAGES, address));
  const late = new Promise((_, reject) => {
    if (kept) setTimeout(reject, PATIENCE);
  });
  try {
    const answer = await Promise.race([fetch(request), late]);
    if (kept && answer.status > LAST_OF_SITE) return answerKept(kept);
    event.waitUntil(tryToKeep(address, answer.clone()));
    return answer;
  } catch {
    return kept ? answerKept(kept) : find(SHELF, ALONE);
  }
}

/** Answers a page that asks for a file. */
async function answerFile(request) {
  const kept = await find(FILES, request.url);
  if (kept && HASHED.test(request.url)) return kept;
  try {
    const answer = await fetch(request);
    if (kept && answer.ok) await put(FILES, request, answer.clone());
    return answer;
  } catch (error) {
    const bare = kept ?? (await find(SHELF, request.url));
    if (bare) return bare;
    throw error;
  }
}

/** Answers a page that asks for the attempts of a figure. */
async function answerData(request) {
  const kept = await find(PAGES, request.url);
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

/** Keeps a page and others for a game, notes the time, and tells the page that asked for it. */
async function takeAlong(addresses, source) {
  for (const address of addresses.slice(0, MOST[PAGES])) {
    const { href } = new URL(address, location.origin);
    await tryToKeep(href, fetch(href));
  }
  if (await find(PAGES, addresses[0])) {
    await put(PAGES, `${addresses[0]}?along`, new Response(`${Date.now()}`));
  }
  source.postMessage({ along: true });
}

/** Fetches what every site needs to say that there is no connection. */
async function install() {
  const shelf = await caches.open(SHELF);
  await shelf.addAll(BARE);
}

/** Clears away the caches of older versions, and serves the pages that are open. */
async function activate() {
  const names = await caches.keys();
  const old = names.filter((name) => ![SHELF, PAGES, FILES].includes(name));
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

/** Shows a notice that the site has sent. */
function showNotice({ data }) {
  const { title, body, url, tag } = data.json();
  return self.registration.showNotification(title, { body, tag, icon: "/static/icon-192.png", data: { url } });
}

/** Opens the page of a notice, in a window that shows it already if there is one. */
async function openNotice({ notification }) {
  notification.close();
  const url = new URL(notification.data?.url ?? "/", location.origin);
  if (url.origin !== location.origin) return;
  const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = windows.find((one) => one.url === url.href);
  await (open ? open.focus() : clients.openWindow(url.href));
}

/** The SHA-256 of a text in hexadecimal digits. */
async function digest(text) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(HEXADECIMAL).padStart(BYTE, "0")).join("");
}

/**
 * Tells the site the subscription that this browser has now, if the site knows another one. A browser that has lost its
 * subscription gets a new one, if the site still sends notices to it.
 */
async function renewSubscription({ oldSubscription, newSubscription }) {
  const { pushManager } = self.registration;
  const current = newSubscription ?? (await pushManager.getSubscription());
  const answer = await fetch(RENEWAL);
  // Nobody is signed in.
  if (!answer.ok || answer.redirected) return;
  const { known, key, token } = await answer.json();
  if (!current && !known) return;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const { endpoint, keys } = (current ?? (await pushManager.subscribe(options))).toJSON();
  if ((await digest(endpoint)) === known) return;
  const old = oldSubscription?.endpoint ?? endpoint;
  const body = new URLSearchParams({ csrfmiddlewaretoken: token, old, endpoint, p256dh: keys.p256dh, auth: keys.auth });
  await fetch(RENEWAL, { method: "POST", body });
}

/** Renews the subscription if possible. Otherwise a page wants it the next day. */
async function tryToRenew(event) {
  try {
    await renewSubscription(event);
  } catch {
    // There is no network, or the push service does not answer.
  }
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(tryToRenew(event)));
self.addEventListener("push", (event) => event.waitUntil(showNotice(event)));
self.addEventListener("notificationclick", (event) => event.waitUntil(openNotice(event)));
self.addEventListener("install", (event) => {
  event.waitUntil(install());
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(answerPage(event));
  else if (request.method !== "GET" || url.origin !== location.origin) return;
  else if (isFile(url)) event.respondWith(answerFile(request));
  else if (isData(url)) event.respondWith(answerData(request));
});
self.addEventListener("message", (event) => {
  const { along, keep: address, compare } = event.data;
  if (along) event.waitUntil(takeAlong(along, event.source));
  if (address) event.waitUntil(tryToKeep(address, fetch(address)));
  if (compare) event.waitUntil(tryToRenew(event));
});
