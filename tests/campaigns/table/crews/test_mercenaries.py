"""Mercenaries: their price, the gangs that can hire them, and the ledger's entries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine import mercenaries
from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, fold, refold
from gangs.engine.roster import Departed, Roster
from gangs.text.entries import Describer
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.rules.small import row, small, told
from tests.world.gangs import entries_of, played, shipped

LEFT = [told("free", for_hire=True), told("retired")]


@pytest.fixture(scope="module")
def book() -> Book:
    return small(campaign__departures=LEFT, conditions=[told("held", absent=True)])


def home(book: Book, *members: object, fate: str = "free") -> Roster:
    """A gang whose members have all left."""
    made = roster(book, *members, games=1)  # type: ignore[arg-type]
    gone = tuple(Departed(member=one, fate=fate) for one in made.members)
    return made.model_copy(update={"members": (), "departed": gone})


def test_price_matches_the_example_of_the_fact_sheet() -> None:
    """Chief at departure, gear 12 points, 23 experience: 50 + 12 + 4 = 66."""
    book = shipped("au-un-pour-un")
    gear = [item.key for item in book.items if item.price == 6 and "sidearm" not in item.tags][:2]
    chief = member("chef", items=gear, experience=23)
    for fate in ("for_hire", "legend"):
        (one,) = mercenaries.pool(book, [("g", home(book, chief, fate=fate))])
        assert one.price == 50 + 12 + 4 == 66
    for fate in ("retired", "dead", "dismissed"):
        assert mercenaries.pool(book, [("g", home(book, chief, fate=fate))]) == ()


def test_price_counts_experience_of_all_sheets() -> None:
    """A promotion begins a new sheet; the price counts all experience of the member."""
    book = shipped("au-un-pour-un")
    chief = member("chef", experience=35).model_copy(update={"experience_before": 30})
    (one,) = mercenaries.pool(book, [("g", home(book, chief, fate="legend"))])
    assert one.price == 50 + 7


def test_captive_is_not_for_hire(book: Book) -> None:
    held, free = member("fighter", conditions=["held"]), member("fighter")
    pool = mercenaries.pool(book, [("g", home(book, held, free))])
    assert [one.whom for one in pool] == [("g", 2)]


def test_game_without_rating_has_no_mercenaries() -> None:
    book = small(rating=None, campaign__departures=LEFT)
    assert mercenaries.pool(book, [("g", home(book, member("fighter")))]) == ()


def why(book: Book, hirer: Roster, *taken: tuple[str, int]) -> str:
    (one,) = mercenaries.pool(book, [("g", home(book, member("fighter", items=["sword"])))])
    assert one.price == 9
    refusal = mercenaries.why_not(book, hirer, "tonight", one, set(taken))
    return refusal.code if refusal else ""


def test_hire_is_refused_without_money_before_a_game_or_beyond_the_limit(book: Book) -> None:
    rich = roster(book, member("chief"), games=1, earned=9)
    assert why(book, rich) == ""
    assert why(book, rich, ("g", 2)) == ""
    assert why(book, rich, ("g", 1)) == "hired_already"
    assert why(book, roster(book, member("chief"), games=1, earned=8)) == "too_dear"
    assert why(book, roster(book, member("chief"))) == "hires_later"
    other = kinds.Hired(game="tonight", gang="x", member=1, rank="chief")
    assert why(book, apply(book, rich, 90, other)) == "hires_full"
    assert why(book, apply(book, rich, 90, other.model_copy(update={"game": "later"}))) == ""
    same = kinds.Hired(game="tonight", gang="g", member=1, rank="chief")
    assert why(book, apply(book, rich, 90, same)) == "hired_already"


@pytest.mark.parametrize("hires", [0, 1, 3])
def test_number_of_hires_for_a_game_is_limited(hires: int) -> None:
    book = small(campaign__departures=LEFT, campaign__hires=hires)
    pool = mercenaries.pool(book, [("g", home(book, *[member("fighter")] * 5))])
    gang = roster(book, member("chief"), games=1, earned=100)
    for number, one in enumerate(pool):
        if number < hires:
            gang = apply(book, gang, 50, mercenaries.hire(book, gang, "tonight", one, ()))
        else:
            with pytest.raises(Refusal, match="hires_full"):
                mercenaries.hire(book, gang, "tonight", one, ())
    assert len(gang.hired) == hires


def test_mercenary_is_free_in_a_game_without_income() -> None:
    book = small(campaign__departures=LEFT, campaign__steps=[])
    (one,) = mercenaries.pool(book, [("g", home(book, member("fighter")))])
    assert mercenaries.work_out_pay(book, roster(book, member("chief")), one) == 0
    entry = mercenaries.hire(book, roster(book, member("chief")), "tonight", one, ())
    assert (one.price, entry.paid) == (5, 0)


# The ledger


def hired(game: str = "tonight", member: int = 1, paid: int = 9) -> kinds.Hired:
    return kinds.Hired(game=game, gang="g", member=member, name="Tom", rank="chief", paid=paid)


def test_mercenary_is_paid_and_goes_home_after_the_game(book: Book) -> None:
    before = roster(book, member("chief"), games=1, earned=20)
    after = apply(book, apply(book, before, 50, hired()), 51, hired("another", 2))
    assert (after.treasury, [hand.game for hand in after.hired]) == (2, ["tonight", "another"])
    assert after.members == before.members
    played_out = apply(book, after, 52, played(book, "tonight", 1))
    assert ([hand.game for hand in played_out.hired], played_out.treasury) == (["another"], 2)


def test_impossible_hire_does_not_fit(book: Book) -> None:
    gang = apply(book, roster(book, member("chief"), games=1), 50, hired())
    with pytest.raises(Misfit, match="hired_twice"):
        apply(book, gang, 51, hired())
    over = apply(book, gang, 51, played(book, "tonight", 1))
    with pytest.raises(Misfit, match="played_already"):
        apply(book, over, 52, hired(member=2))


def test_hire_is_described_with_name_and_price(book: Book) -> None:
    describer = Describer(book, roster(book, member("chief"), games=1))
    assert describer.describe(hired()) == "Tom was hired for one game (9 gold)."
    nameless = hired(paid=0).model_copy(update={"name": ""})
    assert describer.describe(nameless) == "Chief was hired for one game."


@pytest.mark.long
@given(st.data())
def test_hiring_and_sending_back_changes_nothing(data: st.DataObject) -> None:
    """After any other actions, striking the hires leaves the gang exactly as if nobody had been
    hired."""
    book = small(campaign__departures=LEFT)
    base: list[Entry] = [*entries_of(book, member("chief"), member("fighter")), played(book)]
    acts = st.sampled_from(
        [
            kinds.Earned(amount=7, why="result", key="won"),
            kinds.Bought(item="rope", paid=1),
            kinds.Recruited(rank="scout", paid=3),
            played(book, "second", 2),
            played(book, "tonight", 2),
        ]
    )
    log: list[Entry] = [*base, *data.draw(st.lists(acts, max_size=6))]
    numbered = [(number, entry) for number, entry in enumerate(log, start=1)]
    _roster, misfits = refold(book, numbered)
    fitting = [pair for pair in numbered if pair[0] not in {number for number, _ in misfits}]
    places = data.draw(st.lists(st.integers(len(base), len(fitting)), max_size=4))
    mixed: list[tuple[int, Entry]] = list(fitting)
    for number, place in enumerate(sorted(places, reverse=True)):
        mixed.insert(place, (500 + number, hired(member=number + 1, paid=3)))
    with_hands, late = refold(book, mixed)
    assert {number for number, _ in late} <= {500 + number for number in range(4)}
    paid = 3 * (len(places) - len(late))
    without = fold(book, [pair for pair in mixed if pair[0] < 500])
    assert with_hands.treasury == without.treasury - paid
    assert with_hands.model_copy(update={"hired": (), "spent": without.spent}) == without


def test_hire_is_described_when_its_rank_no_longer_exists(book: Book) -> None:
    describer = Describer(book, roster(book, member("chief"), games=1))
    gone = hired().model_copy(update={"name": "", "rank": "abbot"})
    assert describer.describe(gone) == "abbot was hired for one game (9 gold)."


def test_mercenary_of_a_removed_rank_is_not_for_hire() -> None:
    old = small(campaign__departures=LEFT, ranks=[row("chief", price=10), row("abbot", price=5)])
    left = home(old, member("abbot"))
    assert mercenaries.pool(small(campaign__departures=LEFT), [("g", left)]) == ()
