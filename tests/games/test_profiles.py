"""Profiles rolled when somebody joins, ranks that lack characteristics, picking by a number."""

from __future__ import annotations

import pytest

from campaigns import models
from campaigns.engine.report import Answers, Hire, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.postgames.drafts import Postgame, PostgameBase
from campaigns.postgames.text import step_lines
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from gangs.models import Gang
from rules.book.model import Book
from rules.book.schema import Die
from rules.book.season import RisenProfile
from rules.engine.dice import DiceRoll
from rules.engine.situations import Side, Situation, names_in
from tests.world.campaigns import make_situation

FOUNDED = (
    kinds.Founded(name="The Ninth", settings={}),
    kinds.Recruited(rank="caller", name="Vera"),
    kinds.Recruited(rank="hound", name="Brack"),
    kinds.Recruited(rank="medium", name="Otto"),
)


@pytest.fixture
def ninth(circle: Book) -> Roster:
    """Return a circle of a caller, a hound and a medium."""
    return fold(circle, enumerate(FOUNDED, start=1))


def typed(dice: str, *faces: int) -> DiceRoll:
    return DiceRoll(dice=dice, faces=faces, thrown_by="table")


def evening(book: Book, roster: Roster, **rolls: DiceRoll) -> Playthrough:
    """Play the post-game of a victory, with a medium as a recruit."""
    report = Report(fielded=tuple(member.id for member in roster.members))
    answers = Answers(
        recruits=(Hire(rank="medium", name="Ida"),),
        rolls={f"seats:0:{key}": roll for key, roll in rolls.items()},
        done=("seats",),
    )
    game = make_situation(roster, "won", "winner", report=report)
    return play(book, roster, 100, game, answers)


def numbers(book: Book, roster: Roster, name: str) -> dict[str, int]:
    computed = ComputedGang.of(book, roster)
    [member] = [one for one in roster.members if one.name == name]
    scores = computed.profiles[member.id].scores
    return {key: score.value for key, score in scores.items() if isinstance(score.value, int)}


def test_a_founder_has_the_values_of_the_rank(circle: Book, ninth: Roster) -> None:
    assert numbers(circle, ninth, "Otto") == {"pace": 5, "will": 2, "nerve": 2}


def test_a_recruit_waits_for_every_roll(circle: Book, ninth: Roster) -> None:
    waiting = evening(circle, ninth).step("seats").waiting
    assert [(one.key, str(one.amount)) for one in waiting] == [
        ("seats:0:will", "1D3 + 1"),
        ("seats:0:nerve", "1D2 + 1"),
    ]


def test_a_recruit_has_the_rolled_values(circle: Book, ninth: Roster) -> None:
    after = evening(circle, ninth, will=typed("1d3", 3), nerve=typed("1d2", 2))
    assert after.complete
    assert numbers(circle, after.roster, "Ida") == {"pace": 5, "will": 4, "nerve": 3}
    # 60 - 15 - 4 - 9 left at the founding, 8 for the victory, 9 for the medium.
    assert after.roster.treasury == 31


PROFILES: tuple[tuple[RisenProfile, int], ...] = (("kept", 2), ("best", 4), ("new", 4))


@pytest.mark.parametrize(("chosen", "will"), PROFILES)
def test_a_higher_rank_replaces_the_rolled_values(
    circle: Book, ninth: Roster, chosen: RisenProfile, will: int
) -> None:
    after = evening(circle, ninth, will=typed("1d3", 1), nerve=typed("1d2", 1)).roster
    ida = after.members[-1].id
    risen = kinds.Promoted(member=ida, rank="caller", profile=chosen)
    higher = fold(circle, [(900, risen)], after)
    assert numbers(circle, higher, "Ida")["will"] == will
    assert (higher.member(ida).rolled == {}) == (chosen == "new")


def test_a_limit_counts_the_members_with_a_number(circle: Book, ninth: Roster) -> None:
    after = evening(circle, ninth, will=typed("1d3", 3), nerve=typed("1d2", 1)).roster
    found = findings(circle, after)
    assert [(one.code, one.values["count"]) for one in found if one.code == "VOICES"] == [
        ("VOICES", 2)
    ]
    assert "VOICES" not in {one.code for one in findings(circle, ninth)}


def test_a_rank_lacks_a_characteristic(circle: Book, ninth: Roster) -> None:
    assert numbers(circle, ninth, "Brack") == {"pace": 5, "nerve": 2}


def test_a_roll_reads_0_for_a_lacking_characteristic(circle: Book, ninth: Roster) -> None:
    figure = ninth.figure(circle, ninth.members[1])
    names = names_in(circle.usual, Situation(by=Side(figure)))
    assert (names["by.will"], names["by.pace"]) == (0, 5)


def test_a_newer_rulebook_keeps_the_rolled_values_that_it_knows(
    circle: Book, ninth: Roster
) -> None:
    after = evening(circle, ninth, will=typed("1d3", 2), nerve=typed("1d2", 2)).roster
    without = circle.changed(
        characteristics=tuple(row for row in circle.characteristics if row.key != "will"),
        ranks=tuple(row.model_copy(update={"values": {}, "rolled": {}}) for row in circle.ranks),
        limits=(),
    )
    carried, losses = carry_over(circle, without, after)
    assert carried.members[-1].rolled == {"nerve": 3}
    assert [(loss.kind, str(loss.name)) for loss in losses] == [
        ("characteristic", str(circle.characteristic["will"].name))
    ]


def test_a_newer_rulebook_with_a_die_drops_the_rolled_number(circle: Book, ninth: Roster) -> None:
    after = evening(circle, ninth, will=typed("1d3", 2), nerve=typed("1d2", 2)).roster
    same = circle.characteristic["will"].model_dump(
        include={"key", "name", "short", "text", "source"}
    )
    die = Die.model_validate({**same, "kind": "die", "sizes": ["d6", "d8"], "start": "d6"})
    newer = circle.changed(
        characteristics=tuple(die if row.key == "will" else row for row in circle.characteristics),
        ranks=tuple(row.model_copy(update={"values": {}, "rolled": {}}) for row in circle.ranks),
        limits=(),
    )
    carried, losses = carry_over(circle, newer, after)
    assert carried.members[-1].rolled == {"nerve": 3}
    assert [(loss.kind, str(loss.name)) for loss in losses] == [
        ("characteristic", str(circle.characteristic["will"].name))
    ]
    last = ComputedGang.of(newer, carried).profiles[carried.members[-1].id]
    assert str(last.scores["will"].value) == "D6"


def test_the_post_game_asks_for_the_dice_and_says_the_values(circle: Book, ninth: Roster) -> None:
    game = make_situation(ninth, "won", "winner")
    lines = []
    for rolls in ({}, {"will": typed("1d3", 3), "nerve": typed("1d2", 1)}):
        played = evening(circle, ninth, **rolls)
        base = PostgameBase(Gang(), circle, ninth)
        lines.append(step_lines(Postgame(models.Side(), base, game, played))[-1])
    waiting, done = lines
    assert [(line.what, line.dice) for line in waiting.rolls] == [
        ("Will", "1D3 + 1"),
        ("Nerve", "1D2 + 1"),
    ]
    assert waiting.rolling is waiting.rolls[0]
    assert done.sentences[1:] == ("Ida rolled Will 4.", "Ida rolled Nerve 2.")
