"""Movements that rules order are taps, in words that every reader understands."""

from __future__ import annotations

import pytest
from django import forms
from django.utils import translation

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_outcome
from campaigns.table.attempts.forms import OutcomeForm
from campaigns.table.attempts.text import is_news
from campaigns.table.people import Names
from campaigns.table.taps import TAPS, Ordered
from campaigns.table.text import describe, describe_about
from rules.book.model import Book
from tests.world.attempts import Bout, figure, table
from tests.world.every_roll import make_start, situations
from tests.world.gangs import SLUGS, shipped


@pytest.mark.parametrize("slug", SLUGS)
def test_every_order_of_a_roll_is_a_tap_with_its_words(slug: str) -> None:
    book = shipped(slug)
    start = make_start(book)
    met = 0
    names = Names(book, {}, {one.key: f"Figure {one.key}" for one in start.figures}, {})
    for roll in start.rules.rolls:
        now, made = next(situations(start, roll), (None, None))
        for row in roll.outcomes if now is not None and made is not None else ():
            for place, effect in enumerate(roll.effects_of(row)):
                if effect.kind != "moves":
                    continue
                met += 1
                holds = {one: one == place for one in range(99)}
                values = dict.fromkeys(("paces", "back", "inches"), 3)
                [tap] = bring_outcome(start, now, made, row, values, holds)
                assert isinstance(tap, Ordered) and tap.figure in (made.by, made.at)
                assert is_news(tap, now) and TAPS.validate_json(tap.model_dump_json()) == tap
                for language in ("en", "fr"):
                    with translation.override(language):
                        told = describe(tap, names)
                        about = describe_about(tap, names, tap.figure)
                    assert f"{tap.figure}" in told and told.endswith(about)
                    unit, text = getattr(effect, "unit", None), getattr(effect, "text", None)
                    assert (tap.distance is None) == (effect.distance is None)
                    assert tap.distance is None or f"{tap.distance}" in about
                    for words in (unit, text):
                        assert words is None or words.translated(language) in about
    ordered = any(
        effect.kind == "moves"
        for roll in start.rules.rolls
        for row in roll.outcomes
        for effect in roll.effects_of(row)
    )
    assert bool(met) == ordered


@pytest.fixture
def cast(zombstone: Book) -> Bout:
    return Bout(table(zombstone, [figure("vedette", "winchester")], [figure("vedette", "poing")]))


def test_entered_outcome_orders_its_movement_without_a_tick(cast: Bout) -> None:
    shot = cast.attempt("shot", "1.1", "2.1", "winchester", at_item="poing")
    ways = OutcomeForm(shot.question(cast.start, cast.now), None).ways
    ticks = [
        field
        for way in ways
        for field in way.more.fields.values()
        if isinstance(field, forms.BooleanField)
    ]
    assert ways and ticks == []
    cast.said(shot, "unharmed")
    [found] = [one.tap for one in cast.log if isinstance(one.tap, Ordered)]
    assert (found.figure, found.distance, found.outcome) == ("2.1", 2, "unharmed")


def test_runner_is_ordered_away(cast: Bout) -> None:
    cast.said(Attempt("2.1", "guts"), "runs")
    [found] = [one.tap for one in cast.log if isinstance(one.tap, Ordered)]
    assert (found.figure, found.distance) == ("2.1", 6)
