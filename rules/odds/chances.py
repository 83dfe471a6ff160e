"""The odds of a roll between two figures, the changes that affect them, and weapons compared.

Everything is worked out from a ``Question``; ``rules.engine.odds`` remembers its results.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Literal

from common.wording.texts import in_each
from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll, RollOutcome, Spend, State
from rules.book.schema import Item
from rules.book.vocabulary import Text
from rules.engine.cells import item_names
from rules.engine.compiling import (
    CompiledHand,
    CompiledNest,
    CompiledStep,
    Loops,
    Ready,
    find_bound_names,
    ready,
)
from rules.engine.expressions import BadExpression, Unknown, Value, parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure, find_given, picks
from rules.engine.odds import HOPELESS, Odds, odds
from rules.engine.playing import Path, find_slot
from rules.engine.situations import (
    TABLE_NAMES,
    Side,
    Situation,
    default,
    names_in,
    side_names,
    spell,
)

# The time, in seconds, for everything on a page except the odds themselves. Results are remembered,
# so that the next request gets further.
PATIENCE = 0.05


class Patience:
    """The time that a page has for comparisons; ``late``: whether something was left out.

    The next step is assumed to take as long as the longest step so far: if the odds themselves are
    slow, comparisons with them wait.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.last = time.monotonic()
        self.end = self.last + (PATIENCE if seconds is None else seconds)
        self.longest = 0.0
        self.late = False

    def over(self) -> bool:
        """Whether there is no time for another step; call it after each step."""
        now = time.monotonic()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        self.late = self.late or now + self.longest > self.end
        return self.late


@dataclass(frozen=True)
class WeaponUse:
    """A weapon, and the mode in which it is used."""

    item: Item
    mode: str | None = None

    @property
    def key(self) -> str:
        """Weapon and mode as one word, "axe" or "axe.thrown"."""
        return f"{self.item.key}.{self.mode}" if self.mode else self.item.key

    @property
    def name(self) -> Text:
        """The name of the weapon, with its mode."""
        mode = next((mode for mode in self.item.modes if mode.key == self.mode), None)
        if mode is None:
            return self.item.name
        name = self.item.name
        return in_each(
            [name, mode.name],
            lambda language: f"{name.translated(language)}, {mode.name.translated(language)}",
        )


@dataclass(frozen=True, eq=False)
class Question:
    """A roll of one figure, perhaps at another, under some circumstances.

    ``said``: values of circumstances, counts of the game ("gang.standing"), and states of weapons
    and sides ("item.in_state:jammed").
    """

    rules: Rules
    roll: Roll
    by: Side | None = None
    at: Side | None = None
    said: Mapping[str, Value] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        """The rulebook of the roll."""
        return self.rules.book

    @cached_property
    def ready(self) -> Ready:
        """The roll, compiled under these options."""
        return ready(self.rules, self.roll.key)

    @cached_property
    def names(self) -> dict[str, Value]:
        """The names that the roll may read, with their values."""
        return names_in(self.rules, Situation(self.by, self.at, self.said))

    @property
    def use(self) -> WeaponUse | None:
        """The weapon in use, with its mode; None for none."""
        item = self.book.item.get((self.by and self.by.item) or "")
        return WeaponUse(item, self.by.mode) if item and self.by else None

    @property
    def usable(self) -> bool:
        """Whether the roll is possible for these figures, with that weapon."""
        return self.roll.usable is None or parse(self.roll.usable).holds(self.names)

    @cached_property
    def odds(self) -> Odds:
        """The odds of the roll. Raises one of HOPELESS if they cannot be worked out."""
        return odds(self.ready, self.names)

    @cached_property
    def measure(self) -> Measure:
        """The measure for comparisons: the roll's first with a score above 0."""
        found = measures(self.ready)
        return next((one for one in found if one.score(self.odds)), found[0])

    @property
    def score(self) -> Fraction:
        """The number for comparisons."""
        return self.measure.score(self.odds)

    def side(self, name: str) -> Side | None:
        """Return the figure of a side, "by" or "at"."""
        return self.by if name == "by" else self.at

    def with_side(self, name: str, **changes: Any) -> Question:
        """Return the question with these fields of a side changed."""
        there = self.side(name)
        assert there is not None
        there = replace(there, **changes)
        return replace(self, by=there) if name == "by" else replace(self, at=there)


@dataclass(frozen=True)
class Measure:
    """A measure that compares situations: the chance of some outcomes, or a number's average."""

    kind: Literal["chance", "average"]
    keys: tuple[str, ...]

    def score(self, found: Odds) -> Fraction:
        """Return the score in these odds."""
        if self.kind == "average":
            return found.average(self.keys[0])
        return sum((found.outcomes[key] for key in self.keys), Fraction(0))


