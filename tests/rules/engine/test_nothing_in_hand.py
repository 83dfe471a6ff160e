"""Names that expressions read from figures without a weapon or without some boxes."""

from __future__ import annotations

from rules.engine.figure import Figure
from rules.engine.situations import Side, Situation, names_in
from tests.world.gangs import shipped


def test_a_track_counts_zero_boxes_of_a_letter_it_lacks() -> None:
    book = shipped("zombstone")
    dead = Side(Figure(rank="zombie", worth_rank="zombie"))
    names = names_in(book.usual, Situation(dead, dead))
    assert (names["by.barrel"], names["by.barrel.w"], names["at.barrel.r"]) == (2, 2, 0)


def test_weapon_names_are_zero_when_a_figure_uses_no_weapon() -> None:
    book = shipped("zombstone")
    star = Figure(rank="vedette", worth_rank="vedette")
    names = names_in(book.usual, Situation(Side(star, "colt_lourd"), Side(star)))
    assert (names["item.damage"], names["at_item.damage"]) == (1, 0)
    assert (names["at_item.range"], names["at_item.range.sides"]) == (0, 1)
    assert not names.get("at_item.in_group:firearm")
