"""Boxes of experience on prints: groups that an eye can count, and none for members who never
earn any."""

from __future__ import annotations

import re

import pytest

from gangs.engine.computed import ComputedGang
from printing.members.drawings import experience
from printing.members.ladder import Ladder
from printing.paper.drawings import MOST_GROUPS, NARROW, WIDE, BoxRow
from printing.sheets.roster import SheetOrder, markup
from tests.gangs.rosters import member, roster
from tests.rules.small import row, small, told


def draw(start: int, end: int, step: int, room: float = 90) -> str:
    return str(experience(Ladder(start, end, 0, step, ()), room, "Experience").drawing)


@pytest.mark.parametrize("boxes", [WIDE, NARROW])
@pytest.mark.parametrize("each", [1, 2, 5, 60])
def test_a_line_has_at_most_ten_groups_and_fits_its_room(boxes: BoxRow, each: int) -> None:
    for room in (40, 90, 180):
        line = boxes.a_line(each, room)
        assert 1 <= line <= MOST_GROUPS * each
        assert boxes.way_up([""] * 200, each, room, "Experience").across <= room + 0.5


def test_thirty_groups_are_boxes_and_more_are_a_number() -> None:
    assert draw(0, 30, 1).count("M") == 30
    assert draw(0, 31, 1) == "____ / 31"
    assert "<svg" in draw(100, 130, 1)
    assert draw(0, 50, 5).count("M") == 50


def test_sheet_has_no_boxes_for_a_member_who_never_earns() -> None:
    awards = [row("played", of={"not_ranks": ["scout"]})]
    book = small(
        campaign__awards=awards,
        campaign__steps=[told("income", kind="income"), told("lessons", kind="experience")],
    )
    gang = roster(book, member("fighter"), member("scout"), games=1)
    computed = ComputedGang.of(book, gang)
    assert [computed.earns(one) for one in gang.members] == [True, False]
    html = markup(computed, SheetOrder("en"))
    assert len(re.findall("<title>[^<]*xperience", html)) == 1
    learned = ComputedGang.of(book, roster(book, member("scout", experience=3), games=1))
    assert learned.earns(learned.roster.members[0])


def test_everybody_may_earn_in_a_game_without_awards() -> None:
    book = small(campaign__steps=[told("lessons", kind="experience")])
    computed = ComputedGang.of(book, roster(book, member("scout"), games=1))
    assert computed.earns(computed.roster.members[0])
