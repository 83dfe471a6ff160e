"""Outcomes that a player enters without dice: what they must add, and the taps.

Every way in which the dice may fall shows what an outcome leaves open: a player adds only that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_outcome
from campaigns.table.attempts.roll import settle_roll
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import AnyTap
from rules.book.roll_effects import RollEffect
from rules.book.rolls import Let, Roll, RollOutcome
from rules.engine.compiling import CompiledLet, Ready, ready
from rules.engine.expressions import Value, is_condition, parse
from rules.engine.odds import HOPELESS, endings
from rules.engine.playing import find_steps
from rules.odds.chances import Patience, Question, other_answers, possible_paths, spends


@dataclass(frozen=True)
class Unsaid:
    """The parts of an outcome that are open. ``numbers``: the names of the values that a player
    adds, each with its least possible value; ``ticks``: those of them that are yes or no;
    ``effects``: the places of the effects that happen or not, as the dice fell.

    ``known``: the values that the outcome always has; ``settled``: the places of the effects whose
    condition it always meets, or never.
    """

    numbers: Mapping[str, int] = field(default_factory=dict)
    ticks: frozenset[str] = frozenset()
    effects: tuple[int, ...] = ()
    known: Mapping[str, int] = field(default_factory=dict)
    settled: Mapping[int, bool] = field(default_factory=dict)


# The time limit in seconds for the outcomes that are possible.
LONGEST = 0.5
# The times that something is spent on a roll to find what it makes possible.
MOST_SPENT = 3
# The fields of effects that contain a number.
AMOUNTS = ("amount", "to", "distance")


def names_of_ends(roll: Roll, known: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the names that distinguish the results of a roll: its numbers, and the values that its
    effects read from the dice."""
    found = dict.fromkeys(row.of for row in roll.numbers)
    for effect in (one for outcome in roll.outcomes for one in roll.effects_of(outcome)):
        formulas = (getattr(effect, name, None) for name in (*AMOUNTS, "given"))
        read_names = (name for one in formulas if one for name in sorted(parse(one).names))
        found |= dict.fromkeys(name for name in read_names if name not in known)
    return tuple(found)


def find_unsaid(asked: Question, outcome: RollOutcome | None) -> Unsaid:
    """Return what a player must add to an outcome; None for a roll that has only numbers."""
    every = _find_ends(asked)
    # An outcome that these figures cannot have shares what all others have.
    key = outcome.key if outcome else ""
    ends = every.get(key, [])
    likely = ends or [end for some in every.values() for end in some]
    effects = asked.roll.effects_of(outcome) if outcome else ()
    numbers = {row.of for row in asked.roll.numbers}
    wanted = dict.fromkeys([] if outcome else [row.of for row in asked.roll.numbers])
    unsure, settled = [], {}
    for place, effect in enumerate(effects):
        given = parse(effect.given) if effect.given else None
        asks = {name for name in given.names if name not in asked.names} if given else set()
        asks = {name for name in asks if ":" not in name}
        if given is not None and asks - numbers:
            holds = {given.holds({**asked.names, **end}) for end in likely}
            if len(holds) == 1:
                settled[place] = holds.pop()
            elif effect.kind == "moves":
                # Players read the order, and see whether it applies.
                settled[place] = True
            else:
                unsure.append(place)
        if settled.get(place, True):
            open_names = {name for name in _read(effect) if name not in asked.names}
            wanted |= dict.fromkeys(sorted(open_names | asks & numbers))
    known = {name: values.pop() for name, values in _values(likely) if len(values) == 1}
    if not ends:
        known = {name: value for name, value in known.items() if name not in numbers}
        known |= _left_with(asked, outcome)
    open_numbers = [name for name in wanted if name not in known]
    least = min((tuple(end[name] for name in open_numbers) for end in ends), key=_size, default=())
    if not ends:
        # Its own effects name what happened, at least once.
        own = {name for effect in outcome.effects for name in _read(effect)} if outcome else set()
        least = tuple(int(name in own) for name in open_numbers)
    return Unsaid(
        numbers=dict(zip(open_numbers, least, strict=True)),
        ticks=frozenset(name for name in open_numbers if _is_yes_or_no(asked, name)),
        effects=tuple(unsure),
        known=known,
        settled=settled,
    )


