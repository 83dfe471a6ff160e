// Taps from phone to phone, in few letters: as a picture for another phone's camera, or as a file.

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
// A camera can still read this many letters off a screen, and one handover may have this many taps.
const MOST_LETTERS = 2_200;
const MOST_TAPS = 5_000;
// No phone's taps are longer when unpacked, in bytes: 5,000 are a quarter of it.
const LARGEST = 2 ** 22;
// Data is unpacked in small pieces, each as a whole: one of these becomes a megabyte at most.
const PIECE = 1_024;
// The first letters of an act are its phone's.
const SHARED = 24;

/** Streams data in small pieces. */
function streamInPieces(data) {
  let at = 0;
  return new ReadableStream({
    pull(stream) {
      if (at >= data.length) {
        stream.close();
        return;
      }
      stream.enqueue(data.subarray(at, at + PIECE));
      at += PIECE;
    },
  });
}

/** Sends data through a stream, as long as no more than this comes out. */
async function pipe(data, stream, most = Infinity) {
  const reader = streamInPieces(data).pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      reader.cancel();
      throw Error("", { cause: "large" });
    }
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Packs rows. Consecutive rows of a phone are alike: each stores its difference from the one before. */
function pack(rows) {
  const phones = Object.groupBy(rows, ({ device }) => device);
  return Object.entries(phones).map(([device, ours]) => {
    let before = { n: 0, at: 0 };
    const list = ours.sort((one, other) => one.n - other.n).map((row) => {
      const isShared = row.act.startsWith(device.slice(0, SHARED));
      const act = isShared ? row.n - parseInt(row.act.slice(SHARED), 16) : row.act;
      const packed = [row.n - before.n, row.at - before.at, row.after, row.turn, act, row.tap];
      before = row;
      return packed;
    });
    return [device, list];
  });
}

/** Unpacks rows. */
function unpack(phones) {
  return phones.flatMap(([device, list]) => {
    let n = 0;
    let at = 0;
    return list.map(([more, later, after, turn, act, tap]) => {
      n += more;
      at += later;
      if (typeof act !== "number") return { device, n, after, at, turn, act, tap };
      const called = device.slice(0, SHARED) + (n - act).toString(16).padStart(12, "0");
      return { device, n, after, at, turn, act: called, tap };
    });
  });
}

/** Whether a value is a row of a table. */
function isRow({ device, n, after, at, turn, act, tap }) {
  if (![n, after, at, turn].every(Number.isSafeInteger)) return false;
  return UUID.test(device) && UUID.test(act) && n > 0 && turn > 0 && turn < 100 && typeof tap?.kind === "string";
}

/** Writes rows in letters that are allowed in an address. */
async function write(rows) {
  const text = new TextEncoder().encode(JSON.stringify(pack(rows)));
  const bytes = await pipe(text, new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Reads rows as they were written; none if the text is anything else. Fails with the cause "large" if it is too large.
 */
async function read(text) {
  if (text === null) throw Error("", { cause: "large" });
  try {
    const letters = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const unpacked = await pipe(bytes, new DecompressionStream("deflate-raw"), LARGEST);
    const rows = unpack(JSON.parse(new TextDecoder().decode(unpacked)));
    return rows.length <= MOST_TAPS && rows.every(isRow) ? rows : [];
  } catch (error) {
    if (error.cause) throw error;
    return [];
  }
}

/** Shows rows to another phone: as a picture if it can be read off a screen, and as a file. */
export async function show(panel, rows) {
  const [text, { renderSVG }] = await Promise.all([write(rows), import("../vendor/uqr/uqr.mjs")]);
  const address = `${location.origin}${location.pathname}#taps=${text}`;
  const fits = address.length <= MOST_LETTERS;
  const picture = panel.querySelector("[data-picture]");
  picture.hidden = !fits;
  picture.innerHTML = fits ? renderSVG(address, { ecc: "L", border: 4 }) : "";
  panel.querySelector("[data-too-many]").hidden = fits;
  const link = panel.querySelector("[data-file]");
  URL.revokeObjectURL(link.href);
  link.download = link.dataset.file;
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
}

/** Takes rows over if the reader agrees: anybody can make such an address. */
export async function ask(words, arrived, text, takeOver) {
  let rows = [];
  let told = words.nothing;
  try {
    rows = await read(text);
  } catch {
    told = words.large;
  }
  if (rows.length) told = words.arrived.replace("NUMBER", rows.length);
  const [accept, refuse] = arrived.querySelectorAll("button");
  arrived.querySelector("p").textContent = told;
  accept.hidden = !rows.length;
  accept.onclick = () => {
    takeOver(rows);
    arrived.hidden = true;
  };
  refuse.onclick = () => {
    arrived.hidden = true;
  };
  arrived.hidden = false;
}
