"""The post-game of Du sang sur la lame, row by row, played without a database."""

from __future__ import annotations

import pytest

from campaigns.engine.report import Answers, Hire, PromotionAnswer
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from gangs.engine import actions, offers
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import apply
from gangs.engine.roster import Roster
from gangs.engine.valuation import member_rating
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes, member, roster
from tests.world.campaigns import make_situation, report_on
from tests.world.gangs import rostered, shipped

LEADER, SECOND, FIRST, LAST = 1, 2, 3, 4
DONE = ("promotions", "recruits")
UNITS: Settings = {"figures": "units"}


@pytest.fixture
def book() -> Book:
    return shipped("du-sang-sur-la-lame")


def band(
    book: Book,
    ranks: tuple[str, ...] = ("leader", "second", "henchman", "henchman"),
    *,
    settings: Settings | None = None,
    earned: int = 0,
    traits: dict[int, tuple[str, ...]] | None = None,
) -> Roster:
    """Return a band in its second game."""
    members = [
        member(rank, traits=(traits or {}).get(number, ()))
        for number, rank in enumerate(ranks, start=1)
    ]
    return roster(book, *members, games=1, earned=earned, settings=settings)


def run_postgame(
    book: Book,
    before: Roster,
    dead: tuple[int, ...] = (),
    *,
    result: str = "crushing",
    side: str = "loser",
    answers: Answers | None = None,
    **told: object,
) -> Playthrough:
    report = report_on(before, marks=dict.fromkeys(dead, "dead"), **told)
    game_report = make_situation(before, result, side, report=report)
    return play(book, before, 100, game_report, answers or Answers(done=DONE))


def refusal_codes(through: Playthrough, step: str) -> list[str]:
    return [unmet.refusal.code for unmet in through.step(step).refused]


def ranks(gang: Roster) -> dict[int, str]:
    return {one.id: one.rank for one in gang.members}


def rise(promotion: str, who: int) -> Answers:
    return Answers(done=DONE, promotions=(PromotionAnswer(promotion=promotion, member=who),))


def hire(*wanted: str) -> Answers:
    return Answers(done=DONE, recruits=tuple(Hire(rank=rank) for rank in wanted))


# Rewards


@pytest.mark.parametrize(
    ("result", "side", "money", "settings"),
    [
        ("crushing", "winner", 4, {}),
        ("crushing", "loser", 1, {}),
        ("inglorious", "winner", 2, {}),
        ("inglorious", "loser", 1, {}),
        ("draw", "level", 2, {}),
        ("nobody_one", "level", 1, {}),
        ("nobody_nothing", "level", 0, {"nobody_met": "nothing"}),
    ],
)
def test_each_result_pays_its_reward(
    book: Book, result: str, side: str, money: int, settings: Settings
) -> None:
    through = run_postgame(book, band(book, settings=settings), result=result, side=side)
    assert through.complete
    assert through.roster.treasury == money


@pytest.mark.parametrize("agreed", [0, 1, 7])
def test_players_agree_on_the_reward_when_there_are_more_than_two(book: Book, agreed: int) -> None:
    before = band(book, ("second", "henchman", "henchman"), settings={"players": "more"})
    through = run_postgame(book, before, result="agreed", side="level", money=agreed)
    assert through.roster.treasury == agreed


def test_money_left_in_the_purse_is_lost(book: Book) -> None:
    founded = rostered(book, actions.found_from_sample(book, book.samples[0]))
    short = founded.model_copy(update={"members": founded.members[:-1]})
    assert run_postgame(book, short).roster.treasury == 1


# Losses


def test_removed_members_are_dead_and_the_others_heal(book: Book) -> None:
    through = run_postgame(book, band(book), (FIRST,))
    assert through.complete
    assert [(gone.member.id, gone.fate) for gone in through.roster.departed] == [(FIRST, "dead")]
    assert all(one.afflictions == () and one.experience == 0 for one in through.roster.members)


def test_band_without_a_leader_or_with_two_members_may_play(book: Book) -> None:
    through = run_postgame(book, band(book), (LEADER, FIRST))
    assert through.complete
    said = codes(book, through.roster)
    assert "DS-E01 warning" in said and "DS-E04 warning" in said
    assert not {"DS-E01 error", "DS-E04 error"} & set(said)


# Promotions


