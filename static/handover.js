// Taps from phone to phone, in few letters: as a picture that another phone's camera reads, or as a
// file. Fetched when somebody wants it.

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
// So many letters a camera still reads off a screen, and so many taps somebody may hand over.
const FITS = 2200, MOST = 5000;

const through = async (data, stream) => {
  const reader = new Blob([data]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let next; !(next = await reader.read()).done; ) parts.push(next.value);
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
  const bytes = await through(JSON.stringify(packed(rows)), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
// What was written; nothing if it is anything else.
const read = async (text) => {
  try {
    const letters = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const told = await through(bytes, new DecompressionStream("deflate-raw"));
    const rows = unpacked(JSON.parse(new TextDecoder().decode(told)));
    return rows.length <= MOST && rows.every(isRow) ? rows : [];
  } catch {
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
  const rows = await read(text), [accept, refuse] = arrived.querySelectorAll("button");
  one("p", arrived).textContent = rows.length ? words.arrived.replace("NUMBER", rows.length) : words.nothing;
  accept.hidden = !rows.length;
  accept.onclick = refuse.onclick = ({ target }) => {
    if (target === accept) takeOver(rows);
    arrived.hidden = true;
  };
  arrived.hidden = false;
};
