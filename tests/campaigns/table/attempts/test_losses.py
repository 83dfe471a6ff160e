"""Nobody loses more life than they have: in results, averages, taps, and without a network."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_dice
from campaigns.table.attempts.entering import find_unsaid, say_outcome
from campaigns.table.attempts.roll import keep_dice, throw
from campaigns.table.state import Start, TableNow
from campaigns.table.taps import AnyTap, Counted, Rolled
from rules.book.model import Book
from rules.engine.odds import HOPELESS
from tests.random_cases import one_soon
from tests.world.attempts import Bout, figure, table
from tests.world.every_roll import make_start, situations
from tests.world.gangs import GOLD, SLUGS, shipped

# More than any figure's life.
MANY = 50


def check_losses(start: Start, now: TableNow, made: Attempt, taps: list[AnyTap]) -> bool:
    """Assert that these taps leave everybody a life of at least 0, and that the numbers of the roll
    say the same. Returns whether somebody lost life."""
    lost: Counter[str] = Counter()
    for tap in taps:
        if isinstance(tap, Counted) and tap.figure and tap.track == start.book.life:
            lost[tap.figure] -= tap.by
    for key, number in lost.items():
        assert number <= now.figures[key].tracks[str(start.book.life)]
    for tap in taps:
        if isinstance(tap, Rolled) and tap.outcome:
            for number, life in made.question(start, now).ready.losses[tap.outcome].items():
                who = made.by if life == "by.life" else made.at
                assert isinstance(who, str) and tap.numbers[number] == lost[who]
    return any(lost.values())


@pytest.mark.parametrize("slug", one_soon(sorted(SLUGS, key=GOLD.__ne__)))
def test_no_roll_takes_more_life_than_there_is(slug: str) -> None:
    start, dice = make_start(shipped(slug)), Random(slug)
    hurt = 0
    for roll in start.rules.rolls:
        for now, made in situations(start, roll):
            asked = made.question(start, now)
            for row in asked.ready.outcomes:
                numbers = dict.fromkeys(find_unsaid(asked, row.declared).numbers, MANY)
                entered = say_outcome(start, now, made, row.key, numbers)
                hurt += check_losses(start, now, made, entered)
            try:
                found, played = asked.odds, throw(asked, lambda sides: dice.randint(1, sides))
            except HOPELESS:
                continue
            losses = asked.ready.losses.values()
            for number, life in {pair for one in losses for pair in one.items()}:
                known = asked.names[life]
                assert isinstance(known, int) and max(found.numbers[number]) <= known
            rolled = keep_dice(made, played, thrown=True, is_open=False)
            check_losses(start, now, made, [rolled, *bring_dice(start, now, made, played)])
    assert hurt or start.book.life is None


@pytest.fixture
def western(blackwater: Book) -> Bout:
    """A rider, and a target with a single point left."""
    rider = figure("leader", "mule")
    bout = Bout(table(blackwater, [rider], [figure("leader", "knife")]))
    life = bout.now.figures["2.1"].tracks["hp"]
    bout.tap("counted", figure="2.1", track="hp", by=1 - life)
    return bout


def test_second_hit_on_the_last_point_counts_nowhere(western: Bout) -> None:
    ride = western.attempt("trample", "1.1", "2.1", "mule")
    asked = ride.question(western.start, western.now)
    assert asked.odds.outcomes["out"] == asked.odds.average("lost") > 0
    dice = Random(1)
    fatal = next(
        played
        for played in iter(lambda: throw(asked, lambda sides: dice.randint(1, sides)), None)
        if played.outcome == "out" and played.names["lost"] > 1
    )
    assert fatal.numbers["lost"] == 1
    assert [tap["by"] for tap in western.came(ride, fatal) if tap["kind"] == "counted"] == [-1]
