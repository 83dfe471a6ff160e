// This phone's own taps on top of the server's last state. campaigns/table/fold.py folds all, with reminders.

const LAST_TURN = 99;

/** The name of a tap: its phone and the phone's number for it. */
export function keyOf(device, n) {
  return `${device} ${n}`;
}

/** The number after which a row counts: the end of a turn comes after all other rows of the turn. */
function placeOf({ tap, after }) {
  return tap.kind === "turn" && tap.last ? Infinity : after;
}

/** Puts taps into the order in which they count. */
function compare(one, other) {
  return (
    one.turn - other.turn ||
    // NaN between two ends.
    placeOf(one) - placeOf(other) ||
    one.at - other.at ||
    one.device.localeCompare(other.device) ||
    one.n - other.n
  );
}

/** The rows that nothing strikes or undoes. A strike that is struck itself removes nothing. */
function findCounting(rows) {
  const strikes = Object.groupBy(
    rows.filter(({ tap }) => /struck|undone/.test(tap.kind)),
    ({ tap }) => tap.act ?? keyOf(tap.device, tap.device_seq),
  );
  /** Whether a row counts. */
  function counts({ device, n, act }) {
    return !strikes[keyOf(device, n)]?.some(counts) && !strikes[act]?.some(counts);
  }
  return rows.filter(counts);
}

/** Ends the states that last until one of these moments. */
function endStates(states, lasting) {
  for (const key in states) {
    if (lasting.includes(states[key])) delete states[key];
  }
}

/** Whether a phase ends what lasts until the next upkeep. */
function isUpkeep([, ends]) {
  return ends;
}

/** The table after these rows. ``fixed`` and ``base`` are as table_page.py gives them, rows as they are sent. */
export function fold(fixed, base, rows) {
  const now = structuredClone(base);
  const { figures, sides } = now;
  const everybody = [...Object.values(figures), ...Object.values(sides)];
  let acts = {};

  /** Ends everybody's states that last until one of these moments. */
  function endEverywhere(...lasting) {
    for (const { states, items } of everybody) {
      endStates(states, lasting);
      for (const item in items) endStates(items[item], lasting);
    }
  }

  /** Refills the counters that every turn refills. */
  function refill({ tracks }) {
    for (const key in tracks) {
      const track = tracks[key];
      const start = track[3];
      if (start === null) continue;
      track[0] = fixed.filled.includes(key) ? Math.max(start, track[0]) : start;
    }
  }

  /** Plays on until this turn. */
  function reach(turn) {
    while (now.turn < turn) {
      endEverywhere("turn", "activation");
      for (const key in figures) figures[key].acted = 0;
      acts = {};
      now.turn += 1;
      now.phase = null;
      now.declined = [];
      everybody.forEach(refill);
      if (!fixed.phases.some(isUpkeep)) endEverywhere("next_upkeep");
    }
  }

  /** The figure or the side that a tap is about. */
  function subjectOf({ figure, side }) {
    return figure ? figures[figure] : sides[side];
  }

  /** Changes a counter, within its bounds. */
  function change(tap, key, by) {
    const track = subjectOf(tap)?.tracks[key];
    if (!track) return;
    const [number, least, most] = track;
    track[0] = Math.max(least, Math.min(most, by(number)));
  }

  /** Takes the counters from a figure that it loses when it goes out. */
  function drop({ tracks }) {
    // A page from before does not say which.
    for (const key of fixed.lost ?? []) {
      if (tracks[key]) tracks[key][0] = Math.min(tracks[key][0], tracks[key][1]);
    }
  }

  /** The states that a tap is about: of an item, if it names one that is there. */
  function statesOf(tap) {
    const subject = subjectOf(tap);
    if (subject?.items && tap.item) return (subject.items[tap.item] ??= {});
    return subject?.states;
  }

  // A function for each kind of tap.
  const kinds = {
    counted(tap) {
      change(tap, tap.item ? `${tap.track}:${tap.item}` : tap.track, (number) => number + tap.by);
    },
    set(tap) {
      change(tap, tap.track, () => tap.to);
    },
    began(tap) {
      const row = fixed.states[tap.state];
      const states = statesOf(tap);
      if (row && states) states[tap.state] = tap.until ?? row[0];
    },
    ended(tap) {
      delete statesOf(tap)?.[tap.state];
    },
    out(tap) {
      const figure = figures[tap.figure];
      if (!figure) return;
      const unhurt = Boolean(tap.unhurt);
      if (!unhurt) drop(figure);
      // A figure that has not arrived yet is "out" in no turn.
      const last = figure.out?.[0] === 0 && figure.out[3] ? null : figure.out;
      const [turn, by, before, wasUnhurt = false] = last ?? [now.turn, null, null, unhurt];
      // Harm outweighs a departure without harm, and its mark counts.
      let mark = tap.mark ?? before;
      if (unhurt !== wasUnhurt) mark = unhurt ? before : tap.mark;
      const hand = by ?? (tap.by in figures ? tap.by : null);
      figure.out = [turn, hand, mark ?? null, wasUnhurt && unhurt];
    },
    back(tap) {
      const subject = subjectOf(tap);
      if (subject) subject.out = null;
    },
    acted(tap, { act }) {
      const [side, , squad] = fixed.figures[tap.figure] ?? [];
      for (const key in figures) {
        const figure = figures[key];
        const [itsSide, times, itsSquad] = fixed.figures[key];
        const actsAlong = squad && itsSide === side && itsSquad === squad && !figure.out;
        if (key !== tap.figure && !actsAlong) continue;
        const counted = (acts[key] ??= new Set());
        if (figure.acted < times && !counted.has(act)) {
          counted.add(act);
          figure.acted += 1;
        }
        endStates(figure.states, ["activation"]);
      }
    },
    phase(tap) {
      const places = fixed.phases.map(([key]) => key);
      const before = places.indexOf(now.phase);
      const next = places.indexOf(tap.phase);
      if (next <= before) return;
      now.phase = tap.phase;
      if (fixed.phases.slice(Math.max(before, 0), next).some(isUpkeep)) endEverywhere("next_upkeep");
    },
    turn(tap, { turn }) {
      if (turn < LAST_TURN) reach(turn + 1);
    },
    declined({ side, holds }, { turn }) {
      // It is about its own turn, which another phone may have ended without knowing of it.
      if (!(side in sides) || turn !== now.turn) return;
      const others = now.declined.filter((number) => number !== side);
      now.declined = holds === false ? others : [...others, side].sort((one, other) => one - other);
    },
    tallied(tap) {
      if (!subjectOf(tap)) return;
      const counted = (now.tallies[tap.tally] ??= {});
      const whose = tap.figure ?? tap.side;
      counted[whose] = Math.max(0, (counted[whose] ?? 0) + tap.by);
    },
  };
  for (const row of findCounting(rows).sort(compare)) {
    // The end of the turn before may be undone.
    if (!/struck|undo|settled/.test(row.tap.kind)) reach(row.turn);
    kinds[row.tap.kind]?.(row.tap, row);
  }
  return now;
}

/** These taps without losses of more life than a figure has left: they were computed for an earlier table. */
export function limitLosses({ life }, { figures }, taps) {
  return taps.flatMap((tap) => {
    if (tap.kind !== "counted" || tap.by > 0 || tap.track !== life) return [tap];
    const left = figures[tap.figure]?.tracks[life]?.[0] ?? 0;
    return left > 0 ? [{ ...tap, by: Math.max(tap.by, -left) }] : [];
  });
}
