// What the browser keeps of tables beyond the page, for whoever uses it: a row for each tap that the
// server has not answered for, and each table as it was seen last.

const me = document.body.dataset.who ?? "";
let base;
const opened = () =>
  (base ??= new Promise((done, fail) => {
    const asked = indexedDB.open("skirmish", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("taps", { keyPath: ["who", "table", "device", "n"] });
      asked.result.createObjectStore("seen", { keyPath: ["who", "table"] });
    };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  }));
const within = async (name, mode, task) => {
  const act = (await opened()).transaction(name, mode), asked = task(act.objectStore(name));
  return new Promise((done, fail) => {
    act.oncomplete = () => done(asked?.result);
    act.onabort = () => fail(act.error);
  });
};

globalThis.outbox = {
  // Rows as they were added: of one table, or of all.
  taps: (...table) =>
    within("taps", "readonly", (store) => store.getAll(IDBKeyRange.bound([me, ...table], [me, ...table, []]))),
  // ``shown``: what the page makes of a row until the server has counted it.
  add: (table, rows) =>
    within("taps", "readwrite", (store) => {
      for (const { row, shown } of rows) store.put({ who: me, table, device: row.device, n: row.n, row, shown });
    }),
  drop: (table, rows) =>
    within("taps", "readwrite", (store) => {
      for (const { device, n } of rows) store.delete([me, table, device, n]);
    }),
  seen: (table) => within("seen", "readonly", (store) => store.get([me, table])),
  see: (table, news) =>
    within("seen", "readwrite", (store) => {
      store.put({ who: me, table, ...news });
    }),
};
