"""Simulated fights: their claims, the limits of these, and the same fights each time."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

import pytest

from rules.book.limits import CountLimit, ItemsLimit, Limit
from rules.book.model import Book
from rules.book.rolls import Count
from rules.book.vocabulary import Selector, Text
from rules.engine.compiling import ready
from rules.engine.duels import Arena, Share, TooLong
from rules.engine.fairness import (
    Fair,
    arena_of,
    describe,
    equal_sums,
    fairness,
    fight_more,
    spread_points,
    trials,
    typical_rank,
)
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.playing import play
from tests.rules.small import row, small
from tests.world.gangs import SLUGS, shipped


@pytest.fixture(scope="module")
def cran() -> Book:
    return shipped("cran")


def figure(rank: str, *items: str) -> Figure:
    return Figure(rank, rank, items=items)


def test_a_share_claims_nothing_when_fights_are_few_or_even() -> None:
    assert not Share(100, 90, 0).says_something
    assert not Share(1000, 500, 0).says_something
    assert not Share(1000, 480, 40).says_something
    assert Share(1000, 600, 0).says_something
    low, high = Share(1000, 600, 0).within
    # Wilson's interval for 600 of 1,000.
    assert (round(low, 3), round(high, 3)) == (0.569, 0.63)
    assert Share(10, 0, 0).within[0] == 0
    assert float(Share(10, 4, 2).share) == 0.5


def test_equal_figures_win_equally_often(cran: Book) -> None:
    arena = Arena(cran.usual, Random(3))
    one = figure("novice", "revolver")
    low, high = (
        arena.repeat_fight([one], [one], 300) + arena.repeat_fight([one], [one], 300)
    ).within
    assert low < 0.5 < high


def test_the_better_side_wins_more_often(cran: Book) -> None:
    arena = Arena(cran.usual, Random(3))
    hero, novice = figure("hero", "revolver"), figure("novice", "revolver")
    assert arena.repeat_fight([hero], [novice], 300).within[0] > 0.5
    assert arena.repeat_fight([novice] * 3, [hero], 300).within[0] > 0.5


def test_drawn_results_match_the_odds(cran: Book) -> None:
    arena = Arena(cran.usual, Random(3))
    actor, enemy = (arena.enter(figure("novice", "revolver")) for _side in range(2))
    attack = arena.best(actor, enemy)
    assert attack is not None
    names = arena.names(actor, enemy, attack)
    chances = odds(ready(cran.usual, attack.roll), names).outcomes
    ends = {
        row.key for row in cran.roll[attack.roll].outcomes
        if any((one.kind, one.whom) == ("out", "at") for one in row.effects)
    }  # fmt: skip
    found = arena.after_acting(actor, enemy)
    out = sum(ways for (_actor, after), ways in found.items() if after.out)
    assert Fraction(out, found.total()) == sum(chances[key] for key in ends) > 0


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_drawn_results_match_thrown_dice(slug: str) -> None:
    book = shipped(slug)
    settings = book.default_settings()
    found = trials(book.under(settings))
    assert found is not None
    arena = Arena(book.under(settings), Random(5))
    actor = enemy = arena.enter(found.typical)
    attack = arena.best(actor, enemy)
    assert attack is not None
    names, made = arena.names(actor, enemy, attack), ready(book.under(settings), attack.roll)
    # A roll's own effects, such as a jam, happen with every outcome.
    roll = book.roll[attack.roll]
    effects = {outcome.key: roll.effects_of(outcome.declared) for outcome in made.outcomes}
    drawn, thrown = Counter[object](), Counter[object]()
    for _time in range(3000):
        drawn[arena.act(actor, enemy)] += 1
        played = play(made, names, lambda sides: arena.dice.randrange(sides) + 1)
        shown = {**names, **played.names}
        happened = arena.happen(effects[played.outcome], shown, (actor, enemy), attack.item)
        thrown[happened] += 1
    # Five standard deviations of the difference of two such counts.
    assert all(abs(drawn[one] - thrown[one]) < 5 * sqrt(drawn[one] + thrown[one])
               for one in drawn | thrown)  # fmt: skip


def test_a_jammed_weapon_costs_a_turn_and_a_lost_weapon_stays_lost(cran: Book) -> None:
    arena = Arena(cran.usual, Random(3))
    fighter = enemy = arena.enter(figure("novice", "revolver"))
    with_revolver = arena.best(fighter, enemy)
    assert with_revolver is not None and with_revolver.item == "revolver"
    fighter = arena.spoil(fighter, "revolver", cran.state["jammed"])
    # The turn in which it jams, and the one in which it is cleared.
    for _turn in range(2):
        without = arena.best(fighter, enemy)
        assert without is None or without.item != "revolver"
        fighter = arena.end_turn(fighter)
    assert arena.best(fighter, enemy) == with_revolver
    for state, turns in (("turn", 1), ("ended", 2)):
        jam = cran.state["jammed"].model_copy(update={"lasts": state})
        fighter = arena.spoil(fighter, "rope", jam)
        assert fighter.jammed == (("rope", turns),)
    lost = cran.state["jammed"].model_copy(update={"lasts": "game"})
    fighter = arena.spoil(fighter, "revolver", lost)
    for left in ({"revolver", "rope"}, {"revolver"}, {"revolver"}):
        fighter = arena.end_turn(fighter)
        assert fighter.useless == left


def test_the_arena_skips_an_attack_with_endless_odds(cran: Book) -> None:
    endless = cran.model_copy(
        update={"rolls": tuple(
            roll.model_copy(update={"steps": (Count(count="hits", dice=999, target=4),)})
            for roll in cran.rolls
        )}
    )  # fmt: skip
    arena = Arena(endless.usual, Random(3))
    fighter = arena.enter(figure("novice", "revolver"))
    assert [*arena.attacks(fighter, fighter)]
    assert arena.best(fighter, fighter) is None
    assert arena.repeat_fight([figure("novice")], [figure("novice")], 10) == Share(10, 0, 10)


def test_the_arena_raises_too_long_when_time_is_up(cran: Book) -> None:
    arena = Arena(cran.usual, Random(3), is_late=lambda: True)
    with pytest.raises(TooLong):
        arena.repeat_fight([figure("novice", "revolver")], [figure("novice", "revolver")], 1)


def test_continued_fights_match_uninterrupted_fights(cran: Book) -> None:
    found = trials(cran.usual)
    assert found is not None
    row = next(row for row in found.rows if row.key == "veteran")
    assert row.sizes == (1, 2)
    at_once = later = Fair(row)
    arena = arena_of(found)
    while not at_once.done(300):
        at_once = fight_more(arena, found, at_once, 300, 7)
    while not later.done(300):
        later = fight_more(arena_of(found), found, later, 300, 7)
    assert at_once == later
    assert (later.duel.fights, later.equal.fights) == (300, 300)


@pytest.mark.parametrize(
    ("cost", "other", "sizes"),
    [(5, 5, (1, 1)), (10, 5, (1, 2)), (6, 4, (2, 3)), (0, 5, None), (5, 0, None), (90, 1, (1, 6))],
)
def test_equal_sums_finds_the_sizes_of_two_sides(
    cost: int, other: int, sizes: tuple[int, int] | None
) -> None:
    assert equal_sums(cost, other) == sizes


def test_spread_points_spreads_points_evenly() -> None:
    book = shipped("blackwater-gulch")
    leader = book.rank["leader"]
    points = spread_points(book, leader)
    assert sum(points.values()) == leader.points == 20
    assert max(points.values()) - min(points.values()) == 1


def test_the_typical_member_is_the_lowest_of_the_cheapest() -> None:
    book = shipped("zombstone")
    assert typical_rank(book.usual) == book.rank["figurant"]
    book = shipped("blackwater-gulch")
    assert typical_rank(book.usual) == book.rank["henchman"]


@pytest.mark.long
def test_the_same_seed_gives_the_same_fights(cran: Book) -> None:
    first, second = (fairness(cran.usual, 5, 7) for _ in range(2))
    assert first == second
    other = fairness(cran.usual, 5, 8)
    assert first != other


@pytest.mark.long
def test_the_report_claims_nothing_when_fights_are_few(cran: Book) -> None:
    told = [*describe(fairness(cran.usual, 5, 7), "cran")]
    assert told[0] == "cran: 5 fights each against Novice with Shotgun"
    assert told[-1] == "Nothing is claimed of fewer than 1000 fights."
    assert "Left out: movement, ranges, terrain" in told[1]
    assert [line.split()[0] for line in told if line.startswith(("Hero", "Veteran", "Novice"))] == [
        "Hero",
        "Veteran",
        "Novice",
    ]


def test_the_report_names_a_game_without_prices_or_fights() -> None:
    zombstone = shipped("zombstone")
    report = fairness(zombstone.usual, 1, 1)
    assert report is not None
    assert not report.trials.has_prices
    assert "This game sells nothing" in "\n".join(describe(report, "zombstone"))
    peaceful = small(rolls=[], ranks=[row("fighter", price=5)])
    assert fairness(peaceful.under({}), 1, 1) is None
    assert [*describe(None, "peace")] == ["peace: nothing in this rulebook can be fought with"]


def test_kit_and_ranks_that_limits_forbid_do_not_fight(cran: Book) -> None:
    none: dict[str, Any] = {
        "severity": "error",
        "text": Text(en="No.", fr="Non."),
        "source": "house",
    }
    no_item = ItemsLimit(
        code="no_blades", kind="items", per="gang", maximum=0, groups=("melee",), **none
    )
    no_rank = CountLimit(
        code="no_heroes", kind="count", of=Selector(ranks=("hero",)), maximum=0, **none
    )

    def fight(*limits: Limit) -> set[str]:
        found = trials(cran.changed(limits=(*cran.limits, *limits)).usual)
        assert found is not None
        return {row.key for row in found.rows}

    everything = fight()
    gone = everything - fight(no_item)
    assert gone and all(cran.item[key].group == "melee" for key in gone)
    assert everything - fight(no_rank) == {"hero"}
    # A mere warning forbids nothing, and neither does a limit on new gangs.
    for change in ({"later": "warning"}, {"phase": "founding"}):
        assert fight(no_rank.model_copy(update=change)) == everything


def test_report_names_the_options_that_it_judges(cran: Book) -> None:
    lines = [*describe(fairness(cran.usual, 1, 1), "cran")]
    [judged] = [line for line in lines if line.startswith("Judged under these options only: ")]
    choices = [row for row in cran.settings if row.kind == "choice" and not row.campaign_only]
    assert all(f"{row.key}={row.default}" in judged for row in choices)
