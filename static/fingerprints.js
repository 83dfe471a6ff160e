// The fingerprints of seeds that dice are drawn from. The first that was seen counts, so that nobody can show another one
// afterwards unnoticed (throws.js).

const PLACE = "fingerprints";
const MOST = 200;

/** The fingerprints that this browser has seen, by their keys. */
export function readFingerprints() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

/** Remembers the fingerprints of these elements. If there is no room, the throws can be checked all the same. */
export function rememberFingerprints(elements) {
  if (!elements.length) return;
  const known = readFingerprints();
  for (const { dataset } of elements) known[dataset.key] ??= dataset.fingerprint;
  const newest = Object.entries(known).slice(-MOST);
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // The browser keeps nothing.
  }
}