def measures(ready: Ready) -> list[Measure]:
    """List the measures of a roll, the most important first.

    They are the chance of grave outcomes (if only some of them affect the target, of those), the
    chance of these and of all that the player who throws hopes for, the chance of all outcomes that
    affect the target, and the average of the first number; if there is none of these, the chance of
    the first outcome.
    """
    outcomes = [outcome.declared for outcome in ready.outcomes]
    grave = [outcome for outcome in outcomes if outcome.grave]
    worse = [outcome for outcome in grave if not _own(outcome)] or grave
    hoped = [outcome for outcome in outcomes if outcome in worse or outcome.hoped]
    theirs = [outcome for outcome in outcomes if outcome in worse or _theirs(outcome)]
    # The outcomes that a player hopes for include the grave ones only where those are the aim.
    aims = hoped if any(outcome.hoped for outcome in worse) else []
    keys = [tuple(outcome.key for outcome in some) for some in (worse, aims, theirs) if worse]
    found = [Measure("chance", some) for some in dict.fromkeys(keys) if some]
    if ready.numbers:
        found.append(Measure("average", ready.numbers[:1]))
    return found or [Measure("chance", tuple(outcome.key for outcome in outcomes[:1]))]


def _theirs(outcome: RollOutcome) -> bool:
    """Whether an outcome affects the target."""
    return any(effect.whom in ("at", "at_side") for effect in outcome.effects)


def _own(outcome: RollOutcome) -> bool:
    """Whether an outcome affects only the figure that throws, or its weapon."""
    return bool(outcome.effects) and not _theirs(outcome)


@dataclass(frozen=True)
class ScoreChange:
    """A change with the ``score`` after it: another ``value`` of a circumstance or count, a state
    that begins (1) or ends (0), or something spent. ``side``: the side of the state; ``path``: the
    round in which it is spent, if there is a choice."""

    kind: Literal["circumstance", "count", "state", "spend"]
    row: Circumstance | State | Spend | str
    value: Value
    score: Fraction
    side: str = ""
    path: Path = ()


def changes(question: Question, patience: Patience) -> Iterator[ScoreChange]:
    """Yield the single changes that would affect the score, until ``patience`` is over."""
    for found in _changes(question, patience):
        if patience.over():
            return
        yield from found


def _changes(question: Question, patience: Patience) -> Iterator[Iterator[ScoreChange]]:
    """Yield the changes that might affect the score, each still to be worked out."""
    usual, measure = question.score, question.measure
    for row, value in other_answers(question):
        facts = {**question.names, row.key: value}
        yield _changed(question, measure, ScoreChange("circumstance", row, value, usual), facts)
    for name in TABLE_NAMES:
        now = question.names[name]
        assert not isinstance(now, str)
        if name in question.ready.reads:
            for count in (now - 1, now + 1):
                if count >= 0:
                    facts = {**question.names, name: count}
                    change = ScoreChange("count", name, count, usual)
                    yield _changed(question, measure, change, facts)
    for side in ("by", "at"):
        for state in states(question, side):
            if not _is_possible(question, state, side):
                continue
            yield _state(question, state, side)
    for spend in spends(question):
        yield with_spend(question, spend, patience)


def with_spend(question: Question, spend: Spend, patience: Patience) -> Iterator[ScoreChange]:
    """Yield the change that a spend on the roll makes to the score, if there is one.

    Inside a loop it counts in one round: yield the change of the round in which it changes the
    score most, or nothing if ``patience`` is over before all rounds are compared.
    """
    found: list[ScoreChange] = []
    paths = possible_paths(question, spend)
    for path in paths:
        if found and patience.over():
            return
        rounds = (tuple(number for _loop, number in path),)
        made = ready(question.rules, question.roll.key, (spend.key,), rounds)
        known = path if len(paths) > 1 else ()
        change = ScoreChange("spend", spend, 1, question.score, path=known)
        found += _changed(question, question.measure, change, question.names, made)
    if found:
        yield max(found, key=lambda one: abs(one.score - question.score))


def possible_paths(question: Question, spend: Spend) -> list[Path]:
    """List the rounds in which a spend may count; () if its step is in no loop."""
    most = question.odds.rounds
    return [
        tuple(zip(loops, numbers, strict=True))
        for loops in loops_of(question, spend)
        for numbers in product(*(range(1, most.get(loop, 0) + 1) for loop in loops))
    ]


def loops_of(question: Question, spend: Spend) -> list[Loops]:
    """List the counted loops around each step that a spend may change. If there is a step in a loop
    and one outside, a spend can only count in a round of the loop."""
    found = dict.fromkeys(find_slot(question.ready, spend.on))
    known = [loops for loops in found if loops is not None]
    return [loops for loops in known if loops] or known


