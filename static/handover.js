// Taps from phone to phone, in few letters: as a picture that another phone's camera reads, or as a
// file. Fetched when somebody wants it.

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
// So many letters a camera still reads off a screen, and so many taps somebody may hand over.
const FITS = 2200, MOST = 5000;
// Nobody's taps are longer when they are unpacked, in bytes: 5,000 are a quarter of it.
const LARGEST = 2 ** 22;

// In small pieces, of which each is unpacked as a whole: one of these becomes a megabyte at most.
const PIECE = 1024;
const inPieces = (data) => {
  let at = 0;
  return new ReadableStream({
    pull: (stream) => {
      if (at < data.length) stream.enqueue(data.subarray(at, (at += PIECE)));
      else stream.close();
    },
  });
};
const through = async (data, stream, most = Infinity) => {
  const reader = inPieces(data).pipeThrough(stream).getReader(), parts = [];
  let size = 0;
  for (let next; !(next = await reader.read()).done; ) {
    size += next.value.length;
    if (size > most) {
      reader.cancel();
      throw Error("", { cause: "large" });
    }
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

// Rows of a phone follow each other closely: what is written is what differs from the one before.
const packed = (rows) => {
  const phones = Object.groupBy(rows, ({ device }) => device);
  return Object.entries(phones).map(([device, ours]) => {
    let n = 0, at = 0;
    const list = ours.sort((one, other) => one.n - other.n).map((row) => {
      const start = device.slice(0, 24), act = row.act.startsWith(start) ? row.n - parseInt(row.act.slice(24), 16) : row.act;
      const made = [row.n - n, row.at - at, row.after, row.turn, act, row.tap];
      [n, at] = [row.n, row.at];
      return made;
    });
    return [device, list];
  });
};
const unpacked = (phones) =>
  phones.flatMap(([device, list]) => {
    let n = 0, at = 0;
    return list.map(([more, later, after, turn, act, tap]) => {
      n += more;
      at += later;
      const called = typeof act === "number" ? device.slice(0, 24) + (n - act).toString(16).padStart(12, "0") : act;
      return { device, n, after, at, turn, act: called, tap };
    });
  });

const isRow = ({ device, n, after, at, turn, act, tap }) =>
  UUID.test(device) && UUID.test(act) && [n, after, at, turn].every(Number.isSafeInteger) &&
  n > 0 && turn > 0 && turn < 100 && typeof tap?.kind === "string";

const write = async (rows) => {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(packed(rows))), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
// Rows as they were written; none if it is anything else. Fails with the cause "large" if it is too large.
const read = async (text) => {
  try {
    if (text === null) throw Error("", { cause: "large" });
    const letters = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const told = await through(bytes, new DecompressionStream("deflate-raw"), LARGEST);
    const rows = unpacked(JSON.parse(new TextDecoder().decode(told)));
    return rows.length <= MOST && rows.every(isRow) ? rows : [];
  } catch (error) {
    if (error.cause) throw error;
    return [];
  }
};

const one = (selector, within) => within.querySelector(selector);

// Out: a picture if it can be read off a screen, and a file.
export const show = async (panel, rows) => {
  const [text, { renderSVG }] = await Promise.all([write(rows), import(panel.dataset.qr)]);
  const address = `${location.origin}${location.pathname}#taps=${text}`, fits = address.length <= FITS;
  const picture = one("[data-picture]", panel), link = one("[data-file]", panel);
  picture.hidden = !fits;
  one("[data-too-many]", panel).hidden = fits;
  picture.innerHTML = fits ? renderSVG(address, { ecc: "L", border: 4 }) : "";
  URL.revokeObjectURL(link.href);
  link.download = link.dataset.file;
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
};

// In: asked about first, for anybody can make such an address.
export const ask = async (words, arrived, text, takeOver) => {
  let nothing = words.nothing;
  const rows = await read(text).catch(() => {
    nothing = words.large;
    return [];
  });
  const [accept, refuse] = arrived.querySelectorAll("button");
  one("p", arrived).textContent = rows.length ? words.arrived.replace("NUMBER", rows.length) : nothing;
  accept.hidden = !rows.length;
  accept.onclick = refuse.onclick = ({ target }) => {
    if (target === accept) takeOver(rows);
    arrived.hidden = true;
  };
  arrived.hidden = false;
};
