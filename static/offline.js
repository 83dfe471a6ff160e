// What a phone keeps for when there is no network. Pages that say so (data-keep) are kept with their
// files as they were last seen, for the person they were made for (data-who) and nobody else. Any
// other page is answered by one that says that there is no connection.
"use strict";

const SHELF = "offline-2", PAGES = "pages-1", FILES = "files-1";
const ALONE = "/static/offline.html";
const BARE = [ALONE, "/static/bare.css", "/static/favicon.svg"];
const MOST = { [PAGES]: 120, [FILES]: 160 };
const STATIC = "/static/", LOOK = /\/look-\w+\.css$/, HASHED = /\.[0-9a-f]{12}\.\w+$/;
// Whose pages are kept, as an entry beside them.
const WHO = "/offline.js?who";
// A page that is kept is not waited for longer than this, in milliseconds.
const PATIENCE = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELF).then((shelf) => shelf.addAll(BARE)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const ours = [SHELF, PAGES, FILES];
  const old = (names) => names.filter((name) => !ours.includes(name)).map((name) => caches.delete(name));
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))).then(() => clients.claim()));
});

// By its address alone, whatever it was asked for with.
const find = (name, address) => caches.match(address, { cacheName: name, ignoreVary: true });

const trim = async (name) => {
  const shelf = await caches.open(name), keys = await shelf.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST[name])).map((key) => shelf.delete(key)));
};
// Put last, so that it goes last.
const put = async (name, key, answer) => {
  const shelf = await caches.open(name);
  await shelf.delete(key);
  await shelf.put(key, answer);
  await trim(name);
};

// Whoever looks at a page now: what was kept for anybody else goes.
const belongs = async (who) => {
  const known = await (await find(PAGES, WHO))?.text();
  if (known === who) return;
  await caches.delete(PAGES);
  await (await caches.open(PAGES)).put(WHO, new Response(who));
};

const files = async (text, base, found) => {
  const shelf = await caches.open(FILES);
  for (const [, address] of text.matchAll(found)) {
    const url = new URL(address, base);
    url.hash = "";
    const fits = url.origin === location.origin && (url.pathname.startsWith(STATIC) || LOOK.test(url.pathname));
    if (!fits || (HASHED.test(url.pathname) && (await find(FILES, url.href)))) continue;
    const answer = await fetch(url);
    if (!answer.ok) continue;
    await put(FILES, url, answer.clone());
    if (url.pathname.endsWith(".css")) await files(await answer.text(), url, /url\(["']?([^"')]+)/g);
  }
};

const isData = (address) => new URL(address, location.origin).pathname.endsWith("/attempts.json");

const keep = async (address, answer) => {
  if (isData(address)) return answer.ok && !answer.redirected && put(PAGES, address, answer);
  const type = answer.headers.get("Content-Type") ?? "";
  if (!type.startsWith("text/html")) return;
  const text = await answer.text(), body = /<body[^>]*>/.exec(text)?.[0] ?? "";
  const who = / data-who="([^"]*)"/.exec(body)?.[1];
  if (who === undefined) return;
  await belongs(who);
  if (!answer.ok || answer.redirected || !body.includes(" data-keep")) return;
  const headers = new Headers(answer.headers);
  headers.set("Kept-At", Date.now());
  await put(PAGES, address, new Response(text, { headers }));
  await files(text, address, /(?:href|src|data-letters|data-qr|data-show)="([^"]+)"/g);
};

// A kept page says since when it is.
const asKept = async (kept) => {
  const since = `<body data-kept="${kept.headers.get("Kept-At")}"`;
  return new Response((await kept.text()).replace("<body", since), { headers: kept.headers });
};

const opened = async (event) => {
  const { request } = event, address = request.url.split("#")[0];
  const kept = request.method === "GET" && (await find(PAGES, address));
  try {
    const late = new Promise((_, fail) => kept && setTimeout(fail, PATIENCE));
    const answer = await Promise.race([fetch(request), late]);
    // Nobody is there but what stands in front of the site.
    if (kept && answer.status > 501) return asKept(kept);
    event.waitUntil(keep(address, answer.clone()).catch(() => {}));
    return answer;
  } catch {
    return kept ? asKept(kept) : find(SHELF, ALONE);
  }
};

const file = async (request) => {
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
};

const data = async (request) => {
  const kept = await find(PAGES, request.url);
  return fetch(request).catch((error) => kept ?? Promise.reject(error));
};

self.addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(opened(event));
  else if (request.method !== "GET" || origin !== location.origin) return;
  else if (pathname.startsWith(STATIC) || LOOK.test(pathname)) event.respondWith(file(request));
  else if (isData(pathname)) event.respondWith(data(request));
});

// A page asks to have itself and others kept, as far as there are such: when it is, that is noted.
const along = async (addresses, source) => {
  for (const address of addresses.slice(0, MOST[PAGES])) {
    try {
      const url = new URL(address, location.origin);
      await keep(url.href, await fetch(url));
    } catch {
      // Without a network there is nothing to take along.
    }
  }
  if (await find(PAGES, addresses[0])) await put(PAGES, `${addresses[0]}?along`, new Response(`${Date.now()}`));
  source.postMessage({ along: true });
};
self.addEventListener("message", (event) => {
  const { along: addresses, keep: address } = event.data;
  if (addresses) event.waitUntil(along(addresses, event.source));
  if (address) event.waitUntil(fetch(address).then((answer) => keep(address, answer)).catch(() => {}));
});
