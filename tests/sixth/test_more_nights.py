"""Other nights of the sixth rulebook, played by the post-game script without pages."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine.income import income, points
from campaigns.engine.report import Answers, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from campaigns.statistics.standings import standings
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Roster
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from tests.gangs import rosters
from tests.world.campaigns import make_situation
from tests.world.pasts import a_row

ALL = (1, 2, 3, 4, 5)
BRAN = 2


def crew(moor: Book, bran: dict[str, Any] | None = None, **more: Any) -> Roster:
    """Return the fen folk after some nights: Odile is 1, Bran 2, the wisps 3 to 5."""
    members = [
        rosters.member("warden", profession="guide", traits=["keeper"], items=["rushlight"]),
        rosters.member(
            **{"rank": "bearer", "name": "Bran", "items": ["rushlight"], **(bran or {})}
        ),
        *[rosters.member("wisp", squad="Sparks") for _ in range(3)],
    ]
    given = {"games": 1, "settings": {"folk": "fen"}, **more}
    return rosters.roster(moor, *members, **given)


def table(*faces: int, dice: str) -> DiceRoll:
    return DiceRoll(dice=dice, faces=faces, thrown_by="table")


def after(
    moor: Book,
    roster: Roster,
    result: str = "mist",
    side: str = "level",
    told: dict[str, Any] | None = None,
    answers: dict[str, Any] | None = None,
    **game_report: Any,
) -> Playthrough:
    report = Report.model_validate({"fielded": ALL, **(told or {})})
    there = make_situation(roster, result, side, report=report, **game_report)
    done = {"done": ("recruits", "promotions"), **(answers or {})}
    return play(moor, roster, 2000, there, Answers.model_validate(done))


def bran(through: Playthrough) -> Any:
    return through.roster.member(BRAN)


def test_a_member_with_eel_blood_does_not_drown(moor: Book) -> None:
    drowned = {"marks": {BRAN: "drowned"}}
    through = after(moor, crew(moor, {"traits": ["eel_blood"]}), told=drowned)
    assert [one.condition for one in bran(through).afflictions] == ["soaked"]
    through = after(moor, crew(moor), told=drowned)
    assert BRAN not in {member.id for member in through.roster.members}


@pytest.mark.parametrize(
    "result, side, told, earned",
    [
        ("mist", "level", {}, 3),
        ("parley", "level", {"money": 9}, 9),
        ("dawn", "winner", {"tallies": {"bells": 2}}, 6 + 2 * 3),
        ("dawn", "loser", {"counts": {"ghosts": {1: 1, 2: 2}, "lights": {3: 5}}}, 2 + 3),
    ],
)
def test_each_result_pays_its_money(
    moor: Book, result: str, side: str, told: dict[str, Any], earned: int
) -> None:
    roster = crew(moor, settings={"folk": "fen", "toll": 3})
    report = Report.model_validate({"fielded": ALL, **told})
    night = make_situation(roster, result, side, report=report)
    assert sum(entry.amount for entry in income(moor.under(roster.settings), night)) == earned


@pytest.mark.parametrize("above, alms", [(0, 0), (1, 0), (2, 1), (5, 2), (8, 4), (90, 4)])
def test_alms_have_a_maximum(moor: Book, above: int, alms: int) -> None:
    roster = crew(moor)
    night = make_situation(roster, "mist", "level", rating=10, opponents=(10 + above, 3))
    assert sum(entry.amount for entry in income(moor.under(roster.settings), night)) == 3 + alms


@pytest.mark.parametrize("above, learnt", [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_brighter_foes_give_more_experience(moor: Book, above: int, learnt: int) -> None:
    """Bearers learn from foes three points brighter, all members from foes half as bright again."""
    through = after(moor, crew(moor), rating=10, opponents=(10 + above,))
    assert bran(through).experience == learnt


def test_at_most_two_ghosts_give_experience(moor: Book) -> None:
    counts = {"ghosts": {BRAN: 7, 3: 7}, "lights": {3: 1}}
    through = after(moor, crew(moor), told={"counts": counts}, answers={"choices": {}})
    assert bran(through).experience == 3
    assert through.current is not None and through.current.step.key == "advances"


def test_a_soaked_member_at_home_gains_experience(moor: Book) -> None:
    through = after(moor, crew(moor, {"conditions": ["soaked"]}), told={"fielded": (1,)})
    assert [member.experience for member in through.roster.members] == [1, 1, 0, 0, 0]


def test_the_old_age_setting_stops_experience(moor: Book) -> None:
    old = {"rank": "warden", "profession": "fiddler", "experience": 12}
    assert bran(after(moor, crew(moor, old))).experience == 12
    aged = crew(moor, {"experience": 3}, settings={"folk": "fen", "old_age": 3})
    assert bran(after(moor, aged)).experience == 3


def test_a_toll_beyond_the_treasury_cannot_be_chosen(moor: Book) -> None:
    key = f"fates:{BRAN}:moor"
    rolls = {key: table(8, 8, dice="2d10")}
    marked = {"marks": {BRAN: "out"}}
    through = after(moor, crew(moor), told=marked, answers={"rolls": rolls})
    (question,) = through.questions.values()
    assert [choice.refusal is None for choice in question.choices] == [False, True]
    answers = {"rolls": rolls, "choices": {question.key: "1"}}
    assert bran(after(moor, crew(moor), told=marked, answers=answers)).traits == ("shamed",)


def test_a_haunting_names_its_opponent(moor: Book) -> None:
    rolls = {f"fates:{BRAN}:moor": table(6, 6, dice="2d10")}
    answers = {"rolls": rolls}
    marked = {"marks": {BRAN: "out"}}
    through = after(moor, crew(moor), told=marked, answers=answers, opponent_names=("Crag",))
    (haunted,) = bran(through).afflictions
    assert (haunted.condition, haunted.against, haunted.games_left) == ("haunted", "Crag", 0)


def test_a_wise_ghost_gives_experience(moor: Book) -> None:
    key = f"fates:{BRAN}:moor"
    rolls = {key: table(10, 10, dice="2d10"), f"{key}:0:1d3": table(2, dice="1d3")}
    marked = {"marks": {BRAN: "out"}}
    through = after(moor, crew(moor), told=marked, answers={"rolls": rolls})
    # Two from the ghost, one for taking part: a lesson is due.
    (advance,) = through.questions.values()
    offered = [choice.value for choice in advance.choices if choice.refusal is None]
    assert offered == ["night_eyes", "cold_nerve"]


def test_every_second_advance_is_a_rank_when_there_is_room(moor: Book) -> None:
    learnt = {"experience": 5, "traits": ["night_eyes"]}
    roster = crew(moor, learnt)
    # One advance is taken; another point brings the second, and the warden already has the rank.
    members = [
        member.model_copy(update={"advances": member.id == BRAN}) for member in roster.members
    ]
    through = after(moor, roster.model_copy(update={"members": tuple(members)}))
    (advance,) = through.questions.values()
    offered = [choice.value for choice in advance.choices if choice.refusal is None]
    assert offered == ["second_sight", "cold_nerve"]
    without = roster.model_copy(update={"members": tuple(members[1:])})
    through = after(moor, without, told={"fielded": ALL[1:]})
    assert (bran(through).rank, bran(through).worth_rank) == ("warden", "bearer")


def test_a_warden_can_retire_for_two_candles(moor: Book) -> None:
    old = {"rank": "warden", "profession": "fiddler", "experience": 9, "traits": ["keeper"]}
    rest = {"promotions": [{"promotion": "rests", "member": BRAN}]}
    roster = crew(moor, old)
    roster = roster.model_copy(
        update={
            "members": tuple(
                member.model_copy(update={"advances": 3 * (member.id == BRAN)})
                for member in roster.members
            )
        }
    )
    through = after(moor, roster, answers=rest)
    assert [(gone.member.id, gone.fate) for gone in through.roster.departed] == [(BRAN, "at_rest")]


def test_fog_items_are_offered_in_fog_only(moor: Book) -> None:
    def sold(weather: str) -> set[str]:
        roster = crew(moor, settings={"folk": "fen", "weather": weather})
        computed = ComputedGang.of(moor, roster)
        member = roster.member(BRAN)
        rows = [*offers.traits(computed, member), *offers.items(computed, member)]
        return {offer.row.key for offer in rows}

    assert sold("fog") - sold("clear") == {"fog_lore", "fog_horn"}


def test_verses_add_up_over_the_nights(moor: Book) -> None:
    roster = crew(moor)
    told = Report(fielded=ALL, counts={"ghosts": {1: 2}, "lights": {1: 4}}, tallies={"bells": 1})
    nights = [
        make_situation(roster, "dawn", "loser", report=told),
        make_situation(roster, "mist", "level"),
        make_situation(roster, "parley", "level"),
    ]
    assert [points(moor.under(roster.settings), night) for night in nights] == [1 + 2 + 2, 2, 1]
    crag = make_situation(roster, "dawn", "winner")
    lines = [
        a_row(moor, roster.settings, "low", "Low", 20, *nights),
        a_row(moor, roster.settings, "crag", "Crag", 30, crag),
    ]
    rows = standings(moor, lines)
    assert [(row.gang, row.points, row.won) for row in rows] == [("low", 8, 0), ("crag", 3, 1)]
