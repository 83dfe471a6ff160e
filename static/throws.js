// The throws of a table or a game, worked out again from the seeds that are shown now.

import { readFingerprints } from "./fingerprints.js";

const NUMBERS = 2 ** 32;
const HMAC = { name: "HMAC", hash: "SHA-256" };
const { subtle } = globalThis.crypto ?? {};

/** The bytes of a text. */
function encode(text) {
  return new TextEncoder().encode(text);
}

/** Bytes in hexadecimal digits. */
function toHex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The fingerprint of a text. */
async function fingerprint(text) {
  return toHex(await subtle.digest("SHA-256", encode(text)));
}

/** The faces that the dice of a throw must show: see `campaigns/engine/seeds.py`. */
async function drawFaces(seed, place, { number, words, dice }) {
  const key = await subtle.importKey("raw", encode(seed), HMAC, false, ["sign"]);
  let block = 0;
  let numbers = [];
  /** The next number of the row that the seed, the place and the words give. */
  async function nextNumber() {
    if (!numbers.length) {
      block += 1;
      const text = [`${place} ${number} ${block}`, ...words].join("\n");
      const digits = toHex(await subtle.sign("HMAC", key, encode(text))).match(/.{8}/g);
      numbers = digits.map((eight) => parseInt(eight, 16));
    }
    return numbers.shift();
  }
  const faces = [];
  for (const [sides] of dice) {
    // A number that would favour low faces is skipped.
    const limit = NUMBERS - (NUMBERS % sides);
    let value = await nextNumber();
    while (value >= limit) value = await nextNumber();
    faces.push((value % sides) + 1);
  }
  return faces;
}

/** Whether all drawn faces are among the recorded ones. Dice that were kept were not drawn again. */
function areTold(faces, told) {
  const left = [...told];
  for (const face of faces) {
    if (!left.includes(face)) return false;
    left.splice(left.indexOf(face), 1);
  }
  return true;
}

/** The numbers of the throws that show faces other than those from their seed. */
async function findWrong({ seed, place, throws }) {
  const wrong = [];
  for (const one of throws) {
    const faces = await drawFaces(seed, place, one);
    const shown = one.dice.map(([, face]) => face);
    if (faces.join() !== shown.join() || !areTold(faces, one.told)) wrong.push(one.number);
  }
  return wrong;
}

/** Shows the result of a check. */
function say(line, kind, icon, sentences) {
  line.className = `finding finding-${kind}`;
  const use = line.querySelector("use");
  use?.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${icon}`));
  line.querySelector("span").textContent = sentences.join(" ");
}

/** The sentences about a seed whose throws are all in order. */
function praise(words, { throws }, before) {
  const sentences = [words.fine];
  // No seed shows that a roll was taken back: the log does.
  const undone = throws.filter(({ taken_back }) => taken_back).map(({ number }) => number);
  if (undone.length) sentences.push(`${words.taken} ${undone.join(", ")}.`);
  else if (throws.length) sentences.push(words.none);
  if (before) sentences.push(words.same);
  return sentences;
}

/** Checks the throws of a seed, and that its fingerprint is the one that was seen before. */
async function check(block, found, before) {
  const line = block.querySelector("[data-check]");
  const words = line.dataset;
  if (!subtle) {
    say(line, "warning", "exclamation-triangle", [words.unable]);
    return;
  }
  const wrong = [];
  if (before && before !== found.fingerprint) wrong.push(words.other);
  if ((await fingerprint(found.seed)) !== found.fingerprint) wrong.push(words.seed);
  if (found.throws.some(({ number }, place) => number !== place + 1)) wrong.push(words.gap);
  const numbers = await findWrong(found);
  if (numbers.length) wrong.push(`${words.wrong} ${numbers.join(", ")}.`);
  for (const number of numbers) block.querySelector(`[data-throw="${number}"]`).classList.add("is-wrong");
  if (wrong.length) say(line, "error", "x-circle", wrong);
  else say(line, "good", "check", praise(words, found, before));
}

/** Checks all seeds that the page shows. */
async function checkAll() {
  const known = readFingerprints();
  const blocks = [...document.querySelectorAll("[data-fingerprint]")];
  const shown = JSON.parse(document.getElementById("throws")?.textContent ?? "[]");
  for (const found of shown) {
    const block = blocks.find(({ dataset }) => dataset.key === found.key);
    if (block) await check(block, found, known[found.key]);
  }
}

checkAll();
