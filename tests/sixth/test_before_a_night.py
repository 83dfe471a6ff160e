"""Before a night of the sixth rulebook: haunted members roll, and two retired members return."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.engine import mercenaries
from campaigns.engine.crew import candidates, waiting
from common.errors import Refusal
from gangs.engine.fold import apply
from gangs.engine.roster import Departed
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from tests.gangs import rosters
from tests.sixth.conftest import Browser


@pytest.mark.parametrize("face", range(1, 11))
def test_a_haunted_member_stays_in_bed_on_a_1_or_a_10(moor: Book, face: int) -> None:
    bearer = rosters.member("bearer", conditions=["haunted"])
    crew = rosters.roster(moor, rosters.member("warden"), bearer, games=1)
    (chance,) = waiting(candidates(moor, crew, {}))
    roll = DiceRoll(dice="1d10", faces=(face,), thrown_by="table")
    _warden, haunted = candidates(moor, crew, {chance.key: roll})
    assert haunted.standing == ("sits_out" if face in (1, 10) else "fit")


def test_two_retired_members_come_back_for_a_night(moor: Book) -> None:
    """A third cannot come, and neither can a member who was sent home."""
    gone = rosters.roster(moor, *[rosters.member("warden", experience=5)] * 4, games=1)
    fates = ("at_rest", "at_rest", "at_rest", "sent_home")
    departed = [
        Departed(member=one, fate=fate) for one, fate in zip(gone.members, fates, strict=True)
    ]
    home = gone.model_copy(update={"members": (), "departed": tuple(departed)})
    resting = mercenaries.pool(moor, [("fen", home)])
    assert [one.member.id for one in resting] == [1, 2, 3]
    crew = rosters.roster(moor, rosters.member("bearer"), games=1, earned=500)
    for one in resting[:2]:
        crew = apply(moor, crew, 90, mercenaries.hire(moor, crew, "tonight", one, ()))
    assert crew.treasury == 500 - 2 * resting[0].price
    with pytest.raises(Refusal, match="hires_full"):
        mercenaries.hire(moor, crew, "tonight", resting[2], ())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chapter", "words"),
    [
        ("tables", "1D10: cannot play on 1, 10"),
        ("campaign", "2 at most"),
    ],
)
def test_the_rules_pages_explain_rolls_before_a_night(
    builder: Browser, loaded: Book, chapter: str, words: str
) -> None:
    assert words in builder.open(reverse("rules:chapter", args=["moor-ghosts", chapter]))
