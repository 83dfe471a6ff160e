"""What a roll comes to for two figures, what would change it, and how weapons compare.

Everything is worked out from a ``Question``; ``rules.engine.odds`` remembers what it found.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance, Roll, RollOutcome, Spend, State
from rules.book.schema import Item
from rules.book.vocabulary import Text
from rules.engine.cells import item_names
from rules.engine.compiling import (
    CompiledAgain,
    CompiledHand,
    CompiledOpposed,
    CompiledStep,
    Ready,
    ready,
)
from rules.engine.expressions import Unknown, Value, parse
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure, picks
from rules.engine.odds import HOPELESS, Odds, odds
from rules.engine.situations import TABLE_NAMES, Side, Situation, default, names_in, spell

# What a page works out may take so long, in seconds, but for the chance itself, which takes what it
# takes. What was worked out is remembered, so that whoever asks again is told more.
PATIENCE = 0.05


class Patience:
    """How long a page may take with all it works out; ``late``: whether something was left out.

    What comes next is taken to last as long as the longest step so far: where the answer itself was
    slow to come, what it is compared with has to wait.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.last = time.monotonic()
        self.end = self.last + (PATIENCE if seconds is None else seconds)
        self.longest = 0.0
        self.late = False

    def over(self) -> bool:
        """Whether there is no more time for another step; one has ended now."""
        now = time.monotonic()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        self.late = self.late or now + self.longest > self.end
        return self.late


@dataclass(frozen=True)
class WeaponUse:
    """A weapon, and the way in which it is used."""

    item: Item
    mode: str | None = None

    @property
    def key(self) -> str:
        """Weapon and way as one word, "axe" or "axe.thrown"."""
        return f"{self.item.key}.{self.mode}" if self.mode else self.item.key

    @property
    def name(self) -> Text:
        """What the weapon is called, used so."""
        mode = next((mode for mode in self.item.modes if mode.key == self.mode), None)
        if mode is None:
            return self.item.name
        name = self.item.name
        return Text(en=f"{name.en}, {mode.name.en}", fr=f"{name.fr}, {mode.name.fr}")


@dataclass(frozen=True, eq=False)
class Question:
    """Who throws which roll at whom, and what was said about it.

    ``said``: circumstances, counts of the evening ("gang.standing"), states of weapons and of sides
    ("item.in_state:jammed"), each with its value.
    """

    rules: Rules
    roll: Roll
    by: Side | None = None
    at: Side | None = None
    said: Mapping[str, Value] = field(default_factory=dict)

    @property
    def book(self) -> Book:
        """The rulebook that is asked."""
        return self.rules.book

    @cached_property
    def ready(self) -> Ready:
        """The roll as it is thrown under these options."""
        return ready(self.rules, self.roll.key)

    @cached_property
    def names(self) -> dict[str, Value]:
        """Everything that the roll may read."""
        return names_in(self.rules, Situation(self.by, self.at, self.said))

    @property
    def use(self) -> WeaponUse | None:
        """The weapon that is thrown with, and how it is used."""
        item = self.book.item.get((self.by and self.by.item) or "")
        return WeaponUse(item, self.by.mode) if item and self.by else None

    @property
    def usable(self) -> bool:
        """Whether they throw it at all, with that weapon."""
        return self.roll.usable is None or parse(self.roll.usable).holds(self.names)

    @cached_property
    def odds(self) -> Odds:
        """How likely everything is. Raises one of HOPELESS where it cannot be worked out."""
        return odds(self.ready, self.names)

    @cached_property
    def measure(self) -> Measure:
        """By what it is compared: the first measure of the roll that is more than nothing."""
        found = measures(self.ready)
        return next((one for one in found if one.score(self.odds)), found[0])

    @property
    def score(self) -> Fraction:
        """The one number that it is compared by."""
        return self.measure.score(self.odds)


@dataclass(frozen=True)
class Measure:
    """By what one situation is called better than another: the chance of some outcomes, or a number
    on average."""

    kind: Literal["chance", "average"]
    keys: tuple[str, ...]

    def score(self, found: Odds) -> Fraction:
        """How much it is."""
        if self.kind == "average":
            return found.average(self.keys[0])
        return sum((found.outcomes[key] for key in self.keys), Fraction(0))


