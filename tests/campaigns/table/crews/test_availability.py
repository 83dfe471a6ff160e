"""Availability for a game: conditions, dice before the game, picked crews, underdogs."""

from __future__ import annotations

import pytest

from campaigns.engine import underdog
from campaigns.engine.crew import (
    PregameRolls,
    candidates,
    expect_fielded,
    find_hired,
    pick_crew,
    store_choice,
    waiting,
    worth_of,
)
from campaigns.table.crews.preparing import Preparation
from campaigns.table.crews.views import CrewForm
from gangs.engine.roster import Affliction, Departed, HiredHand, Member, Roster
from gangs.engine.valuation import member_rating
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from tests.gangs.rosters import member, roster
from tests.rules.small import row, small, text, told
from tests.world.gangs import SLUGS, shipped

WOUND = {"dice": "1d6", "absent": [1]}
CONDITIONS = [
    told("lame"),
    told("gone", absent=True, uncounted=True),
    told("laid_up", absent=True, games=2),
    told("old_wound", before=WOUND),
    told("drunk", before={"dice": "2d6", "absent": [2, 12]}),
]


@pytest.fixture(scope="module")
def book() -> Book:
    return small(conditions=CONDITIONS, campaign__departures=[told("free", for_hire=True)])


def gang(book: Book, *conditions: tuple[str, ...]) -> Roster:
    """A chief and fighters with these conditions."""
    members = [
        member("fighter" if number else "chief", items=["sword"], conditions=suffered)
        for number, suffered in enumerate(conditions)
    ]
    return roster(book, *members, games=1)


def roll(*faces: int, dice: str = "", by: str = "app") -> DiceRoll:
    """A roll with these faces."""
    dice = dice or f"{len(faces)}d6"
    return DiceRoll.model_validate({"dice": dice, "faces": faces, "thrown_by": by})


@pytest.mark.parametrize(
    ("condition", "standing"),
    [
        ("lame", "fit"),
        ("gone", "away"),
        ("laid_up", "away"),
        ("old_wound", "waits"),
        ("drunk", "waits"),
    ],
)
def test_condition_decides_whether_a_member_is_available(
    book: Book, condition: str, standing: str
) -> None:
    healthy, hurt = candidates(book, gang(book, (), (condition,)), {})
    assert (healthy.standing, hurt.standing) == ("fit", standing)
    assert len(hurt.absences) == (standing == "away")


@pytest.mark.parametrize("slug", SLUGS)
def test_every_condition_of_the_books_names_its_absence_or_dice(slug: str) -> None:
    """An absence has its condition's name, and dice have their purpose."""
    book = shipped(slug)
    for condition in book.conditions:
        one = member(book.ranks[0].key, conditions=[condition.key])
        (candidate,) = candidates(book, roster(book, one, games=1), {})
        if condition.absent:
            assert [one.condition for one in candidate.absences] == [condition]
        elif condition.before:
            assert [one.condition for one in waiting([candidate])] == [condition]
        else:
            assert candidate.standing == "fit"


def test_absence_shows_its_duration_and_captor(book: Book) -> None:
    one = member("fighter").model_copy(
        update={
            "afflictions": (
                Affliction(condition="laid_up", games_left=2),
                Affliction(condition="gone", against="The Reds"),
            )
        }
    )
    (candidate,) = candidates(book, roster(book, one, games=1), {})
    assert [(each.games, each.against) for each in candidate.absences] == [(2, ""), (0, "The Reds")]


@pytest.mark.parametrize("face", range(1, 7))
def test_an_old_wound_keeps_a_member_away_exactly_on_a_1(face: int) -> None:
    book = shipped("au-un-pour-un")
    band = roster(book, member("chef"), member("sous_chef", conditions=["old_wound"]), games=1)
    (chance,) = waiting(candidates(book, band, {}))
    assert (chance.dice, chance.absent) == ("1d6", (1,))
    _chief, hurt = candidates(book, band, {chance.key: roll(face)})
    assert hurt.standing == ("sits_out" if face == 1 else "fit")


def test_every_wound_has_its_own_die(book: Book) -> None:
    hurt = gang(book, ("old_wound", "old_wound", "drunk"))
    first, second, third = waiting(candidates(book, hurt, {}))
    assert len({first.key, second.key, third.key}) == 3
    rolls = {first.key: roll(2), second.key: roll(1), third.key: roll(3, 3)}
    assert candidates(book, hurt, rolls)[0].standing == "sits_out"
    rolls[second.key] = roll(6)
    assert candidates(book, hurt, rolls)[0].standing == "fit"
    assert candidates(book, hurt, {**rolls, third.key: roll(6, 6)})[0].standing == "sits_out"
    # A missing roll may still fail; after a failed roll no other is needed.
    assert candidates(book, hurt, {second.key: roll(6)})[0].standing == "waits"
    assert candidates(book, hurt, {second.key: roll(1)})[0].standing == "sits_out"
    assert waiting(candidates(book, hurt, {second.key: roll(1)})) == ()


def test_absent_member_does_not_roll(book: Book) -> None:
    (one,) = candidates(book, gang(book, ("old_wound", "gone")), {})
    assert (one.standing, one.chances, waiting([one])) == ("away", (), ())


def test_wrong_dice_do_not_count(book: Book) -> None:
    hurt = gang(book, ("old_wound",))
    (chance,) = waiting(candidates(book, hurt, {}))
    assert candidates(book, hurt, {chance.key: roll(3, dice="1d10")})[0].standing == "waits"


