// The attempts of a figure without a network, with odds computed in advance.

import { limitLosses } from "./fold.js";
import { game, say } from "./page.js";
import { table } from "./queue.js";

const LINE_PARTS = { b: "percent", span: "words", small: "brings" };

/** A random number from 0 up to 1, as fine as a number can be. */
function randomShare() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** Draws one of the possible ends. */
function draw(ends) {
  let left = randomShare();
  for (const end of ends) {
    left -= end.chance;
    if (left < 0) return end;
  }
  return ends[0];
}

/** Offers names in a list, which is hidden if there is nothing to choose. */
function fill(list, names) {
  list.replaceChildren(...names.map((name, place) => new Option(name, place)));
  list.closest("p").hidden = names.length < 2 && !names[0];
}

/** Opens the dialog for the figure of a link; ``noteTaps`` notes its end. Fails if the phone knows nothing about the figure. */
export async function show(dialog, link, noteTaps) {
  const answer = await fetch(new URL("attempts.json", link.href));
  const { attempts } = await answer.json();
  if (!attempts.length) throw Error("nothing to try");
  const name = link.closest("[data-figure]").querySelector(".table-name").textContent;
  const [rolls, targets] = dialog.querySelectorAll("select");
  const line = dialog.querySelector("template").content.firstElementChild;
  const kinds = Object.values(Object.groupBy(attempts, ({ roll, item }) => `${roll}\n${item}`));

  /** The chosen attempt. */
  function chosen() {
    return kinds[rolls.value][targets.value];
  }

  /** The possible ends of the chosen attempt. */
  function chosenEnds() {
    return chosen().ends;
  }

  /** Notes an end: one that the phone has rolled, or one that the players have seen. */
  function note({ taps, words }, by_phone) {
    const limited = limitLosses(game.fixed, table.shown, taps);
    const noted = limited.map((tap) => (by_phone && tap.kind === "rolled" ? { ...tap, by_phone } : tap));
    noteTaps(noted, words ? say(name, words) : name);
    dialog.close();
  }

  /** Makes the line of an end. */
  function makeLine(end) {
    const item = line.cloneNode(true);
    for (const part in LINE_PARTS) item.querySelector(part).textContent = end[LINE_PARTS[part]];
    item.querySelector("button").addEventListener("click", () => note(end, false));
    return item;
  }

  /** Shows the possible ends, and what speaks against the attempt. */
  function showEnds() {
    const asks = dialog.querySelector("[data-asks]");
    asks.textContent = chosen().asks ?? "";
    asks.hidden = !asks.textContent;
    dialog.querySelector("ul").replaceChildren(...chosenEnds().map(makeLine));
  }

  /** Offers the targets of the chosen roll. */
  function showTargets() {
    fill(targets, kinds[rolls.value].map(({ at }) => at));
    showEnds();
  }

  dialog.querySelector("h2").textContent = name;
  fill(rolls, kinds.map(([{ roll, item }]) => (item ? `${roll} · ${item}` : roll)));
  rolls.onchange = showTargets;
  targets.onchange = showEnds;
  dialog.querySelector("[data-throw]").onclick = () => note(draw(chosenEnds()), true);
  showTargets();
  dialog.showModal();
}