def measures(ready: Ready) -> list[Measure]:
    """By what a roll may be measured: the chance of the grave outcomes (those that befall the
    target, where some befall only whoever throws), then of all that befalls the target, then the
    average of the first number, or else the chance of the first outcome."""
    outcomes = [outcome.declared for outcome in ready.outcomes]
    grave = [outcome for outcome in outcomes if outcome.grave]
    worse = [outcome for outcome in grave if not _own(outcome)] or grave
    theirs = [outcome for outcome in outcomes if outcome in worse or _theirs(outcome)]
    found = [
        Measure("chance", tuple(outcome.key for outcome in some))
        for some in (worse, theirs if worse else [])
        if some
    ]
    if ready.numbers:
        found.append(Measure("average", ready.numbers[:1]))
    return found or [Measure("chance", tuple(outcome.key for outcome in outcomes[:1]))]


def _theirs(outcome: RollOutcome) -> bool:
    """Whether an outcome brings the target something."""
    return any(effect.whom in ("at", "at_side") for effect in outcome.effects)


def _own(outcome: RollOutcome) -> bool:
    """Whether what an outcome brings befalls only whoever throws, or what they throw with."""
    return bool(outcome.effects) and not _theirs(outcome)


@dataclass(frozen=True)
class ScoreChange:
    """Something that would change the score: a circumstance or count with another value, a state
    that begins or ends (``value``: 1 or 0), or something spent on the roll; ``side``: whose state
    it is, "by" or "at"."""

    kind: Literal["circumstance", "count", "state", "spend"]
    row: Circumstance | State | Spend | str
    value: Value
    score: Fraction
    side: str = ""


def changes(question: Question, patience: Patience) -> Iterator[ScoreChange]:
    """What would change the score, each by itself; nothing that makes no difference, and nothing
    more once ``patience`` is over."""
    for found in _changes(question):
        if patience.over():
            return
        yield from found


def _changes(question: Question) -> Iterator[Iterator[ScoreChange]]:
    """What might change the score, each ready to be worked out."""
    usual, measure = question.score, question.measure
    for row, value in _circumstances(question):
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
            yield _state(question, state, side)
    for spend in spends(question):
        yield with_spend(question, spend)


def with_spend(question: Question, spend: Spend) -> Iterator[ScoreChange]:
    """The score with something spent on the roll, if that makes a difference."""
    made = ready(question.rules, question.roll.key, (spend.key,))
    change = ScoreChange("spend", spend, 1, question.score)
    return _changed(question, question.measure, change, question.names, made)


def _circumstances(question: Question) -> Iterator[tuple[Circumstance, Value]]:
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
    now = question.by if side == "by" else question.at
    assert now is not None
    ends = row.key in now.states
    states = tuple(key for key in now.states if key != row.key) if ends else (*now.states, row.key)
    there = replace(now, states=states)
    other = replace(question, by=there) if side == "by" else replace(question, at=there)
    try:
        score = question.measure.score(other.odds)
        if other.usable and score != question.score:
            yield ScoreChange("state", row, 0 if ends else 1, score, side)
    except HOPELESS:
        return


def states(question: Question, side: str) -> tuple[State, ...]:
    """The states of a figure that matter for one side of a roll: it asks for them, or they change
    one of its characteristics."""
    if (question.by if side == "by" else question.at) is None:
        return ()
    reads = question.ready.reads
    asked = {name.rpartition(":")[2] for name in reads if name.startswith(f"{side}.in_state:")}
    return tuple(
        row
        for row in question.rules.states
        if row.of == "figure" and (row.key in asked or row.effects)
    )


def spends(question: Question) -> Iterator[Spend]:
    """What those who throw, or those thrown at, can spend on a roll: theirs, and not used up."""
    for row in question.rules.spends:
        who = question.by if row.whose == "own" else question.at
        if row.rolls and question.roll.key not in row.rolls:
            continue
        if row.track is None or who is None or _has(question, row, who):
            yield row


def _has(question: Question, row: Spend, who: Side) -> bool:
    """Whether a figure has something left on the track that is spent from."""
    for tick in question.rules.ticks:
        if tick.key == row.track:
            # Where the rule says whose it is, they may be somebody else's boxes: a leader's, say.
            return row.given is not None or picks(
                who.own_book or question.book, tick.of, who.figure
            )
    subject = "by" if row.whose == "own" else "at"
    return bool(question.names.get(f"{subject}.{spell(row.track or '')}", 0))