def test_crew_is_everybody_available_until_it_is_picked(book: Book) -> None:
    band = gang(book, (), (), ("gone",), ("old_wound",))
    those = candidates(book, band, {})
    assert [one.member.id for one in pick_crew(those, None)] == [1, 2]
    assert [one.member.id for one in pick_crew(those, [2, 3, 4, 99, ("x", 1)])] == [2]
    assert pick_crew(those, []) == ()
    assert store_choice(those, {"2", "3", "4", "99"}) == [2]
    assert expect_fielded(book, band, PregameRolls(), None) == {1, 2}
    assert expect_fielded(book, band, PregameRolls(), [1]) == {1}


def test_worth_of_a_crew_is_the_sum_of_its_members(book: Book) -> None:
    those = candidates(book, gang(book, (), (), ()), {})
    worth = [member_rating(book, gang(book, (), (), ()), one.member).total for one in those]
    assert worth == [14, 9, 9]
    crew = pick_crew(those, [1, 3])
    assert (len(crew), worth_of(crew)) == (2, 23)


class TestHands:
    """Hired hands, as they were when they left."""

    HAND = HiredHand(game="g", gang="home", member=7, name="Old Tom", rank="chief", paid=10)

    def home(self, *conditions: str) -> Roster:
        gone: Member = member("chief", items=["sword"], conditions=conditions)
        departed = Departed(member=gone.model_copy(update={"id": 7}), fate="free")
        return Roster(departed=(departed,))

    def test_hired_hand_plays_and_counts(self, book: Book) -> None:
        one = find_hired(book, self.home(), self.HAND, {})
        assert one is not None
        assert (one.key, one.standing, one.worth) == ("home-7", "fit", 14)
        assert store_choice([one], {"home-7"}) == [("home", 7)]
        assert pick_crew([one], [1, 2]) == ()
        assert pick_crew([one], [1, ("home", 7)]) == (one,)

    def test_hired_hand_keeps_old_wounds_but_not_missed_games(self, book: Book) -> None:
        one = find_hired(book, self.home("laid_up", "old_wound"), self.HAND, {})
        assert one is not None
        assert one.standing == "waits"
        one = find_hired(book, self.home("old_wound"), self.HAND, {one.chances[0].key: roll(1)})
        assert one is not None
        assert one.standing == "sits_out"

    def test_hired_hand_is_not_found_when_they_never_left(self, book: Book) -> None:
        assert find_hired(book, Roster(), self.HAND, {}) is None
        (gone,) = self.home().departed
        dead = Roster(departed=(gone.model_copy(update={"fate": "dead"}),))
        assert find_hired(book, dead, self.HAND, {}) is None


class TestUnderdogs:
    """Money and awards for playing against a gang with a higher rating."""

    BOOK = small(
        campaign__underdog=[
            row("alms", step=2, most=4),
            row("never", step=1, most=9, when={"people": ["hill"]}),
        ],
        campaign__awards=[
            row("any"),
            row("brave", underdog_by=3),
            row("outnumbered", underdog=150),
        ],
    )

    @pytest.mark.parametrize(
        ("ours", "theirs", "money", "awards"),
        [
            (10, 10, [], []),
            (10, 11, [], []),
            (10, 12, [1], []),
            (10, 13, [1], ["brave"]),
            (10, 15, [2], ["brave", "outnumbered"]),
            (10, 40, [4], ["brave", "outnumbered"]),
            (2, 3, [], ["outnumbered"]),
            (12, 10, [], []),
        ],
    )
    def test_weaker_of_two_gangs_is_the_underdog(
        self, ours: int, theirs: int, money: list[int], awards: list[str]
    ) -> None:
        due = underdog.dues(self.BOOK.usual, {1: ours, 2: theirs})
        assert [amount for _row, amount in due[1].money] == money
        assert [award.key for award in due[1].awards] == awards
        assert due[1].behind == max(0, theirs - ours)

    def test_difference_is_measured_to_the_strongest_of_three(self) -> None:
        due = underdog.dues(self.BOOK.usual, {1: 10, 2: 13, 3: 16})
        assert [one.behind for one in due.values()] == [6, 3, 0]
        assert [[amount for _row, amount in one.money] for one in due.values()] == [[3], [1], []]

    def test_underdog_gets_no_money_in_a_game_without_income(self) -> None:
        book = small(campaign__underdog=[row("alms", step=2, most=4)], campaign__steps=[])
        assert underdog.dues(book.usual, {1: 1, 2: 9})[1].money == ()


RESCUE = told(
    "rescue", victory=text("They leave."), brings=[{"condition": "gone", "state": "tied"}]
)


def test_scenario_brings_members_whom_players_pick() -> None:
    book = small(
        conditions=CONDITIONS,
        states=[row("tied")],
        scenarios=[RESCUE, told("duel", victory=text("."))],
    )
    band = gang(book, (), ("gone",), ("laid_up",), ("gone", "laid_up"), ("gone", "old_wound"))
    for other in ("", "duel", "unknown"):
        assert [one.standing for one in candidates(book, band, {}, other)] == ["fit", *["away"] * 4]
    those = candidates(book, band, {}, "rescue")
    assert [one.standing for one in those] == ["fit", "fit", "away", "away", "waits"]
    assert [one.key for one in pick_crew(those, None)] == ["1"]
    assert [one.key for one in pick_crew(those, [1, 2, 3])] == ["1", "2"]
    assert expect_fielded(book, band, PregameRolls(), [1, 2], "rescue") == {1, 2}
    assert expect_fielded(book, band, PregameRolls(), [1, 2], "duel") == {1}
    now = Preparation(book, band, PregameRolls(), those, pick_crew(those, None), False)
    form = CrewForm(now)
    assert form.keys == ["1", "2"]
    assert [form.fields[f"in-{key}"].initial for key in form.keys] == [True, False]
    assert "Gone: tick to bring into this scenario" in str(form.fields["in-2"].help_text)
