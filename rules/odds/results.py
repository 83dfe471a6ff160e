"""The odds of a roll in words, in the reader's language: the grave outcome first, then the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from accounts.language import rules_language
from rules.book.rolls import Again, Circumstance, RollNumber, Spend, ThrowHand
from rules.book.vocabulary import Text
from rules.engine.cells import unreadable
from rules.engine.expressions import parse
from rules.engine.playing import Path, find_steps
from rules.odds.chances import (
    Measure,
    Patience,
    Question,
    ScoreChange,
    changes,
    compare_weapons,
    hands,
    measures,
    with_spend,
)
from rules.odds.forms import COUNTS
from rules.percent import percent, round_share

MOST_LISTED = 12
MOST_ROWS = 12
# A fraction with a larger denominator means nothing to readers.
MOST_READABLE = 1000


@dataclass(frozen=True)
class Bar:
    """A line with its chance; ``share``: the length of its bar, of 100; ``marked``: highlighted."""

    name: str
    value: str
    share: int
    marked: bool = False


@dataclass(frozen=True)
class Numbers:
    """The chances that a number reaches each value, and its average."""

    name: str
    rows: tuple[Bar, ...]
    average: str


@dataclass(frozen=True)
class ScoreDifference:
    """A change that would affect the score: by how much, and the new score."""

    name: str
    change: str
    value: str
    better: bool


@dataclass(frozen=True)
class Result:
    """Everything that the page says about a roll.

    ``bars``: the outcomes that are possible or grave; ``numbers``: those that can be more than 0,
    or all of a roll without outcomes; ``unread``: the cells of weapons that are ignored;
    ``partial``: there was no time for everything, and the next request returns more.
    """

    leads: tuple[tuple[str, str], ...]
    bars: tuple[Bar, ...]
    numbers: tuple[Numbers, ...]
    measure: str
    differences: tuple[ScoreDifference, ...]
    weapons: tuple[Bar, ...]
    policies: tuple[str, ...]
    unread: tuple[str, ...] = ()
    partial: bool = False


def result(question: Question, weapons: Iterable[Question], patience: Patience) -> Result:
    """Describe the odds of a roll. ``weapons``: the same question with each weapon to compare;
    ``patience``: the time for comparisons.

    Raises one of HOPELESS if the roll itself cannot be worked out.
    """
    found, ready = question.odds, question.ready
    measure = question.measure
    # The largest changes first.
    found_changes = sorted(
        changes(question, patience), key=lambda change: -abs(change.score - question.score)
    )
    return Result(
        leads=list_leads(question),
        bars=list_bars(question),
        numbers=tuple(
            _numbers(question, row)
            for row in question.roll.numbers
            # Beside outcomes, a number that is 0 for sure says nothing: nobody is hit.
            if not ready.outcomes or any(found.numbers[row.of])
        ),
        measure=_measured(question, measure),
        differences=tuple(_difference(question, measure, change) for change in found_changes),
        weapons=_weapons(question, measure, weapons, patience),
        policies=tuple(dict.fromkeys(_policy(step.declared) for step in hands(ready.steps))),
        unread=tuple(_unread(question)),
        partial=patience.late,
    )


def list_bars(question: Question, *, only_possible: bool = False) -> tuple[Bar, ...]:
    """The outcomes that are possible or grave, each with its chance; ``only_possible``: without the
    grave ones that cannot happen. Raises one of HOPELESS."""
    found = question.odds.outcomes
    return tuple(
        _bar(outcome.declared.name, found[outcome.key], outcome.declared.grave)
        for outcome in question.ready.outcomes
        if found[outcome.key] or (outcome.declared.grave and not only_possible)
    )


def list_leads(question: Question) -> tuple[tuple[str, str], ...]:
    """The main results, each with its chance or average. Raises one of HOPELESS."""
    return tuple(_leads(question, question.measure))


def _unread(question: Question) -> Iterator[str]:
    """Yield a sentence for each cell of the weapons in use that cannot be parsed."""
    sentence = _("%(item)s: “%(written)s” (%(column)s) cannot be read and is ignored.")
    for side in filter(None, (question.by, question.at)):
        book = side.own_book or question.book
        item = book.item.get(side.item or "")
        if item is not None:
            mode = next((mode for mode in item.modes if mode.key == side.mode), None)
            for column, written in unreadable(book, item, mode):
                names = {"item": _translated(item.name), "column": _translated(column.name)}
                yield sentence % {**names, "written": written}


def with_spends(question: Question, some: Iterable[Spend]) -> Iterator[ScoreDifference]:
    """Yield the differences that spends on the roll make to the score, while there is time."""
    patience = Patience()
    for spend in some:
        if patience.over():
            return
        for change in with_spend(question, spend, patience):
            yield _difference(question, question.measure, change)


def name_round(question: Question, path: Path) -> str:
    """Name a round of a roll's loops, such as "Shot 2"; "" for no round."""
    steps = (step.declared for step, _loops in find_steps(question.ready.steps)) if path else ()
    named = {step.again: step.name for step in steps if isinstance(step, Again)}
    names = []
    for loop, number in path:
        row = named.get(loop)
        name = _translated(row) if row else _("Round")
        names.append(_("%(name)s %(number)s") % {"name": name, "number": number})
    return ", ".join(names)