def other_answers(question: Question) -> Iterator[tuple[Circumstance, Value]]:
    """Yield each circumstance of a roll with another answer, or the next numbers."""
    for row in question.ready.asked:
        now = question.names.get(row.key, default(row))
        if row.kind == "choice":
            yield from ((row, one.key) for one in row.choices if one.key != now)
        elif row.kind == "tick":
            yield row, 0 if now else 1
        else:
            assert not isinstance(now, str)
            steps = (now - 1, now + 1)
            yield from ((row, step) for step in steps if row.minimum <= step <= row.maximum)


def _changed(
    question: Question,
    measure: Measure,
    change: ScoreChange,
    facts: Mapping[str, Value],
    made: Ready | None = None,
) -> Iterator[ScoreChange]:
    try:
        score = measure.score(odds(made or question.ready, facts))
    except HOPELESS:
        return
    if score != change.score:
        yield replace(change, score=score)


def _state(question: Question, row: State, side: str) -> Iterator[ScoreChange]:
    now = question.side(side)
    assert now is not None
    ends = row.key in now.states
    states = tuple(key for key in now.states if key != row.key) if ends else (*now.states, row.key)
    other = question.with_side(side, states=states)
    with suppress(*HOPELESS):
        score = question.measure.score(other.odds)
        if other.usable and score != question.score:
            yield ScoreChange("state", row, 0 if ends else 1, score, side)


def states(question: Question, side: str) -> tuple[State, ...]:
    """The states of a figure that matter for one side of a roll: the roll reads them or depends on
    them, or they change a characteristic."""
    if question.side(side) is None:
        return ()
    reads = question.ready.reads
    if question.roll.usable is not None:
        reads |= parse(question.roll.usable).names
    asked = {name.rpartition(":")[2] for name in reads if name.startswith(f"{side}.in_state:")}
    return tuple(
        row
        for row in question.rules.states
        if row.of == "figure" and (row.key in asked or row.effects)
    )


def _is_possible(question: Question, row: State, side: str) -> bool:
    """Whether a figure can be in a state."""
    there = question.side(side)
    if row.usable is None or there is None or row.key in there.states:
        return True
    return parse(row.usable).holds(side_names(question.rules, there, "by"))


def spends(question: Question) -> Iterator[Spend]:
    """Yield the spends that either side can make on a roll: not in a loop without a fixed end,
    whose rounds nobody can choose."""
    for row in question.rules.spends:
        fits = not row.rolls or question.roll.key in row.rolls
        if fits and loops_of(question, row) and _may_hold(question, row):
            name = "by" if row.whose == "own" else "at"
            who = question.side(name)
            if row.track is None or who is None or _has(question, row, who, name):
                yield row


def _may_hold(question: Question, row: Spend) -> bool:
    """Whether the condition of a spend is true, or depends on the dice."""
    given = parse(row.given) if row.given else None
    if given is None or given.names & {*find_bound_names(question.ready.steps)}:
        return True
    with suppress(Unknown, BadExpression):
        return given.holds(question.names)
    return True


def _has(question: Question, row: Spend, who: Side, name: str) -> bool:
    """Whether a figure has something left on the track that a spend uses. Only a table knows it of
    a tracker."""
    tracker = question.book.track.get(row.track or "")
    if tracker is not None:
        return picks(who.own_book or question.book, tracker.whose, who.figure)
    for tick in question.rules.ticks:
        if tick.key == row.track:
            # If the rule has a condition, the boxes may be another figure's, such as the leader's.
            book = who.own_book or question.book
            return row.given is not None or picks(book, tick.of, who.figure)
    return bool(question.names.get(f"{name}.{spell(row.track or '')}", 0))


def carrying(figure: Figure, item: str) -> Figure:
    """Return the figure with an item, its own or an added one."""
    return figure if item in figure.items else replace(figure, items=(*figure.items, item))


def arm(question: Question, use: WeaponUse, side: str = "by") -> Question:
    """Return the question with another weapon of one side."""
    now = question.side(side)
    assert now is not None
    figure = carrying(now.figure, use.item.key)
    return question.with_side(side, figure=figure, item=use.item.key, mode=use.mode)


def ways(book: Book, keys: Iterable[str]) -> Iterator[WeaponUse]:
    """Yield every way to use these items."""
    for key in dict.fromkeys(keys):
        if (item := book.item.get(key)) is not None:
            yield WeaponUse(item)
            yield from (WeaponUse(item, mode.key) for mode in item.modes)


def uses(question: Question, keys: Iterable[str]) -> dict[str, Question]:
    """The question with each of these items, in each mode that the roll allows, by key."""
    found = {use.key: arm(question, use) for use in ways(question.book, keys)}
    return {key: there for key, there in found.items() if there.usable}


