// The part of tables that a browser keeps beyond the page, for its present user: a row for each tap that the server has
// not answered yet, and each table as it was last seen.

const { who: me = "", was } = document.body.dataset;
const connection = {};

/** The keys that begin with these values. */
function keysOf(...values) {
  return IDBKeyRange.bound(values, [...values, []]);
}

/** Gives the taps of a visitor to the account that they have signed in to. */
function adopt(store) {
  store.getAll(keysOf(was)).onsuccess = ({ target }) => {
    for (const row of target.result) store.put({ ...row, who: me });
    store.delete(keysOf(was));
  };
}

/** Opens the database. */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("skirmish", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("taps", { keyPath: ["who", "table", "device", "n"] });
      request.result.createObjectStore("seen", { keyPath: ["who", "table"] });
    };
    request.onsuccess = () => {
      if (was) adopt(request.result.transaction("taps", "readwrite").objectStore("taps"));
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

/** Does something with a store in one step, and resolves to its result. */
async function withStore(name, task, mode = "readwrite") {
  connection.database ??= open();
  const transaction = (await connection.database).transaction(name, mode);
  const request = task(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Whether two rows are the same. The phone's number is not enough to tell. */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Looks for the row of this number and does something with it. */
function find(store, table, { device, n }, task) {
  store.get([me, table, device, n]).onsuccess = ({ target }) => {
    try {
      task(target.result?.row);
    } catch {
      store.transaction.abort();
    }
  };
}

/** Keeps a row, and how the page shows it until the server has counted it. */
function put(store, table, { row, shown }) {
  store.put({ who: me, table, device: row.device, n: row.n, row, shown });
}

/** Takes a row away. */
function remove(store, table, { device, n }) {
  store.delete([me, table, device, n]);
}

/** Resolves to rows as they were added: of one table, or of all. */
export function taps(...table) {
  return withStore("taps", (store) => store.getAll(keysOf(me, ...table)), "readonly");
}

/** Adds rows. Resolves to those that are not kept, because another tap has their number here. */
export function add(table, rows) {
  return withStore("taps", (store) => {
    const result = [];
    for (const more of rows) {
      find(store, table, more.row, (there) => {
        if (!there) put(store, table, more);
        else if (!isSame(there, more.row)) result.push(more.row);
      });
    }
    return { result };
  });
}

/** Drops the rows that the server has answered. */
export function drop(table, rows) {
  return withStore("taps", (store) => {
    for (const row of rows) {
      find(store, table, row, (there) => {
        if (isSame(there, row)) remove(store, table, row);
      });
    }
  });
}

/** Replaces rows by others, in one step. Resolves to the pairs that another page has not replaced before. */
export function replace(table, pairs) {
  return withStore("taps", (store) => {
    const result = [];
    for (const pair of pairs) {
      const [row, more] = pair;
      find(store, table, row, (there) => {
        if (!there) return;
        if (isSame(there, row)) remove(store, table, row);
        put(store, table, more);
        result.push(pair);
      });
    }
    return { result };
  });
}

/** Resolves to a table as it was last seen. */
export function seen(table) {
  return withStore("seen", (store) => store.get([me, table]), "readonly");
}

/** Keeps a table as it is seen now. */
export function see(table, news) {
  return withStore("seen", (store) => store.put({ who: me, table, ...news }));
}
