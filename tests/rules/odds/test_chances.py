"""Scores of rolls, changes to them, and comparisons of weapons."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.utils.translation import override

from rules.book.model import Book
from rules.engine.fairness import typical_rank
from rules.engine.figure import Figure
from rules.engine.situations import Side
from rules.odds import chances
from rules.odds.chances import (
    Measure,
    Patience,
    Question,
    against_typical,
    best_scores,
    changes,
    compare_weapons,
    measures,
    uses,
)
from rules.odds.results import format_chance, result
from tests.rules.odds.games import ATTACK, MORALE, POKER, game
from tests.rules.small import Data, figure, row, text


def asked(book: Book, item: str = "sword", **said: int | str) -> Question:
    by = Side(figure("fighter", items=(item,)), item)
    settings = book.default_settings()
    return Question(book.under(settings), book.roll["attack"], by, Side(figure("fighter")), said)


def chance(dice: int, success: Fraction, least: int) -> Fraction:
    """Return the chance that at least ``least`` dice succeed, counted by hand."""
    found = {0: Fraction(1)}
    for _ in range(dice):
        found = {
            hits: found.get(hits, Fraction(0)) * (1 - success)
            + found.get(hits - 1, Fraction(0)) * success
            for hits in range(max(found) + 2)
        }
    return sum((share for hits, share in found.items() if hits >= least), Fraction(0))


def test_the_score_is_the_chance_of_the_grave_outcomes() -> None:
    question = asked(game())
    # A fighter's three dice against a D6, which takes one hit off: three hits are needed.
    assert question.score == question.odds.outcomes["out"] == chance(3, Fraction(1, 2), 3)
    assert question.measure == Measure("chance", ("out",))


def test_the_score_leaves_out_the_attackers_own_risk() -> None:
    def outcome(key: str, whom: str, given: str | None = None) -> Data:
        effects = [{"kind": "out", "whom": whom}]
        return {"key": key, "name": text(key), "grave": True, "given": given, "effects": effects}

    outcomes = [outcome("own", "by", "hits == 0"), outcome("both", "at", "hits == 1")]
    outcomes += [outcome("out", "at", "hits > 1"), {"key": "none", "name": text("None")}]
    attack = {**ATTACK, "outcomes": outcomes}
    question = asked(game(rolls=[MORALE, attack, POKER]))
    assert question.measure.keys == ("both", "out")
    assert question.score == 1 - question.odds.outcomes["own"]
    duel = {**attack, "outcomes": [outcomes[0], outcomes[-1]]}
    assert asked(game(rolls=[MORALE, duel, POKER])).measure.keys == ("own",)


def test_the_score_is_an_average_or_first_outcome_when_none_is_grave() -> None:
    book = game()
    settings = book.default_settings()
    poker = Question(book.under(settings), book.roll["poker"], Side(figure("fighter")))
    assert poker.measure == Measure("average", ("rank",))
    assert poker.score == poker.odds.average("rank")
    morale = Question(book.under(settings), book.roll["morale"])
    assert morale.measure == Measure("chance", ("holds",))
    assert morale.score == Fraction(21, 36)


def test_changes_list_every_change_with_its_new_score() -> None:
    found = {
        (change.kind, getattr(change.row, "key", change.row), change.value, change.side): (
            change.score
        )
        for change in changes(asked(game(), cover=1), Patience(60))
    }
    third, half = Fraction(1, 3), Fraction(1, 2)
    # One failure may be thrown again: three successes, or two and a successful re-roll.
    lucky = third**3 + 3 * third**2 * (1 - third) * third
    assert found == {
        ("circumstance", "cover", 0, ""): chance(3, half, 3),
        ("circumstance", "cover", 2, ""): chance(3, Fraction(1, 6), 3),
        ("state", "asleep", 1, "at"): chance(3, half, 3),
        ("state", "weak", 1, "by"): Fraction(0),
        ("spend", "luck", 1, ""): lucky,
    }


def test_changes_try_one_more_and_one_less_of_a_count() -> None:
    book = game()
    question = Question(book.usual, book.roll["morale"], said={"gang.lost": 1})
    found = [(change.row, change.value, change.score) for change in changes(question, Patience(60))]
    assert found == [("gang.lost", 0, Fraction(21, 36)), ("gang.lost", 2, Fraction(30, 36))]


def test_compare_weapons_lists_usable_weapons_from_the_best_down() -> None:
    question = asked(game())
    weapons = uses(question, ["sword", "rope", "axe", "axe", "nothing"])
    assert [*weapons] == ["sword", "axe"]
    patience = Patience(60)
    best = compare_weapons(weapons.values(), question.measure, patience)
    assert not patience.late
    assert [(one.use and one.use.key, score) for one, score in best] == [
        ("axe", chance(4, Fraction(1, 2), 3)),
        ("sword", chance(3, Fraction(1, 2), 3)),
    ]


def test_a_typical_enemy_is_the_cheapest_that_does_not_lead() -> None:
    book = game()
    settings = book.default_settings()
    rank = typical_rank(book.under(settings))
    assert rank is not None and rank.key == "scout"
    attacker = Figure("chief", "chief")
    attacks = {
        key: against_typical(book.under(settings), attacker, key)
        for key in ("sword", "axe", "rope")
    }
    assert attacks["rope"] == ()
    assert {attack.at and attack.at.figure.rank for attack in attacks["sword"]} == {"scout"}
    del attacks["rope"]
    found = best_scores(attacks, Patience(60))
    assert {key: best and best[1:] for key, best in found.items()} == {
        "sword": (Measure("chance", ("out",)), chance(5, Fraction(1, 2), 3)),
        "axe": (Measure("chance", ("out",)), chance(6, Fraction(1, 2), 3)),
    }
    assert best_scores(attacks, Patience(-1)) == {"sword": None, "axe": None}


def test_weapons_are_compared_by_hurt_when_none_can_take_out() -> None:
    outcomes = [
        {"key": "out", "name": text("Out"), "grave": True, "given": "hurt >= 9"},
        {
            "key": "hurt",
            "name": text("Hurt"),
            "given": "hurt",
            "effects": [{"kind": "changes", "track": "purse", "amount": -1}],
        },
        {"key": "nothing", "name": text("Nothing")},
    ]
    rolls = [MORALE, {**ATTACK, "outcomes": outcomes}, POKER]
    book = game(rolls=rolls, tracks=[row("purse")])
    question = asked(book)
    hurt = Measure("chance", ("out", "hurt"))
    assert measures(question.ready) == [
        Measure("chance", ("out",)),
        hurt,
        Measure("average", ("hurt",)),
    ]
    assert (question.measure, question.score) == (hurt, chance(3, Fraction(1, 2), 2))
    settings = book.default_settings()
    attack = {"sword": against_typical(book.under(settings), Figure("chief", "chief"), "sword")}
    found = best_scores(attack, Patience(60))["sword"]
    assert found is not None and found[1] == hurt


def test_leads_begin_with_the_first_chance_that_is_open() -> None:
    """The page does not begin with an impossible outcome."""
    falls: Data = {"kind": "changes", "track": "purse", "amount": "-hurt"}
    outcomes = [
        {"key": "out", "name": text("Out"), "grave": True, "hoped": True, "given": "hurt >= 9"},
        {"key": "hurt", "name": text("Hurt"), "hoped": True, "given": "hurt", "effects": [falls]},
        {"key": "missed", "name": text("Missed"), "effects": [{**falls, "amount": 0}]},
    ]
    rolls = [MORALE, {**ATTACK, "outcomes": outcomes}, POKER]
    question = asked(game(rolls=rolls, tracks=[row("purse")]))
    with override("en"):
        hurt = format_chance(chance(3, Fraction(1, 2), 2))
        assert result(question, (), Patience(-1)).leads == (("Hurt", hurt),)


def test_changes_and_comparisons_stop_when_patience_is_over() -> None:
    question = asked(game())
    over = Patience(-1)
    assert [*changes(question, over)] == [] and over.late
    over = Patience(-1)
    both = uses(question, ["sword", "axe"]).values()
    assert compare_weapons(both, question.measure, over) == [] and over.late


def test_patience_expects_the_next_step_to_take_the_longest_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow step leaves the remaining comparisons for the next request."""
    clock = iter([0.0, 4.0, 5.0, 7.0, 0.0, 6.0])
    monkeypatch.setattr(chances.time, "monotonic", lambda: next(clock))
    patience = Patience(10)
    assert [patience.over() for _step in range(3)] == [False, False, True] and patience.late
    assert Patience(10).over()
