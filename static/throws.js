// The throws of a table or a game are worked out again from the seeds that are shown now.

const NUMBERS = 2 ** 32;

const utf8 = (text) => new TextEncoder().encode(text);
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (text) => hex(await crypto.subtle.digest("SHA-256", utf8(text)));

// What each die of a throw shows: see `campaigns/engine/seeds.py`.
const drawn = async (seed, place, { number, words, dice }) => {
  const key = await crypto.subtle.importKey("raw", utf8(seed), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  let block = 0, row = [];
  const next = async () => {
    if (!row.length) {
      block += 1;
      const text = [`${place} ${number} ${block}`, ...words].join("\n");
      row = hex(await crypto.subtle.sign("HMAC", key, utf8(text))).match(/.{8}/g).map((digits) => parseInt(digits, 16));
    }
    return row.shift();
  };
  const faces = [];
  for (const [sides] of dice) {
    let value;
    do value = await next(); while (value >= NUMBERS - (NUMBERS % sides));
    faces.push((value % sides) + 1);
  }
  return faces;
};

// Whether everything that was drawn is among what was told of it: dice that lay already were not drawn again.
const isTold = (faces, told) => {
  const left = [...told];
  return faces.every((face) => left.includes(face) && left.splice(left.indexOf(face), 1));
};

const mistakes = async ({ seed, place, throws }) => {
  const wrong = [];
  for (const thrown of throws) {
    const faces = await drawn(seed, place, thrown);
    const shown = thrown.dice.map(([, face]) => face);
    if (faces.join() !== shown.join() || !isTold(faces, thrown.told)) wrong.push(thrown.number);
  }
  return wrong;
};

// The fingerprints that were shown before: see `skirmish.js`.
const remembered = () => {
  try {
    return JSON.parse(localStorage.getItem("fingerprints")) ?? {};
  } catch {
    return {};
  }
};

const say = (line, kind, icon, sentences) => {
  line.className = `finding finding-${kind}`;
  const use = line.querySelector("use");
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${icon}`));
  line.querySelector("span").textContent = sentences.join(" ");
};

const check = async (block, found, before) => {
  const line = block.querySelector("[data-check]"), words = line.dataset;
  if (!globalThis.crypto?.subtle) return say(line, "warning", "exclamation-triangle", [words.unable]);
  const wrong = [];
  if (before && before !== found.fingerprint) wrong.push(words.other);
  if ((await sha256(found.seed)) !== found.fingerprint) wrong.push(words.seed);
  if (found.throws.some(({ number }, place) => number !== place + 1)) wrong.push(words.gap);
  const numbers = await mistakes(found);
  if (numbers.length) wrong.push(`${words.wrong} ${numbers.join(", ")}.`);
  for (const number of numbers) block.querySelector(`[data-throw="${number}"]`).classList.add("is-wrong");
  if (wrong.length) return say(line, "error", "x-circle", wrong);
  // That somebody took a roll back shows in no seed: it comes from the log.
  const undone = found.throws.filter(({ taken_back }) => taken_back).map(({ number }) => number);
  const stands = undone.length ? `${words.taken} ${undone.join(", ")}.` : words.none;
  say(line, "good", "check", [words.fine, ...(found.throws.length ? [stands] : []), ...(before ? [words.same] : [])]);
};

const blocks = [...document.querySelectorAll("[data-fingerprint]")];
const known = remembered();
const shown = JSON.parse(document.getElementById("throws")?.textContent ?? "[]");
for (const found of shown) {
  const block = blocks.find(({ dataset }) => dataset.key === found.key);
  if (block) await check(block, found, known[found.key]);
}
