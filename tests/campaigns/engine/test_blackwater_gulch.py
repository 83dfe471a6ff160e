"""The post-game of Blackwater Gulch, row by row, played without a database."""

from __future__ import annotations

import pytest

from campaigns.engine import captives
from campaigns.engine.captives import Terms
from campaigns.engine.report import TAKEN_OUT, Answers, Hire, PromotionAnswer
from campaigns.engine.script import points_earned
from campaigns.engine.script_state import Playthrough
from gangs.engine.fold import apply
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating, member_rating
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.profiles import profile
from tests.gangs.rosters import codes, member, roster
from tests.world.campaigns import make_situation, report_on, rolled_out
from tests.world.gangs import shipped

LEADER, DOC, SHOT, ANN, BOB = range(1, 6)
DONE = ("new_leader", "recruits")
GEAR = ("bowie_knife", "remington_army", "mule")
WORTH = 3 + 4
WEAK = {"str": "1", "qui": "2", "sta": "3", "int": "4", "mc": "5", "rc": "6"}


@pytest.fixture
def book() -> Book:
    return shipped("blackwater-gulch")


def gang(
    book: Book,
    *,
    earned: int = 0,
    experience: int = 0,
    conditions: tuple[str, ...] = (),
    settings: Settings | None = None,
    ranks: tuple[str, ...] = ("leader", "professional", "professional", "henchman", "henchman"),
) -> Roster:
    """Return a leader, two professionals and two henchmen in their second game.

    The first professional has a knife, a revolver and a mule.
    """
    members = []
    for number, rank in enumerate(ranks, start=1):
        profession = None if rank == "henchman" else "gunslinger"
        one = member(
            rank,
            profession=profession,
            items=GEAR if number == DOC else (),
            experience=experience,
            conditions=conditions if number == DOC else (),
        )
        members.append(one)
    return roster(book, *members, games=1, earned=earned, settings=settings)


def run_postgame(
    book: Book,
    before: Roster,
    marks: dict[int, str] | None = None,
    *rolls: str,
    side: str = "loser",
    rating: tuple[int, int] = (400, 400),
    answers: Answers | None = None,
    **told: object,
) -> Playthrough:
    """Play the post-game; ``rating`` is the gang's own fame and the opponent's."""
    game_report = make_situation(
        before,
        "draw" if side == "level" else "victory",
        side,
        report=report_on(before, marks=marks or {}, **told),
        rating=rating[0],
        opponents=(rating[1],),
        opponent_names=("Them",),
    )
    return rolled_out(book, before, game_report, answers or Answers(done=DONE), *rolls)


def suffers(through: Playthrough, who: int = DOC) -> list[tuple[str, int]]:
    return [(got.condition, got.games_left) for got in through.roster.member(who).afflictions]


def carried(gang: Roster, who: int = DOC) -> list[str]:
    return [owned.key for owned in gang.member(who).items]


def number(book: Book, gang: Roster, who: int, key: str) -> int:
    return profile(book.under(gang.settings), gang.figure(book, gang.member(who))).number(key)


# Injuries, by the sum of two dice


def test_injury_2_kills_and_loses_equipment_and_horse(book: Book) -> None:
    before = gang(book)
    through = run_postgame(book, before, {DOC: "out"}, "1 1")
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [DOC]
    assert through.roster.stash == ()
    assert gang_rating(book, before).total - gang_rating(book, through.roster).total == (
        75 + WORTH + 10 - 4
    ), "the fame loses the member's worth and gains a point for each of the others"


def test_injury_3_is_captivity(book: Book) -> None:
    answers = Answers(done=DONE, choices={f"ransoms:{DOC}": "stay"})
    through = run_postgame(book, gang(book), {DOC: "out"}, "1 2", answers=answers)
    assert through.complete
    assert suffers(through) == [("captured", 0)]
    assert through.roster.member(DOC).afflictions[0].against == "Them"
    assert carried(through.roster) == list(GEAR)


@pytest.mark.parametrize("dice", ["1 3", "2 3", "1 4"])
@pytest.mark.parametrize("key", WEAK)
def test_injury_4_or_5_weakens_an_attribute_for_a_game(book: Book, dice: str, key: str) -> None:
    before = gang(book)
    through = run_postgame(book, before, {DOC: "out"}, dice, WEAK[key])
    assert through.complete
    assert suffers(through) == [(f"weak_{key}", 1)]
    changed = {
        one: number(book, through.roster, DOC, one) - number(book, before, DOC, one) for one in WEAK
    }
    assert changed == dict.fromkeys(WEAK, 0) | {key: -1}
    after = run_postgame(book, through.roster)
    assert suffers(after) == []
    assert number(book, after.roster, DOC, key) == number(book, before, DOC, key)


