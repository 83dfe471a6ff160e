"""Chances of dice tables, including the rolls that they lead to."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from rules.book.fates import DiceTable, TableRow
from rules.book.model import Book
from rules.engine.table_odds import (
    Reach,
    final_chance,
    final_chances,
    find_reach,
    find_reach_of_roll,
    nothing_happens,
    rolls_again,
)
from tests.world.gangs import shipped

D6 = range(1, 7)


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


@pytest.fixture(scope="module")
def injuries(book: Book) -> DiceTable:
    return book.table["serious_injuries"]


def row_of(table: DiceTable, number: int) -> TableRow:
    return next(row for row in table.rows if row.low <= number <= row.high)


def multiple_tags(table: DiceTable) -> tuple[str, ...]:
    outcomes = row_of(table, 16).outcomes
    return next(one.rerolling for one in outcomes if one.kind == "rolls_on")


def test_a_re_rolled_row_makes_the_other_rows_likelier(injuries: DiceTable) -> None:
    # "Rules", p. 14 and following: 26 is thrown again, so 35 numbers of 36 count.
    assert final_chance(injuries, row_of(injuries, 11)) == Fraction(1, 7)
    assert final_chance(injuries, row_of(injuries, 41)) == Fraction(12, 35)
    assert final_chance(injuries, row_of(injuries, 26)) == Fraction(1, 36)
    assert sum(final_chances(injuries).values()) == 1


def test_fewer_rows_count_within_multiple_injuries(injuries: DiceTable) -> None:
    tags = multiple_tags(injuries)
    assert final_chance(injuries, row_of(injuries, 22), tags) == Fraction(1, 15)
    # A row that does not count there keeps the chance of a throw.
    assert rolls_again(row_of(injuries, 11), tags)
    assert final_chance(injuries, row_of(injuries, 11), tags) == Fraction(5, 36)


def test_find_reach_counts_every_way_to_die_or_leave(book: Book, injuries: DiceTable) -> None:
    certain, never = Reach(Fraction(1), Fraction(1)), Reach(Fraction(0), Fraction(0))
    assert find_reach(book, row_of(injuries, 11).outcomes) == certain
    assert find_reach(book, row_of(injuries, 41).outcomes) == never
    # Judged: a 1 is death, unless a rescue is played, which is the player's choice.
    assert find_reach(book, row_of(injuries, 65).outcomes) == Reach(Fraction(0), Fraction(1, 6))


def test_chances_of_multiple_injuries_match_a_count_by_hand(
    book: Book, injuries: DiceTable
) -> None:
    """Up to six results in a row; a second eye or arm, or a judgement, ends a career."""
    rows = final_chances(injuries, multiple_tags(injuries))
    share = {number: rows[row_of(injuries, number)] for number in (23, 31, 65)}
    amputated = share[23] / 6
    judged = share[65] / 6

    def gone_after(times: int, judgement: Fraction) -> Fraction:
        left = {(False, False): Fraction(1)}
        for _time in range(times):
            following: dict[tuple[bool, bool], Fraction] = {}
            for (arm, eye), chance in left.items():
                dead = judgement + (amputated if arm else 0) + (share[31] if eye else 0)
                steps = {
                    (True, eye): Fraction(0) if arm else amputated,
                    (arm, True): Fraction(0) if eye else share[31],
                }
                stays = 1 - dead - sum(steps.values())
                for state, part in [*steps.items(), ((arm, eye), stays)]:
                    following[state] = following.get(state, Fraction(0)) + chance * part
            left = following
        return 1 - sum(left.values())

    expected = [
        sum((gone_after(times, judgement) for times in D6), Fraction(0)) / 6
        for judgement in (Fraction(0), judged)
    ]
    assert find_reach(book, row_of(injuries, 16).outcomes) == Reach(expected[0], expected[1])


def test_final_chance_joins_rows_with_the_same_text(injuries: DiceTable) -> None:
    hardened = [row for row in injuries.rows if row.low in (63, 64)]
    assert {final_chance(injuries, row) for row in hardened} == {Fraction(2, 35)}
    shown = [10 * tens + units for tens, units in product(D6, D6)]
    assert len([number for number in shown if row_of(injuries, number) in hardened]) == 2


def test_chances_of_a_table_add_up_over_its_rows(book: Book) -> None:
    third = Fraction(1, 3)
    assert find_reach_of_roll(book, book.table["underlings"]) == Reach(third, third)
    assert nothing_happens(book, book.table["underlings"]) == 2 * third
    # Half a chance to drink a potion that does something.
    assert nothing_happens(book, book.table["potions"]) == Fraction(1, 2)


def test_chances_of_a_table_include_the_tables_it_leads_to() -> None:
    """A novice passes on 3 or more; a failure rolls on the injury table and can die."""
    cran = shipped("cran")
    table = cran.table["down_novice"]
    assert nothing_happens(cran, table) == Fraction(2, 3)
    assert find_reach_of_roll(cran, table) == Reach(Fraction(1, 15), Fraction(1, 15))


def test_a_second_lost_eye_ends_a_career(book: Book) -> None:
    eye = book.table["eye"]
    condition = next(
        one.condition for row in eye.rows for one in row.outcomes if one.kind == "suffers"
    )
    assert find_reach_of_roll(book, eye).most == 0
    assert find_reach_of_roll(book, eye, conditions=[condition]).least == 1
    assert find_reach(book, eye.rows[0].outcomes, [condition]) == Reach(Fraction(1), Fraction(1))