def in_short(question: Question, measure: Measure, score: Fraction) -> tuple[str, str]:
    """Return the name of a score, and the score."""
    return _measured(question, measure), _score(score, measure)


def _leads(question: Question, measure: Measure) -> Iterator[tuple[str, str]]:
    # The gravest first, unless it is impossible or certain: that says nothing about the dice.
    chances = [one for one in measures(question.ready) if one.kind == "chance"]
    lead = next((one for one in chances if 0 < one.score(question.odds) < 1), measure)
    score = lead.score(question.odds)
    words = format_chance(score) if lead.kind == "chance" else format_average(score)
    yield _measured(question, lead), words
    counted = {row for row in _wounds(question) if lead != Measure("average", (row.of,))}
    for row in question.roll.numbers:
        if row not in counted:
            continue
        average = question.odds.average(row.of)
        yield _("%(number)s on average") % {"number": _number_name(row)}, format_average(average)
    # The other grave outcomes are the attacker's own risk.
    aims = {key for one in chances for key in one.keys}
    for outcome in question.ready.outcomes:
        chance = question.odds.outcomes[outcome.key]
        if outcome.declared.grave and outcome.key not in aims and chance:
            yield _translated(outcome.declared.name), format_chance(chance)


def _wounds(question: Question) -> Iterator[RollNumber]:
    """Yield the numbers by which the target's life changes, where it has several points."""
    life, roll = question.book.life, question.roll
    if life is None or question.at is None or question.names.get("at.life", 0) in (0, 1):
        return
    read = {
        name
        for outcome in question.ready.outcomes
        for effect in roll.effects_of(outcome.declared)
        if effect.kind == "changes" and (effect.whom, effect.track) == ("at", life)
        for name in parse(effect.amount).names
    }
    yield from (row for row in roll.numbers if row.of in read)


def _measured(question: Question, measure: Measure) -> str:
    """Name a score: the names of its outcomes, or its number with "on average"."""
    if measure.kind == "average":
        row = next(row for row in question.roll.numbers if row.of == measure.keys[0])
        return _("%(number)s on average") % {"number": _number_name(row)}
    named = [one for one in question.ready.outcomes if one.key in measure.keys]
    possible = [one for one in named if question.odds.outcomes[one.key]] or named
    return _(" or ").join(_translated(one.declared.name) for one in possible)


def _score(score: Fraction, measure: Measure) -> str:
    return percent(score) if measure.kind == "chance" else format_average(score)


def _bar(name: Text | str, chance: Fraction, marked: bool = False) -> Bar:
    return Bar(_translated(name), percent(chance), _share(chance), marked)


def _share(chance: Fraction) -> int:
    """The length of a bar; at least 1 for any chance."""
    return max(1, round_share(chance)) if chance > 0 else 0


