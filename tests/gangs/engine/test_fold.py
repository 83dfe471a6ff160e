"""Folding entries into a gang: origins, squads, halves, kept budgets, promotions, departures."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, parse
from gangs.engine.errors import Misfit
from gangs.engine.roster import Member, Rise, Roster
from rules.book.model import Book
from tests.gangs.rosters import member
from tests.rules.small import add, row, small, told, with_more
from tests.world.gangs import entries_of, played, rostered

BOOK = small()


def grow_gang(book: Book, *entries: Entry, **options: str | int) -> Roster:
    """A gang with a chief (2) and a fighter (3), after these entries."""
    gang: list[Entry] = [
        *actions.found(book, "Gang", dict(options)),
        kinds.Recruited(rank="chief", name="Anne"),
        kinds.Recruited(rank="fighter", name="Bea"),
    ]
    return rostered(book, [*gang, *entries])


def misfit(book: Book, *entries: Entry) -> str:
    with pytest.raises(Misfit) as caught:
        grow_gang(book, *entries)
    return caught.value.code


# Origins and squads


@pytest.mark.parametrize(
    ("entries", "people", "origins"),
    [
        ([], "nobody", [None, None]),
        ([], "hill", ["hill", "hill"]),
        ([kinds.OriginChosen(member=3, origin="river")], "hill", ["hill", "river"]),
        ([kinds.OriginChosen(member=3, origin="river")], "nobody", [None, "river"]),
        (
            [kinds.OriginChosen(member=3, origin="sea"), kinds.OriginChosen(member=3, origin=None)],
            "river",
            ["river", "river"],
        ),
        ([kinds.SettingsChosen(settings={"people": "river"})], "hill", ["river", "river"]),
    ],
)
def test_origin_of_a_member_is_theirs_or_the_gangs(
    entries: list[Entry], people: str, origins: list[str | None]
) -> None:
    gang = grow_gang(BOOK, *entries, people=people)
    assert [gang.origin_of(BOOK, one) for one in gang.members] == origins
    computed = ComputedGang.of(BOOK, gang)
    assert [computed.figures[one.id].origin for one in gang.members] == origins


def test_members_have_no_origin_when_the_game_has_none() -> None:
    book = small(origins=[], origin_setting=None)
    gang = grow_gang(book)
    assert [gang.origin_of(book, one) for one in gang.members] == [None, None]


def test_recruit_keeps_a_foreign_origin() -> None:
    gang = grow_gang(BOOK, kinds.Recruited(rank="scout", origin="sea"), people="hill")
    assert [one.origin for one in gang.members] == [None, None, "sea"]


@pytest.mark.parametrize(
    "entry",
    [
        kinds.Recruited(rank="scout", origin="moon"),
        kinds.OriginChosen(member=3, origin="moon"),
        kinds.Suffered(member=3, condition="love"),
        kinds.Promoted(member=3, rank="pope"),
        kinds.Left(member=3, departure="moon"),
        kinds.TraitTaken(member=3, trait="wit", advance=True),
    ],
)
def test_entry_does_not_fit_when_its_row_is_unknown(entry: Entry) -> None:
    assert misfit(BOOK, entry) == "unknown"


def test_squads_are_joined_and_left_by_name() -> None:
    gang = grow_gang(
        BOOK,
        kinds.SquadJoined(member=2, squad="Aces"),
        kinds.SquadJoined(member=3, squad="Aces"),
        kinds.SquadJoined(member=2, squad=""),
    )
    assert [one.squad for one in gang.members] == ["", "Aces"]
    assert misfit(BOOK, kinds.SquadJoined(member=9, squad="Aces")) == "no_member"


# Halves


@pytest.mark.parametrize(
    ("paid", "written"),
    [(12, "12"), (12.0, "12"), (12.5, "12.5"), (0.5, "0.5"), (0, "0"), ("12.0", "12")],
)
def test_payments_are_written_in_their_shortest_form(paid: Any, written: str) -> None:
    entry = parse({"kind": "bought", "item": "axe", "paid": paid})
    assert isinstance(entry, kinds.Bought)
    assert str(entry.paid) == written
    again = kinds.Bought.model_validate_json(entry.model_dump_json())
    assert again == entry and str(again.paid) == written


@pytest.mark.parametrize("paid", [-0.5, 0.25, 1 / 3, float("nan"), float("inf"), 2_000_000, "much"])
def test_impossible_payment_is_rejected(paid: object) -> None:
    with pytest.raises(ValidationError):
        parse({"kind": "bought", "item": "axe", "paid": paid})


@given(
    st.lists(st.integers(0, 40).map(lambda halves: halves / 2), max_size=6),
    st.lists(st.integers(0, 40).map(lambda halves: halves / 2), max_size=6),
)
def test_treasury_counts_halves_exactly(earned: list[float], paid: list[float]) -> None:
    gang = grow_gang(
        BOOK,
        played(BOOK),
        *(kinds.Earned(amount=amount, why="gift") for amount in earned),
        *(kinds.Bought(item="axe", paid=amount) for amount in paid),
    )
    assert gang.treasury == sum(earned) - sum(paid)
    assert isinstance(gang.treasury, int) or gang.treasury % 1 == 0.5
    assert Roster.model_validate_json(gang.model_dump_json()) == gang
    assert '.0"' not in gang.model_dump_json() and ".0," not in gang.model_dump_json()


# The founding budget


@pytest.mark.parametrize(
    ("amount", "kept", "earned", "overspent"),
    [(20, True, 5, 0), (20, False, 0, 0), (15, True, 0, 0), (12, True, 0, 3), (12, False, 0, 3)],
)
def test_unspent_budget_is_kept_or_lost_at_the_first_game(
    amount: int, kept: bool, earned: int, overspent: int
) -> None:
    book = small(budgets=[{"amount": amount, "kept": kept}])
    gang = grow_gang(book, played(book))
    assert (gang.earned, gang.overspent, gang.treasury) == (earned, overspent, earned)
    again = grow_gang(book, played(book), played(book, "g2"))
    assert again.earned == earned, "only the first game ends the founding"


def test_budget_keeps_its_halves() -> None:
    book = small(
        budgets=[{"amount": 20, "kept": True}],
        adjustments=[row("half", on="rank", times="1/2")],
        roundings=[{"mode": "exact"}],
    )
    assert grow_gang(book, played(book)).earned == 12.5


def test_kept_budget_uses_founding_prices() -> None:
    gift = row("gift", on="rank", times="0", phase="founding")
    book = small(budgets=[{"amount": 20, "kept": True}], adjustments=[gift])
    gang = grow_gang(book, kinds.Bought(item="axe", member=2), played(book))
    assert gang.earned == 13


@pytest.mark.parametrize(("people", "earned"), [("hill", 5), ("river", 0)])
def test_budget_depends_on_a_setting(people: str, earned: int) -> None:
    budgets = [{"amount": 20, "kept": True, "when": {"people": ["hill"]}}, {"amount": 50}]
    book = small(budgets=budgets)
    assert grow_gang(book, played(book), people=people).earned == earned


# Promotions


LEARNED = kinds.Learned(member=3, amount=14)


def promote(*before: Entry, after: tuple[Entry, ...] = (), **fields: Any) -> Member:
    gang = grow_gang(BOOK, *before, kinds.Promoted(member=3, rank="chief", **fields), *after)
    return gang.member(3)


def test_promotion_gives_the_new_profile() -> None:
    one = promote()
    assert (one.rank, one.worth_rank, one.base_rank, one.rises) == ("chief", "chief", "", ())


def test_promotion_may_keep_the_profile_and_price() -> None:
    one = promote(profile="kept", keeps_price=True)
    assert (one.rank, one.worth_rank, one.base_rank, one.rises) == (
        "chief",
        "fighter",
        "fighter",
        (),
    )


def test_promotion_may_give_the_better_profile() -> None:
    trait = kinds.TraitTaken(member=3, trait="quick")
    one = promote(trait, profile="best")
    assert (one.base_rank, one.rises) == ("fighter", (Rise(rank="chief", traits=1),))


def test_kept_profile_is_kept_at_the_next_promotion() -> None:
    again = kinds.Promoted(member=3, rank="scout", profile="kept")
    assert promote(profile="kept", after=(again,)).base_rank == "fighter"
    new = kinds.Promoted(member=3, rank="scout")
    one = promote(profile="best", after=(new,))
    assert (one.base_rank, one.rises) == ("", ())


@pytest.mark.parametrize(("dropped", "traits"), [("quick", 0), ("lucky", 1), ("late", 1)], ids=str)
def test_returned_trait_moves_a_promotion(dropped: str, traits: int) -> None:
    """The promotion came after the first trait; once that is returned, it comes after none."""
    book = with_more(traits=told("late"))
    gang = grow_gang(
        book,
        kinds.TraitTaken(member=3, trait="quick"),
        kinds.Promoted(member=3, rank="chief", profile="best"),
        kinds.TraitTaken(member=3, trait="lucky"),
        kinds.TraitTaken(member=3, trait="late"),
        kinds.TraitDropped(member=3, trait=dropped),
    )
    assert gang.member(3).rises == (Rise(rank="chief", traits=traits),)


def test_promotion_may_restart_experience() -> None:
    learned = kinds.TraitTaken(member=3, trait="quick", advance=True)
    one = promote(LEARNED, learned, restarts=True, after=(kinds.Learned(member=3, amount=3),))
    assert (one.experience, one.experience_before, one.experience_at_rank) == (17, 14, 3)
    assert one.advances == 0
    one = promote(LEARNED, learned)
    assert (one.experience_at_rank, one.advances) == (14, 1)


def test_advances_are_counted() -> None:
    one = promote(LEARNED, kinds.TraitTaken(member=3, trait="quick", advance=True), advance=True)
    assert one.advances == 2
    assert promote(LEARNED, kinds.TraitTaken(member=3, trait="quick")).advances == 0


def test_promoted_member_has_the_better_of_each_value() -> None:
    """A quick fighter becomes a chief and has the better of each value."""
    book = small(traits=[told("quick", price=2, effects=[add("aim", -1)])])
    gang = grow_gang(
        book,
        kinds.TraitTaken(member=3, trait="quick"),
        kinds.Promoted(member=3, rank="chief", profile="best", keeps_price=True),
    )
    scores = ComputedGang.of(book, gang).profiles[3].scores
    shown = {key: str(score.value) for key, score in scores.items()}
    assert (shown["might"], shown["aim"], shown["grit"]) == ("5", "4", "D10")


# Leaving


DEPARTURES = small(campaign__departures=[told("retired", for_hire=True)])
AXE = kinds.Bought(item="axe", member=3)


@pytest.mark.parametrize(
    ("gear", "carried", "stash"), [("lost", [], []), ("stash", [], ["axe"]), ("kept", ["axe"], [])]
)
def test_departure_decides_where_gear_goes(gear: Any, carried: list[str], stash: list[str]) -> None:
    gone = kinds.Left(member=3, departure="retired", gear=gear)
    gang = grow_gang(DEPARTURES, AXE, played(DEPARTURES), gone)
    (departed,) = gang.departed
    assert (departed.fate, departed.member.name) == ("retired", "Bea")
    assert [owned.key for owned in departed.member.items] == carried
    assert [owned.key for owned in gang.stash] == stash
    assert [one.id for one in gang.members] == [2]


@pytest.mark.parametrize(("gear", "stash"), [("lost", []), ("stash", ["axe"])])
def test_dead_member_leaves_gear_or_takes_it_along(gear: Any, stash: list[str]) -> None:
    gang = grow_gang(BOOK, AXE, played(BOOK), kinds.Died(member=3, gear=gear))
    assert [one.fate for one in gang.departed] == ["dead"]
    assert [owned.key for owned in gang.stash] == stash


def test_member_who_leaves_before_the_first_game_leaves_no_trace() -> None:
    gone = kinds.Left(member=3, departure="retired", gear="stash")
    gang = grow_gang(DEPARTURES, AXE, gone)
    assert (gang.departed, gang.stash) == ((), ())


# Conditions, fines and recruits


def test_grudge_records_its_target() -> None:
    book = with_more(conditions=told("grudge", against=True))
    gang = grow_gang(
        book,
        kinds.Suffered(member=3, condition="grudge", against="The Reds"),
        kinds.Suffered(member=3, condition="lame", games=2),
        played(book),
    )
    kept = [(one.condition, one.games_left, one.against) for one in gang.member(3).afflictions]
    assert kept == [("grudge", 0, "The Reds"), ("lame", 1, "")]


@pytest.mark.parametrize("games", [0, 1, 3])
def test_condition_ends_after_its_games(games: int) -> None:
    entries: list[Entry] = [kinds.Suffered(member=3, condition="lame", games=games)]
    left = []
    for number in range(4):
        entries.append(played(BOOK, f"g{number}"))
        left.append(len(grow_gang(BOOK, *entries).member(3).afflictions))
    assert left == ([1] * 4 if games == 0 else [1] * (games - 1) + [0] * (5 - games))


def test_a_fine_comes_out_of_the_treasury() -> None:
    gang = grow_gang(
        BOOK, played(BOOK), kinds.Earned(amount=5, why="result"), kinds.Fined(member=3, paid=2)
    )
    assert gang.treasury == 3


def test_recruits_since_the_last_game_are_counted_by_rank() -> None:
    recruit = kinds.Recruited(rank="scout")
    gang = grow_gang(BOOK, recruit, played(BOOK), recruit, kinds.Recruited(rank="chief"))
    assert gang.ranks_since_game == ("scout", "chief")
    assert (
        grow_gang(BOOK, recruit, played(BOOK), recruit, played(BOOK, "g2")).ranks_since_game == ()
    )


def test_roster_helper_builds_what_the_entries_build() -> None:
    """The gang has exactly what ``rosters.member`` describes."""
    said = member(
        "fighter",
        name="Bea",
        origin="sea",
        squad="A",
        profession="cook",
        points={"might": 1},
        traits=["quick"],
        items=["axe", "rope"],
        conditions=["lame"],
        experience=4,
    )
    gang = rostered(BOOK, entries_of(BOOK, member("chief"), said, people="hill"))
    assert gang.settings["people"] == "hill"
    made = gang.members[1]
    assert [owned.key for owned in made.items] == ["axe", "rope"]
    assert made.model_copy(update={"id": 0, "items": ()}) == said.model_copy(update={"items": ()})
