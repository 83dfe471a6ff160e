"""Outcomes that a player enters have the effects of the same outcomes when they are thrown."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django import forms
from django.http import QueryDict

from campaigns.table.attempts import entering
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_dice, bring_outcome
from campaigns.table.attempts.entering import names_of_ends, say_outcome
from campaigns.table.attempts.forms import OutcomeForm
from campaigns.table.attempts.roll import throw
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import AnyTap, Counted, Rolled
from rules.book.model import Book
from rules.bounds.work import TooMuch
from rules.engine.expressions import Value, parse
from rules.engine.odds import HOPELESS, endings
from rules.odds.chances import Question
from tests.rules.small import row, text
from tests.world.attempts import Bout, figure, table
from tests.world.every_roll import make_start, situations
from tests.world.gangs import SLUGS, shipped
from tests.world.tables import game, start

THROWS = 3


def enter(
    start: Start, now: TableNow, made: Attempt, key: str, values: dict[str, Value] | None = None
) -> list[AnyTap]:
    """Return the taps of an outcome, except the roll itself, as its form has it when it opens; or
    with these ``values`` of the dice."""
    asked = made.question(start, now)
    data = QueryDict(mutable=True)
    data.update({"outcome": key, "said": "*"})
    # Outcomes that cannot happen are not listed, unless a player has chosen them.
    way = next(one for one in OutcomeForm(asked, data).ways if one.key == key)
    for name, field in way.more.fields.items():
        value = field.initial
        if values is not None:
            value = (
                values[name] if name in way.unsaid.numbers else _happens(asked, key, name, values)
            )
        if value or not isinstance(field, forms.BooleanField):
            data[f"n-{key}-{name}"] = str(int(value or 0))
    form = OutcomeForm(asked, data)
    assert form.complete
    taps = say_outcome(start, now, made, form.outcome, form.numbers, form.happened)
    return [tap for tap in taps if not isinstance(tap, Rolled)]


def _happens(asked: Question, key: str, name: str, values: dict[str, Value]) -> bool:
    row = next(row for row in asked.roll.outcomes if row.key == key)
    given = asked.roll.effects_of(row)[int(name.removeprefix("effect-"))].given
    return parse(given or "True").holds({**asked.names, **values})


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_entered_outcomes_bring_what_thrown_ones_bring(slug: str) -> None:
    """Each outcome of each roll: with the values of the dice the very same, and as its form opens
    what some dice would bring."""
    start, dice = make_start(shipped(slug)), Random(slug)
    for roll in start.rules.rolls:
        for now, made in situations(start, roll):
            asked = made.question(start, now)
            rows = {row.key: row.declared for row in asked.ready.outcomes if not row.declared.free}
            names = names_of_ends(roll, asked.names)
            try:
                played = [
                    throw(asked, lambda sides: dice.randint(1, sides)) for _throw in range(THROWS)
                ]
                ways = endings(asked.ready, asked.names, names).ways
            except HOPELESS:
                continue
            for one in {one.outcome: one for one in played if one.outcome in rows}.values():
                thrown = bring_dice(start, now, made, one)
                assert enter(start, now, made, one.outcome, dict(one.names)) == thrown
            for key in rows.keys() & {key for key, _values in ways}:
                possible = [
                    bring_outcome(start, now, made, rows[key], dict(zip(names, end, strict=True)))
                    for outcome, end in ways
                    if outcome == key
                ]
                assert enter(start, now, made, key) in possible


def test_yes_or_no_is_a_tick_that_is_off(cran: Book) -> None:
    bout = Bout(table(cran, [figure("veteran", "revolver")], [figure("novice", "carbine")]))
    shot = bout.attempt("shot", "1.1", "2.1", "revolver", distance=6)
    ways = OutcomeForm(shot.question(bout.start, bout.now), None).ways
    jams = [way.more.fields["jammed"] for way in ways if way.key in ("casualty", "shaken")]
    assert len(jams) == 2 and all(isinstance(one, forms.BooleanField) for one in jams)
    assert [tap.kind for tap in enter(bout.start, bout.now, shot, "shaken")] == ["began"]


def test_figure_that_is_out_has_nothing_left(zombstone: Book) -> None:
    bout = Bout(table(zombstone, [figure("vedette", "winchester")], [figure("vedette", "poing")]))
    shot = bout.attempt("shot", "1.1", "2.1", "winchester", at_item="poing")
    [out] = [
        way
        for way in OutcomeForm(shot.question(bout.start, bout.now), None).ways
        if way.key == "out"
    ]
    life = bout.now.figures["2.1"].tracks["barrel"]
    assert "lost" not in out.more.fields and life > 1
    lost = [tap for tap in enter(bout.start, bout.now, shot, "out") if tap.kind == "counted"]
    assert [(tap.figure, tap.by) for tap in lost if isinstance(tap, Counted)] == [("2.1", -life)]


def test_figure_that_is_out_has_nothing_left_when_its_odds_are_unknown(
    zombstone: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise TooMuch("too many dice")

    monkeypatch.setattr(entering, "endings", refuse)
    test_figure_that_is_out_has_nothing_left(zombstone)


def coin_table(**more: Any) -> Bout:
    """Return a table of two sides in a small game with rolls of coins."""
    return Bout(start(game(**more)))


def listed(bout: Bout, roll: str, chosen: str = "", **said: Any) -> list[str]:
    """Return the outcomes that the form of an attempt lists."""
    data = QueryDict(mutable=True)
    data.update({"outcome": chosen})
    asked = bout.attempt(roll, "1.1", "2.1", **said).question(bout.start, bout.now)
    return [way.key for way in OutcomeForm(asked, data).ways]


def coins(**outcomes: str) -> dict[str, Any]:
    """Return a roll of one die with these outcomes, each with its condition, and any other."""
    rows = [{"key": key, "name": text(key), "given": given} for key, given in outcomes.items()]
    rows.append({"key": "other", "name": text("Other")})
    step = {"count": "hits", "dice": 1, "target": 4}
    return row("coins", at="member", steps=[step], outcomes=rows)


def test_outcomes_that_cannot_happen_here_are_not_listed() -> None:
    bout = coin_table(
        rolls=[coins(thrown="hits and at.in_state('down')", between="table.sides > 2", hit="hits")]
    )
    assert listed(bout, "coins") == ["hit", "other"]
    bout.tap("began", figure="2.1", state="down")
    assert listed(bout, "coins") == ["thrown", "other"]
    assert listed(Bout(start(bout.start.book, 1, 1, 1)), "coins") == ["between"]


def test_outcome_that_a_player_has_chosen_stays_listed() -> None:
    bout = coin_table(rolls=[coins(thrown="hits and at.in_state('down')", hit="hits")])
    assert listed(bout, "coins", "thrown") == ["thrown", "hit", "other"]
    assert listed(bout, "coins", "unknown") == ["hit", "other"]
    assert bout.said(bout.attempt("coins", "1.1", "2.1"), "thrown") == []


def test_outcomes_that_another_answer_or_something_spent_allows_are_listed() -> None:
    bout = coin_table(
        rolls=[coins(far="fog and hits", twice="hits == 2", four="hits == 5", hit="hits")],
        circumstances=[row("fog")],
        spends=[row("nerve", rolls=["coins"], on="hits.dice")],
    )
    assert listed(bout, "coins") == ["far", "twice", "hit", "other"]


def test_all_outcomes_are_listed_if_they_cannot_be_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: object) -> None:
        raise TooMuch("")

    monkeypatch.setattr(entering, "endings", fail)
    bout = coin_table(rolls=[coins(between="table.sides > 2", hit="hits")])
    assert listed(bout, "coins") == ["between", "hit", "other"]