def _numbers(question: Question, row: RollNumber) -> Numbers:
    found = question.odds
    # The least value is certain to be reached.
    values = [value for value in found.numbers[row.of] if value > min(found.numbers[row.of])]
    rows = [
        _bar(_("at least %(number)s") % {"number": value}, found.at_least(row.of, value))
        for value in values[:MOST_ROWS]
    ]
    return Numbers(_number_name(row), tuple(rows), format_average(found.average(row.of)))


def _number_name(row: RollNumber) -> str:
    unit = f" ({_translated(row.unit)})" if row.unit else ""
    return f"{_translated(row.name)}{unit}"


def _difference(question: Question, measure: Measure, change: ScoreChange) -> ScoreDifference:
    chance = measure.kind == "chance"
    name = _change_name(change)
    if change.path:
        values = {"name": name, "round": name_round(question, change.path)}
        name = _("%(name)s, in its best round (%(round)s)") % values
    return ScoreDifference(
        name,
        format_difference(question.score, change.score, chance=chance),
        _score(change.score, measure),
        change.score > question.score,
    )


def _change_name(change: ScoreChange) -> str:
    row, value = change.row, change.value
    if isinstance(row, str):
        return _("%(name)s: %(value)s") % {"name": COUNTS[row], "value": value}
    name = _translated(row.name)
    if isinstance(row, Circumstance) and row.kind != "tick":
        names = {one.key: _translated(one.name) for one in row.choices}
        return _("%(name)s: %(value)s") % {"name": name, "value": names.get(str(value), value)}
    if change.kind == "state":
        whose = _("target") if change.side == "at" else _("attacker")
        name = f"{name} ({whose})"
    # The value of a spend is 1.
    return name if value else _("Not: %(name)s") % {"name": name}


def _weapons(
    question: Question, measure: Measure, weapons: Iterable[Question], patience: Patience
) -> tuple[Bar, ...]:
    """Rank the weapons by their score on this target; empty if there are fewer than two."""
    if question.by is None or question.roll.using != "item":
        return ()
    found = compare_weapons(weapons, measure, patience)
    most = max((score for _one, score in found), default=Fraction(0))
    scale = 1 if measure.kind == "chance" else most or 1
    bars = [
        Bar(
            _translated(one.use.name if one.use else ""),
            _score(score, measure),
            _share(score / scale),
            one.use == question.use,
        )
        for one, score in found
    ]
    shown = bars[:MOST_LISTED]
    shown += [bar for bar in bars[MOST_LISTED:] if bar.marked]
    return tuple(shown) if len(found) > 1 else ()


def _policy(step: object) -> str:
    """Describe how the dice of a hand to throw again are chosen."""
    assert isinstance(step, ThrowHand)
    if step.beats or step.reaches:
        return _("Re-rolls are chosen for the best chance of success.")
    return _("Re-rolls keep the best combination.")


def _translated(name: Text | str) -> str:
    return name.translated(rules_language()) if isinstance(name, Text) else name


def format_exact(chance: Fraction) -> str:
    """Format a chance as a fraction, "3 in 16"; "" if that is unreadable, or 0 or 1."""
    if chance in (0, 1) or chance.denominator > MOST_READABLE:
        return ""
    values = {"good": chance.numerator, "all": chance.denominator}
    return _("%(good)s in %(all)s") % values


def format_chance(chance: Fraction) -> str:
    """Format a chance as a fraction and in per cent, "3 in 16 (19%)"."""
    fraction = format_exact(chance)
    return f"{fraction} ({percent(chance)})" if fraction else percent(chance)


def format_average(number: Fraction) -> str:
    """Format an average, to two places."""
    return number_format(round(float(number), 2), decimal_pos=2)


def format_difference(before: Fraction, after: Fraction, *, chance: bool) -> str:
    """Format the difference of two scores, with its sign."""
    sign, size = "+" if after > before else "−", abs(after - before)
    return f"{sign}{percent(size) if chance else format_average(size)}"
