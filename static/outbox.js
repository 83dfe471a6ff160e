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

// A row is known by the phone's number for it, and is the same only if it says the same.
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const find = (store, table, { device, n }, task) => {
  store.get([me, table, device, n]).onsuccess = ({ target }) => {
    try {
      task(target.result?.row);
    } catch {
      store.transaction.abort();
    }
  };
};
const put = (store, table, { row, shown }) => store.put({ who: me, table, device: row.device, n: row.n, row, shown });

globalThis.outbox = {
  // Rows as they were added: of one table, or of all.
  taps: (...table) => within("taps", (store) => store.getAll(all(me, ...table)), "readonly"),
  // ``shown``: what the page makes of a row until the server has counted it. Resolves to the rows
  // that are not kept, because another tap has their number here.
  add: (table, rows) =>
    within("taps", (store) => {
      const result = [];
      for (const more of rows) {
        find(store, table, more.row, (there) => {
          if (!there) put(store, table, more);
          else if (!isSame(there, more.row)) result.push(more.row);
        });
      }
      return { result };
    }),
  drop: (table, rows) =>
    within("taps", (store) => {
      for (const row of rows) {
        find(store, table, row, (there) => {
          if (isSame(there, row)) store.delete([me, table, row.device, row.n]);
        });
      }
    }),
  // Puts others in the place of rows, in one step: ``pairs`` of a row and the one to keep for it.
  // Resolves to those pairs that another page has not replaced before.
  replace: (table, pairs) =>
    within("taps", (store) => {
      const result = [];
      for (const pair of pairs) {
        const [row, more] = pair;
        find(store, table, row, (there) => {
          if (!there) return;
          if (isSame(there, row)) store.delete([me, table, row.device, row.n]);
          put(store, table, more);
          result.push(pair);
        });
      }
      return { result };
    }),
  seen: (table) => within("seen", (store) => store.get([me, table]), "readonly"),
  see: (table, news) => within("seen", (store) => store.put({ who: me, table, ...news })),
};
