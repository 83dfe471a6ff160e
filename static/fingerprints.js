// The fingerprints of the seeds that dice are drawn from. The first one seen counts, so that nobody can later show a
// different one unnoticed (throws.js).

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

/** Remembers the fingerprints of these elements. If there is no room, the throws can still be checked. */
export function rememberFingerprints(elements) {
  if (!elements.length) return;
  const known = readFingerprints();
  for (const { dataset } of elements) known[dataset.key] ??= dataset.fingerprint;
  const newest = Object.entries(known).slice(-MOST);
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(newest)));
  } catch {
    // The browser stores nothing.
  }
}
