// What a figure may try without a network, by the odds that were worked out beforehand.

const uniform = () => {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};
const thrown = (ends) => {
  let left = uniform();
  return ends.find(({ chance }) => (left -= chance) < 0) ?? ends[0];
};
const fill = (list, names) => {
  list.replaceChildren(...names.map((name, place) => new Option(name, place)));
  list.closest("p").hidden = names.length < 2 && !names[0];
};

// ``link`` is a figure's; ``tell`` gets the taps of what came of it, and that in words. Fails for a
// figure of whom the phone knows nothing.
export const show = async (dialog, link, tell) => {
  const { attempts } = await (await fetch(new URL("attempts.json", link.href))).json();
  if (!attempts.length) throw Error("nothing to try");
  const name = link.closest("[data-figure]").querySelector(".table-name").textContent;
  const [rolls, targets] = dialog.querySelectorAll("select"), list = dialog.querySelector("ul");
  const line = dialog.querySelector("template").content.firstElementChild;
  const kinds = Object.values(Object.groupBy(attempts, ({ roll, item }) => `${roll}\n${item}`));
  const chosen = () => kinds[rolls.value][targets.value];
  const end = ({ taps, words }, by_phone) => {
    const told = taps.map((tap) => (by_phone && tap.kind === "rolled" ? { ...tap, by_phone } : tap));
    tell(told, words ? `${name}: ${words}` : name);
    dialog.close();
  };
  const draw = () =>
    list.replaceChildren(
      ...chosen().ends.map((one) => {
        const item = line.cloneNode(true);
        item.querySelector("b").textContent = one.percent;
        item.querySelector("span").textContent = one.words;
        item.querySelector("small").textContent = one.brings;
        item.querySelector("button").addEventListener("click", () => end(one, false));
        return item;
      }),
    );
  const aim = () => {
    fill(targets, kinds[rolls.value].map(({ at }) => at));
    draw();
  };
  dialog.querySelector("h2").textContent = name;
  fill(rolls, kinds.map(([{ roll, item }]) => (item ? `${roll} · ${item}` : roll)));
  rolls.onchange = aim;
  targets.onchange = draw;
  dialog.querySelector("[data-throw]").onclick = () => end(thrown(chosen().ends), true);
  aim();
  dialog.showModal();
};