def find_possible(asked: Question) -> frozenset[str]:
    """Return the keys of the outcomes that a roll can have in this situation, however the dice may
    fall.

    Players may have spent something on the dice, and may not have answered a question of the form:
    outcomes that need one such change are possible. All are if they cannot be worked out in time.
    """
    every = frozenset(outcome.key for outcome in asked.ready.outcomes)
    found: set[str] = set()
    patience = Patience(LONGEST)
    try:
        for made, facts in _near(asked):
            found |= {key for key, _values in endings(made, facts, ()).ways}
            if every <= found or patience.over():
                return every
    except HOPELESS:
        return every
    return every & found


def _near(asked: Question) -> Iterator[tuple[Ready, Mapping[str, Value]]]:
    """Yield the situation, then each that differs from it by something spent, as often as matters,
    or by another answer."""
    yield asked.ready, asked.names
    for row in spends(asked):
        for path in possible_paths(asked, row):
            rounds = tuple(number for _loop, number in path)
            keys = (row.key,) * MOST_SPENT
            yield ready(asked.rules, asked.roll.key, keys, (rounds,) * MOST_SPENT), asked.names
    asks = (found for found in other_answers(asked) if found[0].tapped is None)
    for circumstance, value in asks:
        yield asked.ready, {**asked.names, circumstance.key: value}


def _read(effect: RollEffect) -> set[str]:
    """Return the names that the numbers of an effect read."""
    formulas = [getattr(effect, name, None) for name in AMOUNTS]
    return {name for one in formulas if one is not None for name in parse(one).names}


def _size(values: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return sum(map(abs, values)), values


def _find_ends(asked: Question) -> dict[str, list[dict[str, int]]]:
    """Return the values with which a roll may end, by outcome; empty if they cannot be worked
    out."""
    names, limit = names_of_ends(asked.roll, asked.names), asked.ready.limit_loss
    found: dict[str, list[dict[str, int]]] = {}
    try:
        ways = endings(asked.ready, asked.names, names).ways
    except HOPELESS:
        return {}
    for key, values in ways:
        pairs = zip(names, map(int, values), strict=True)
        end = {name: limit(key, name, value, asked.names) for name, value in pairs}
        found.setdefault(key, []).append(end)
    return found


def _values(ends: Iterable[Mapping[str, int]]) -> Iterable[tuple[str, set[int]]]:
    found: dict[str, set[int]] = {}
    for end in ends:
        for name, value in end.items():
            found.setdefault(name, set()).add(value)
    return found.items()


def _left_with(asked: Question, outcome: RollOutcome | None) -> dict[str, int]:
    """Return the losses of figures that an outcome puts out of action: all that they had."""
    out = {effect.whom for effect in outcome.effects if effect.kind == "out"} if outcome else set()
    lost = asked.ready.losses.get(outcome.key, {}) if outcome else {}
    lives = {number: asked.names.get(life) for number, life in lost.items()}
    return {
        number: max(0, life)
        for number, life in lives.items()
        if isinstance(life, int) and lost[number].removesuffix(".life") in out
    }


def _is_yes_or_no(asked: Question, name: str) -> bool:
    """Whether steps only bind conditions to a name."""
    steps = [step for step, _loops in find_steps(asked.ready.steps) if name in step.binds]
    lets = [step.declared for step in steps if isinstance(step, CompiledLet)]
    formulas = [row.be for row in lets if isinstance(row, Let)]
    return bool(formulas) and len(formulas) == len(steps) and all(map(is_condition, formulas))


def say_outcome(
    start: Start,
    now: TableNow,
    attempt: Attempt,
    outcome: str | None,
    numbers: Mapping[str, int],
    happened: Iterable[int] = (),
) -> list[AnyTap]:
    """Return the taps of an outcome without dice. ``happened``: the places of the effects that
    depend on the dice and happened. Raises KeyError for no outcome of the roll."""
    asked = attempt.question(start, now)
    row = next((one for one in asked.roll.outcomes if one.key == outcome), None)
    if row is None and outcome is not None:
        raise KeyError(outcome)
    unsaid = find_unsaid(asked, row)
    values = {**unsaid.known, **numbers}
    declared, limit = {number.of for number in asked.roll.numbers}, asked.ready.limit_loss
    told = {
        name: limit(outcome or "", name, value, asked.names)
        for name, value in values.items()
        if name in declared
    }
    settled = settle_roll(attempt, outcome, told)
    holds = {place: place in set(happened) for place in unsaid.effects} | {**unsaid.settled}
    return [settled, *bring_outcome(start, now, attempt, row, values, holds)]