def carrying(figure: Figure, item: str) -> Figure:
    """The figure with an item in hand, its own or one that it takes up."""
    return figure if item in figure.items else replace(figure, items=(*figure.items, item))


def arm(question: Question, use: WeaponUse, side: str = "by") -> Question:
    """The same question with another weapon of one side."""
    now = question.by if side == "by" else question.at
    assert now is not None
    figure = carrying(now.figure, use.item.key)
    there = replace(now, figure=figure, item=use.item.key, mode=use.mode)
    return replace(question, by=there) if side == "by" else replace(question, at=there)


def ways(book: Book, keys: Iterable[str]) -> Iterator[WeaponUse]:
    """Every way to use these items."""
    for key in dict.fromkeys(keys):
        if (item := book.item.get(key)) is not None:
            yield WeaponUse(item)
            yield from (WeaponUse(item, mode.key) for mode in item.modes)


def uses(question: Question, keys: Iterable[str]) -> dict[str, Question]:
    """The ways in which the attacker can use these items that are any good for the roll, by their
    keys: the question as it is with each."""
    found = {use.key: arm(question, use) for use in ways(question.book, keys)}
    return {key: there for key, there in found.items() if there.usable}


def serving(book: Book, roll: Roll, keys: Iterable[str]) -> int:
    """In how many ways these items can be used that a roll may be for, whoever uses them."""
    usable = parse(roll.usable) if roll.usable else None
    found = 0
    for use in ways(book, keys) if usable else ():
        mode = next((mode for mode in use.item.modes if mode.key == use.mode), None)
        try:
            found += bool(usable and usable.holds(item_names(book, use.item, mode, {})))
        except Unknown:
            found += 1
    return found


def target_uses(
    question: Question, keys: Iterable[str], attackers: Iterable[str]
) -> list[WeaponUse]:
    """The ways in which the target can use these items, so that the roll can be thrown at all with
    one of the ``attackers``' items."""
    at_book = (question.at and question.at.own_book) or question.book
    there = [*ways(at_book, keys)]
    usable = parse(question.roll.usable) if question.roll.usable else None
    if usable is None or not any(name.startswith("at_item.") for name in usable.names):
        return there

    def told(asked: Question, theirs: bool) -> frozenset[tuple[str, Value]]:
        return frozenset(
            (name, asked.names[name])
            for name in usable.names
            if name in asked.names and name.startswith("at_item.") == theirs
        )

    attacks = {told(arm(question, use), False) for use in ways(question.book, attackers)}
    attacks = attacks or {told(question, False)}
    return [
        use
        for use in there
        for theirs in [told(arm(question, use, "at"), True)]
        if any(usable.holds(dict(mine | theirs)) for mine in attacks)
    ]


def find_carried(rules: Rules, figure: Figure) -> tuple[str, ...]:
    """The keys of everything that somebody has, what is everybody's included."""
    return tuple(dict.fromkeys((*figure.items, *(item.key for item in rules.innate))))


def compare_weapons(
    weapons: Iterable[Question], measure: Measure, patience: Patience
) -> list[tuple[Question, Fraction]]:
    """The same question with several weapons and their scores, the best first: those that could be
    worked out before ``patience`` was over."""
    found: list[tuple[Question, Fraction]] = []
    for question in weapons:
        if patience.over():
            break
        with suppress(*HOPELESS):
            found.append((question, measure.score(question.odds)))
    return sorted(found, key=lambda pair: -pair[1])


def hands(steps: Iterable[CompiledStep]) -> Iterator[CompiledHand]:
    """The hands of dice that a roll throws."""
    for step in steps:
        if isinstance(step, CompiledHand):
            yield step
        elif isinstance(step, CompiledOpposed | CompiledAgain):
            yield from hands(step.steps)


def against_typical(rules: Rules, figure: Figure, item: str) -> tuple[Question, ...]:
    """One attack of a figure on a typical enemy, in each way to use an item; none if it is nothing
    to attack with.

    Of the rolls that members throw at members with items the first counts that the item is usable
    for.
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
    """Of each item the best way to use it, all by the first measure that any of them is more than
    nothing by; None for what there was no time for."""
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