@pytest.mark.parametrize(("face", "lost"), [("1", "bowie_knife"), ("2", "remington_army")])
def test_injury_6_takes_a_weapon_but_not_the_horse(book: Book, face: str, lost: str) -> None:
    through = run_postgame(book, gang(book), {DOC: "out"}, "1 5", face)
    assert through.complete
    assert carried(through.roster) == [key for key in GEAR if key != lost]
    assert through.roster.stash == ()


def test_injury_6_takes_nothing_from_an_unarmed_member(book: Book) -> None:
    through = run_postgame(book, gang(book), {ANN: "out"}, "3 3")
    assert through.complete
    assert suffers(through, ANN) == []


@pytest.mark.parametrize(
    ("dice", "lessons"),
    [
        (("1 6",), 0),
        (("2 6",), 0),
        (("3 6",), 0),
        (("4 6",), 0),
        (("5 6",), 1),
        (("6 6", "1"), 1),
        (("6 6", "2"), 2),
        (("6 6", "3"), 3),
    ],
)
def test_injury_7_or_more_only_brings_experience(
    book: Book, dice: tuple[str, ...], lessons: int
) -> None:
    through = run_postgame(book, gang(book), {DOC: "out"}, *dice)
    assert through.complete
    assert suffers(through) == []
    assert carried(through.roster) == list(GEAR)
    assert through.roster.member(DOC).experience == 1 + lessons


def test_injuries_are_not_rolled_when_they_are_left_out(book: Book) -> None:
    through = run_postgame(book, gang(book, settings={"injuries": "no"}), {DOC: "out"})
    assert through.complete and not through.requests


# Experience and growth


@pytest.mark.parametrize("side", ["winner", "loser", "level"])
@pytest.mark.parametrize("intimidating", [False, True])
@pytest.mark.parametrize("count", [0, 1, 4])
def test_experience_is_given_for_playing_kills_wins_and_strong_enemies(
    book: Book, side: str, intimidating: bool, count: int
) -> None:
    """One point for taking part, one for each enemy out, one for the win.

    Everybody earns one more when the opponent's fame is a tenth above their own.
    """
    counts = {TAKEN_OUT: {ANN: count} if count else {}}
    told = {"fielded": (LEADER, DOC, SHOT, ANN), "counts": counts}
    rating = (400, 440) if intimidating else (400, 439)
    through = run_postgame(book, gang(book), side=side, rating=rating, **told)
    there = 1 + (side == "winner") + intimidating
    assert {one.id: one.experience for one in through.roster.members} == {
        **dict.fromkeys((LEADER, DOC, SHOT), there),
        ANN: there + count,
        BOB: int(intimidating),
    }


@pytest.mark.parametrize(("had", "points"), [(0, 0), (3, 0), (4, 1), (8, 0), (9, 1), (14, 1)])
def test_every_fifth_experience_gives_a_point(book: Book, had: int, points: int) -> None:
    before = gang(book, experience=had)
    through = run_postgame(book, before)
    earned = points_earned(book, before, through.roster)
    assert {member.id: count for member, count in earned} == (
        dict.fromkeys(range(1, 6), points) if points else {}
    )
    assert member_rating(book, through.roster, through.roster.member(BOB)).total == 50 + had + 1


@pytest.mark.parametrize(("ceiling", "reached"), [(0, 12), (10, 10), (11, 11), (50, 12)])
def test_experience_stops_at_the_ceiling(book: Book, ceiling: int, reached: int) -> None:
    before = gang(book, experience=10, settings={"xp_ceiling": ceiling})
    through = run_postgame(book, before, side="winner")
    assert {one.experience for one in through.roster.members} == {reached}


def test_nobody_earns_experience_when_it_is_left_out(book: Book) -> None:
    through = run_postgame(book, gang(book, settings={"experience": "no"}), side="winner")
    assert {one.experience for one in through.roster.members} == {0}


# Treasury


@pytest.mark.parametrize(("side", "money"), [("winner", 10), ("loser", 5), ("level", 7)])
@pytest.mark.parametrize("nuggets", [0, 1, 4])
def test_income_depends_on_result_and_nuggets(
    book: Book, side: str, money: int, nuggets: int
) -> None:
    through = run_postgame(book, gang(book), side=side, tallies={"nuggets": nuggets})
    assert through.roster.treasury == money + 5 * nuggets


@pytest.mark.parametrize(("rank", "price"), [("henchman", 50), ("professional", 75)])
@pytest.mark.parametrize("short", [0, 1])
def test_recruit_costs_the_base_price(book: Book, rank: str, price: int, short: int) -> None:
    before = gang(book, earned=price - 5 - short)
    answers = Answers(done=DONE, recruits=(Hire(rank=rank, name="Eve"),))
    through = run_postgame(book, before, answers=answers)
    assert through.complete == (not short)
    refused = [unmet.refusal.code for unmet in through.step("recruits").refused]
    assert refused == ["too_dear"] * short
    assert through.roster.treasury == (price - 1 if short else 0)
    if not short:
        eve = through.roster.members[-1]
        assert (eve.rank, eve.experience, eve.items) == (rank, 0, ())