@pytest.mark.parametrize(
    ("ranks_before", "settings", "dead", "promotion", "who", "to", "price"),
    [
        ((), {}, LEADER, "new_leader", SECOND, "leader", 2),
        ((), {"figures": "mixed"}, LEADER, "new_leader", SECOND, "leader", 2),
        ((), {}, SECOND, "new_second", FIRST, "second", 1),
        (("elite", "trained", "green", "green"), UNITS, 1, "new_elite", 2, "elite", 2),
        (("elite", "trained", "green", "green"), UNITS, 2, "new_trained", 3, "trained", 1),
        (("second", "henchman"), {"players": "more"}, 1, "only_second", 2, "second", 1),
        (("trained", "green"), UNITS | {"players": "more"}, 1, "only_trained", 2, "trained", 1),
    ],
)
def test_each_promotion_costs_its_price(
    book: Book,
    ranks_before: tuple[str, ...],
    settings: Settings,
    dead: int,
    promotion: str,
    who: int,
    to: str,
    price: int,
) -> None:
    """The price may take the last coin; with one coin less the promotion is refused."""
    shape = ranks_before or ("leader", "second", "henchman", "henchman")
    if settings == {"figures": "mixed"}:
        shape = ("leader", "second", "green", "green")
    more = settings.get("players") == "more"
    income = 0 if more else 1
    result, side = ("agreed", "level") if more else ("crushing", "loser")
    for missing in (0, 1):
        earned = price - income - missing
        before = band(book, shape, settings=settings)
        before = before.model_copy(update={"earned": earned})
        through = run_postgame(
            book, before, (dead,), result=result, side=side, answers=rise(promotion, who)
        )
        assert through.complete == (not missing)
        assert refusal_codes(through, "promotions") == ["too_dear"] * missing
        assert ranks(through.roster)[who] == (shape[who - 1] if missing else to)
        if not missing:
            assert through.roster.treasury == 0


def test_promoted_figure_keeps_its_traits_and_their_cost(book: Book) -> None:
    before = band(book, traits={SECOND: ("lucky",)}, earned=1)
    through = run_postgame(book, before, (LEADER,), answers=rise("new_leader", SECOND))
    leader = through.roster.member(SECOND)
    assert leader.traits == ("lucky",)
    assert member_rating(book, through.roster, leader).total == 4 + 1
    assert through.roster.treasury == 0


def test_promotion_refuses_a_henchman_as_leader_and_a_third_second(book: Book) -> None:
    through = run_postgame(book, band(book), (LEADER,), answers=rise("new_leader", FIRST))
    assert refusal_codes(through, "promotions") == ["gone"]
    full = band(book, ("leader", "second", "second", "henchman"), earned=9)
    assert refusal_codes(run_postgame(book, full, answers=rise("new_second", 4)), "promotions") == [
        "promotion_full"
    ]
    # When one of two seconds rises, a henchman may take their place in the same post-game.
    both = Answers(
        done=DONE,
        promotions=(
            PromotionAnswer(promotion="new_leader", member=2),
            PromotionAnswer(promotion="new_second", member=4),
        ),
    )
    through = run_postgame(book, full, (1,), answers=both)
    assert through.complete
    assert ranks(through.roster) == {2: "leader", 3: "second", 4: "second"}
    assert through.roster.treasury == 9 + 1 - 3


# Recruits


@pytest.mark.parametrize(("rank", "price"), [("leader", 4), ("second", 2), ("henchman", 1)])
def test_recruits_cost_their_normal_price(book: Book, rank: str, price: int) -> None:
    """A new leader may also be bought."""
    before = band(book, earned=price - 1)
    through = run_postgame(book, before, (LEADER,), answers=hire(rank))
    assert through.complete
    assert (through.roster.treasury, through.roster.members[-1].rank) == (0, rank)
    short = band(book).model_copy(update={"earned": price - 2})
    assert refusal_codes(run_postgame(book, short, (LEADER,), answers=hire(rank)), "recruits") == [
        "too_dear"
    ]


def test_trait_costs_one_coin(book: Book) -> None:
    after = run_postgame(book, band(book), side="winner").roster
    second = after.member(SECOND)
    prices = {offer.price for offer in offers.traits(ComputedGang.of(book, after), second)}
    assert prices == {1}
    [taken] = actions.take_trait(ComputedGang.of(book, after), SECOND, "lucky")
    after = apply(book, after, 500, taken)
    assert after.treasury == 4 - 1
    free = [
        offer.row.key
        for offer in offers.traits(ComputedGang.of(book, after), after.member(SECOND))
        if offer.refusal is None
    ]
    assert free == [], "a second has at most one trait"


@pytest.mark.parametrize(
    ("cap", "rooms"),
    [
        # A band of four loses one member, then hires as many as it may, twice.
        ("session", [4, 4]),
        ("size", [1, 0]),
        ("total", [4, 0]),
    ],
)
def test_each_cap_limits_the_recruits(book: Book, cap: str, rooms: list[int]) -> None:
    gang = band(book, settings={"recruit_cap": cap}, earned=50)
    for number, room in enumerate(rooms):
        dead = (LAST,) if number == 0 else ()
        asked = run_postgame(book, gang, dead, answers=Answers(done=("promotions",)))
        hiring = asked.step("recruits").hiring
        assert hiring is not None
        possible = min(room, 7 - len(asked.roster.members))
        assert hiring.room == possible, "a band has at most seven members"
        through = run_postgame(book, gang, dead, answers=hire(*["henchman"] * (room + 1)))
        beyond = ["beyond_limit"] * (room - possible)
        assert refusal_codes(through, "recruits") == [
            *beyond,
            "recruits_used_up" if not beyond else "beyond_limit",
        ]
        gang = run_postgame(book, gang, dead, answers=hire(*["henchman"] * room)).roster
    assert len(gang.members) == min(7, 3 + sum(rooms))
