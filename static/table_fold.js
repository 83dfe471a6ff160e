// What this phone's own taps set, put on the last state that the server told. The whole of it, with
// what falls due, is folded by campaigns/table/fold.py.

const keyOf = (device, n) => `${device} ${n}`;
const earlier = (one, other) =>
  one.turn - other.turn || one.after - other.after || one.at - other.at ||
  one.device.localeCompare(other.device) || one.n - other.n;

// A strike that is struck itself takes nothing away.
const counting = (rows) => {
  const strikes = Object.groupBy(
    rows.filter(({ tap }) => tap.kind === "struck"),
    ({ tap }) => keyOf(tap.device, tap.device_seq),
  );
  const counts = ({ device, n }) => !strikes[keyOf(device, n)]?.some(counts);
  return counts;
};

const over = (states, lasting) => {
  for (const key in states) if (lasting.includes(states[key])) delete states[key];
};

const upkeep = ([, ends]) => ends;

// fixed, base: as table_page.py gives them; rows: taps as they are sent.
const fold = (fixed, base, rows) => {
  const now = structuredClone(base);
  const { figures, sides } = now;
  const everybody = [...Object.values(figures), ...Object.values(sides)];
  let acts = {};

  const ended = (...lasting) => {
    for (const { states, items } of everybody) {
      over(states, lasting);
      for (const item in items) over(items[item], lasting);
    }
  };
  const reach = (turn) => {
    while (now.turn < turn) {
      ended("turn", "activation");
      for (const key in figures) figures[key].acted = 0;
      acts = {};
      now.turn += 1;
      now.phase = null;
      for (const { tracks } of everybody) {
        for (const key in tracks) {
          const track = tracks[key], anew = track[3];
          if (anew !== null) track[0] = fixed.filled.includes(key) ? Math.max(anew, track[0]) : anew;
        }
      }
      if (!fixed.phases.some(upkeep)) ended("next_upkeep");
    }
  };
  const whose = ({ figure, side }) => (figure ? figures[figure] : sides[side]);
  const change = (tap, key, by) => {
    const track = whose(tap)?.tracks[key];
    if (!track) return;
    const [number, least, most] = track;
    track[0] = Math.max(least, Math.min(most, by(number)));
  };
  const statesOf = (tap) => {
    const who = whose(tap);
    return who && tap.item && who.items ? (who.items[tap.item] ??= {}) : who?.states;
  };

  const kinds = {
    counted: (tap) => change(tap, tap.item ? `${tap.track}:${tap.item}` : tap.track, (n) => n + tap.by),
    set: (tap) => change(tap, tap.track, () => tap.to),
    began: (tap) => {
      const row = fixed.states[tap.state], states = statesOf(tap);
      if (row && states) states[tap.state] = tap.until ?? row[0];
    },
    ended: (tap) => delete statesOf(tap)?.[tap.state],
    out: (tap) => {
      const figure = figures[tap.figure];
      if (!figure) return;
      const [turn, by, mark] = figure.out ?? [now.turn];
      figure.out = [turn, by ?? (tap.by in figures ? tap.by : null), tap.mark ?? mark ?? null];
    },
    back: (tap) => {
      if (whose(tap)) whose(tap).out = null;
    },
    acted: (tap, { act }) => {
      const [side, , squad] = fixed.figures[tap.figure] ?? [];
      for (const key in figures) {
        const figure = figures[key], [its, times, group] = fixed.figures[key];
        const along = squad && its === side && group === squad && !figure.out;
        if (key !== tap.figure && !along) continue;
        const known = (acts[key] ??= new Set());
        if (figure.acted < times && !known.has(act)) {
          known.add(act);
          figure.acted += 1;
        }
        over(figure.states, ["activation"]);
      }
    },
    rested: ({ figure }) => (figures[figure].acted = Math.max(0, figures[figure].acted - 1)),
    phase: (tap) => {
      const places = fixed.phases.map(([key]) => key);
      const before = places.indexOf(now.phase), next = places.indexOf(tap.phase);
      if (next <= before) return;
      now.phase = tap.phase;
      if (fixed.phases.slice(Math.max(before, 0), next).some(upkeep)) ended("next_upkeep");
    },
    turn: (tap, { turn }) => turn < 99 && reach(turn + 1),
    tallied: (tap) => {
      if (!whose(tap)) return;
      const counted = (now.tallies[tap.tally] ??= {}), who = tap.figure ?? tap.side;
      counted[who] = Math.max(0, (counted[who] ?? 0) + tap.by);
    },
  };
  for (const row of rows.filter(counting(rows)).sort(earlier)) {
    reach(row.turn);
    kinds[row.tap.kind]?.(row.tap, row);
  }
  return now;
};

// Stands for the strike of a tap that the server has counted, until it has counted that, too.
const OPPOSITE = { began: "ended", ended: "began", out: "back", acted: "rested" };
const opposite = (tap) =>
  ["counted", "tallied"].includes(tap.kind) ? { ...tap, by: -tap.by } : { ...tap, kind: OPPOSITE[tap.kind] };

globalThis.tableFold = { fold, keyOf, opposite };