def test_second_leader_cannot_be_recruited(book: Book) -> None:
    answers = Answers(done=DONE, recruits=(Hire(rank="leader", name="Eve"),))
    through = run_postgame(book, gang(book, earned=200), answers=answers)
    assert [unmet.refusal.code for unmet in through.step("recruits").refused] == ["beyond_limit"]
    assert "Eve" not in {member.name for member in through.roster.members}


def test_gang_earns_nothing_when_money_is_left_out(book: Book) -> None:
    through = run_postgame(
        book, gang(book, settings={"money": "no"}), side="winner", tallies={"nuggets": 3}
    )
    assert through.roster.treasury == 0
    assert "recruits" not in [state.step.key for state in through.steps]


# Captives


def test_ransom_is_the_worth_of_the_captive(book: Book) -> None:
    """The base price, experience and weapons count; the horse does not."""
    before = gang(book, earned=200, experience=6, conditions=("captured",))
    [held] = captives.find_held(book, before)
    assert held.price == 75 + 6 + WORTH
    terms = Terms(frees=(("giver", DOC),), ransom=held.price, payer="giver")
    [back] = captives.entries_for(terms, "giver", book, before)
    [paid] = captives.entries_for(terms, "taker", book, gang(book))
    freed = apply(book, before, 100, back)
    assert (freed.treasury, freed.member(DOC).afflictions) == (200 - held.price, ())
    assert apply(book, gang(book), 100, paid).treasury == held.price


@pytest.mark.parametrize(("decided", "there"), [("stay", True), ("freed", True), ("lost", False)])
def test_captive_without_a_ransom_waits_is_freed_or_is_lost(
    book: Book, decided: str, there: bool
) -> None:
    before = gang(book, conditions=("captured",))
    asked = run_postgame(book, before)
    assert asked.step("ransoms").status == "open"
    answers = Answers(done=DONE, choices={f"ransoms:{DOC}": decided})
    through = run_postgame(book, before, answers=answers)
    assert through.complete
    assert (DOC in {one.id for one in through.roster.members}) == there
    assert through.roster.stash == ()
    if there:
        assert suffers(through) == ([("captured", 0)] if decided == "stay" else [])


# A new leader


def test_any_professional_can_replace_a_dead_leader(book: Book) -> None:
    """They get a leader's hits, defence and luck but keep their worth and their points."""
    before = gang(book)
    worth = member_rating(book, before, before.member(DOC)).total
    assert (number(book, before, DOC, "hp"), number(book, before, DOC, "dp")) == (2, 2)
    waiting = run_postgame(
        book, before, {LEADER: "out"}, "1 1", answers=Answers(done=("recruits",))
    )
    (rise,) = waiting.step("new_leader").promotions
    assert {one.id for one in rise.candidates} == {DOC, SHOT}
    answers = Answers(done=DONE, promotions=(PromotionAnswer(promotion="new_leader", member=DOC),))
    through = run_postgame(book, before, {LEADER: "out"}, "1 1", answers=answers)
    assert through.complete
    leader = through.roster.member(DOC)
    assert (leader.rank, through.roster.treasury) == ("leader", 5)
    assert (number(book, through.roster, DOC, "hp"), number(book, through.roster, DOC, "dp")) == (
        3,
        3,
    )
    assert member_rating(book, through.roster, leader).total == worth + 1
    assert points_earned(book, before, through.roster) == []


def test_promotion_refuses_a_second_leader_and_a_henchman(book: Book) -> None:
    for marks, rolls, who, code in (
        ({}, (), DOC, "promotion_full"),
        ({LEADER: "out"}, ("1 1",), ANN, "gone"),
    ):
        answers = Answers(promotions=(PromotionAnswer(promotion="new_leader", member=who),))
        state = run_postgame(book, gang(book), marks, *rolls, answers=answers).step("new_leader")
        assert [unmet.refusal.code for unmet in state.refused] == [code]


# Limits after losses


def test_broken_limits_only_warn_after_losses(book: Book) -> None:
    """At the founding they are errors."""
    ranks = ("leader", "professional", "professional", "henchman", "professional")
    founding = gang(book, ranks=ranks).model_copy(update={"played": ()})
    assert "half_henchmen error" in codes(book, founding)
    assert "half_henchmen warning" in codes(book, gang(book, ranks=ranks))
    few = run_postgame(book, gang(book), {ANN: "out"}, "1 1").roster
    assert {"min_size warning", "half_henchmen warning"} <= set(codes(book, few))
    assert not any(code.endswith("error") for code in codes(book, few) if "min_size" in code)