def can_use(question: Question, keys: Iterable[str]) -> bool:
    """Whether the roll is possible with one of these items, in one of its modes."""
    return any(arm(question, use).usable for use in ways(question.book, keys))


def serving(book: Book, roll: Roll, keys: Iterable[str]) -> int:
    """Count the ways to use these items that a roll may allow, regardless of the bearer."""
    if not roll.usable:
        return 0
    usable, found = parse(roll.usable), 0
    for use in ways(book, keys):
        mode = next((mode for mode in use.item.modes if mode.key == use.mode), None)
        try:
            found += usable.holds(item_names(book, use.item, mode, {}))
        except Unknown:
            found += 1
    return found


def reads_item(reads: frozenset[str], subject: str) -> bool:
    """Whether anything about the weapon of a side ("item" or "at_item") is read, except its
    states."""
    return any(name.startswith(f"{subject}.") and "in_state" not in name for name in reads)


def target_uses(
    question: Question, keys: Iterable[str], attackers: Iterable[str]
) -> list[WeaponUse]:
    """The ways in which the target can use these items that allow the roll with at least one of
    the ``attackers``' items."""
    at_book = (question.at and question.at.own_book) or question.book
    there = [*ways(at_book, keys)]
    usable = parse(question.roll.usable) if question.roll.usable else None
    if usable is None or not any(name.startswith("at_item.") for name in usable.names):
        return there

    def read(asked: Question, theirs: bool) -> frozenset[tuple[str, Value]]:
        return frozenset(
            (name, asked.names[name])
            for name in usable.names
            if name in asked.names and name.startswith("at_item.") == theirs
        )

    attacks = {read(arm(question, use), False) for use in ways(question.book, attackers)}
    attacks = attacks or {read(question, False)}
    return [
        use
        for use in there
        for theirs in [read(arm(question, use, "at"), True)]
        if any(usable.holds(dict(mine | theirs)) for mine in attacks)
    ]


def find_carried(rules: Rules, figure: Figure) -> tuple[str, ...]:
    """The keys of the items that a figure has, including items that everybody has."""
    innate = (item.key for item in rules.innate)
    return tuple(dict.fromkeys((*figure.items, *innate, *find_given(rules.book, figure))))


def compare_weapons(
    weapons: Iterable[Question], measure: Measure, patience: Patience
) -> list[tuple[Question, Fraction]]:
    """Score the question with several weapons, the best first, until ``patience`` is over."""
    found: list[tuple[Question, Fraction]] = []
    for question in weapons:
        if patience.over():
            break
        with suppress(*HOPELESS):
            found.append((question, measure.score(question.odds)))
    return sorted(found, key=lambda pair: -pair[1])


def hands(steps: Iterable[CompiledStep]) -> Iterator[CompiledHand]:
    """Yield the hands of dice that a roll throws."""
    for step in steps:
        if isinstance(step, CompiledHand):
            yield step
        elif isinstance(step, CompiledNest):
            yield from hands(step.steps)


def against_typical(rules: Rules, figure: Figure, item: str) -> tuple[Question, ...]:
    """An attack of a figure on a typical enemy, in each way to use an item; empty if there is none.

    It is the first roll of a member at a member for which the item can be used.
    """
    rank = typical_rank(rules)
    if rank is None:
        return ()
    at = Side(Figure(rank.key, rank.key))
    for roll in rules.rolls:
        if (roll.by, roll.at, roll.using) != ("member", "member", "item") or roll.usable is None:
            continue
        weapons = uses(Question(rules, roll, Side(figure), at), [item])
        if weapons:
            return tuple(weapons.values())
    return ()


def best_scores(
    attacks: Mapping[str, tuple[Question, ...]], patience: Patience
) -> dict[str, tuple[Question, Measure, Fraction] | None]:
    """Return the best way to use each item, with its measure and score; None if there was no time.

    All use the first measure by which any of them scores above 0.
    """
    worked: dict[str, list[Question]] = {}
    for key, questions in attacks.items():
        worked[key] = []
        for question in () if patience.over() else questions:
            with suppress(*HOPELESS):
                question.odds  # noqa: B018 (it is kept)
                worked[key].append(question)
    known = [question for questions in worked.values() for question in questions]
    steps = range(max((len(measures(question.ready)) for question in known), default=0))

    def score(question: Question, step: int) -> tuple[Question, Measure, Fraction]:
        found = measures(question.ready)
        measure = found[min(step, len(found) - 1)]
        return question, measure, measure.score(question.odds)

    step = next((step for step in steps if any(score(one, step)[2] for one in known)), 0)
    return {
        key: max((score(one, step) for one in questions), key=lambda found: found[2], default=None)
        for key, questions in worked.items()
    }
