"""A gang founded once more is the same gang, under the same rules and under others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from gangs.engine.refounding import refound
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from rules.engine.dice import DiceRoll
from tests.gangs import other_rules
from tests.gangs.strategies import built
from tests.world.gangs import GOLD, POINTS, SLUGS, shipped


def compared(roster: Roster) -> dict[str, Any]:
    """Everything of a gang that has not played, without the numbers of members and items."""
    data = roster.model_dump(exclude={"book", "members", "stash", "own_items", "campaigns"})
    own = {item.key: item.name for item in roster.own_items}

    def things(items: Any) -> list[Any]:
        return [(own.get(one.key, one.key), one.used, one.included) for one in items]

    members = [
        (one.model_dump(exclude={"id", "items"}), things(one.items)) for one in roster.members
    ]
    ages = sorted(range(len(members)), key=lambda place: roster.members[place].id)
    declared = [item.model_dump(exclude={"key"}) for item in roster.own_items]
    return {**data, "all": (members, ages, things(roster.stash), declared)}


@pytest.mark.parametrize("slug", SLUGS)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_refound_makes_the_same_gang(slug: str, data: Any) -> None:
    log, _batches = data.draw(built(slug))
    book = shipped(slug)
    roster = fold(book, log)
    made = refound(book, book, roster, roster.name)
    again = fold(book, enumerate(made.entries, start=1))
    assert compared(again) == compared(roster)
    assert [made.members[one.id] for one in roster.members] == [one.id for one in again.members]
    before, after = ComputedGang.of(book, roster), ComputedGang.of(book, again)
    assert before.price == after.price and before.left == after.left
    codes = sorted(finding.code for finding in findings(book, roster, before))
    assert sorted(finding.code for finding in findings(book, again, after)) == codes


@pytest.mark.parametrize("slug", [POINTS, pytest.param(GOLD, marks=pytest.mark.long)])
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_refound_drops_what_other_rules_lack(slug: str, data: Any) -> None:
    log, _batches = data.draw(built(slug))
    old, new = shipped(slug), data.draw(other_rules.versions(slug))
    roster = fold(old, log)
    again = fold(new, enumerate(refound(old, new, roster, roster.name).entries, start=1))
    carried = carry_over(old, new, roster)[0]
    kept = [(one.name, [owned.key for owned in one.items]) for one in carried.members]
    assert len(again.members) == len(carried.members)
    if not carried.own_items:
        assert [(one.name, [owned.key for owned in one.items]) for one in again.members] == kept
    assert again.settings == carried.settings


def test_refound_keeps_rolled_profiles_wear_and_marks_but_no_captor() -> None:
    book = shipped(POINTS)
    score = next(row.key for row in book.characteristics if row.kind == "number")
    rank, condition = book.ranks[0].key, book.conditions[0].key
    roll = DiceRoll(dice="1d6", faces=(4,), thrown_by="app")
    log: list[kinds.Entry] = [
        kinds.Founded(name="Crows", settings=book.default_settings()),
        kinds.Recruited(rank=rank, name="Anna"),
        kinds.Recruited(rank=rank, name="Bert"),
        kinds.Dismissed(member=2),
        kinds.ProfileRolled(member=3, characteristic=score, amount=4, roll=roll),
        kinds.Suffered(member=3, condition=condition, games=2, against="Bears", captors=("x",)),
        kinds.Earned(amount=50, why="gift"),
        kinds.Noted(member=3, text="Limps"),
    ]
    roster = fold(book, enumerate(log, start=1))
    rolls = [entry for entry in log if isinstance(entry, kinds.ProfileRolled)]
    made = refound(book, book, roster, "Ravens", rolls)
    again = fold(book, enumerate(made.entries, start=1))
    (bert,) = again.members
    assert (again.name, bert.name, bert.rolled, bert.notes) == (
        "Ravens",
        "Bert",
        {score: 4},
        "Limps",
    )
    (suffered,) = bert.afflictions
    assert (suffered.condition, suffered.games_left) == (condition, 2)
    assert (suffered.against, suffered.captors) == ("", ())
    assert again.earned == 0
