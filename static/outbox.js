// What the browser keeps of tables beyond the page, for whoever uses it: a row for each tap that the
// server has not answered for, and each table as it was seen last.

const { who: me = "", was } = document.body.dataset;
const all = (...key) => IDBKeyRange.bound(key, [...key, []]);
// Whoever was a visitor here has signed in: their taps come along.
const adopt = (store) => {
  store.getAll(all(was)).onsuccess = ({ target }) => {
    for (const row of target.result) store.put({ ...row, who: me });
    store.delete(all(was));
  };
};
let base;
const opened = () =>
  (base ??= new Promise((done, fail) => {
    const asked = indexedDB.open("skirmish", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("taps", { keyPath: ["who", "table", "device", "n"] });
      asked.result.createObjectStore("seen", { keyPath: ["who", "table"] });
    };
    asked.onsuccess = () => {
      if (was) adopt(asked.result.transaction("taps", "readwrite").objectStore("taps"));
      done(asked.result);
    };
    asked.onerror = () => fail(asked.error);
  }));
const within = async (name, task, mode = "readwrite") => {
  const act = (await opened()).transaction(name, mode), asked = task(act.objectStore(name));
  return new Promise((done, fail) => {
    act.oncomplete = () => done(asked?.result);
    act.onabort = () => fail(act.error);
  });
};

globalThis.outbox = {
  // Rows as they were added: of one table, or of all.
  taps: (...table) => within("taps", (store) => store.getAll(all(me, ...table)), "readonly"),
  // ``shown``: what the page makes of a row until the server has counted it.
  add: (table, rows) =>
    within("taps", (store) => {
      for (const { row, shown } of rows) store.put({ who: me, table, device: row.device, n: row.n, row, shown });
    }),
  drop: (table, rows) =>
    within("taps", (store) => {
      for (const { device, n } of rows) store.delete([me, table, device, n]);
    }),
  seen: (table) => within("seen", (store) => store.get([me, table]), "readonly"),
  see: (table, news) => within("seen", (store) => store.put({ who: me, table, ...news })),
};
