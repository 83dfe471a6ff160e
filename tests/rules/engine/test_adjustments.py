"""Prices that depend on the buyer: adjustments, halves, and ratings that ignore the price."""

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.model import Book
from rules.engine.costing import Points, price, rating, whole, worth
from rules.engine.figure import Figure
from tests.rules.small import SMALL, Data, figure, row, small, told

EXACT = [{"mode": "exact"}]


def adjusted(*adjustments: Data, **others: Any) -> Book:
    named = [row(f"change{place}", **one) for place, one in enumerate(adjustments)]
    return small(adjustments=named, **others)


def lines(book: Book, one: Figure, *, playing: bool = False, **settings: Any) -> list[Points]:
    chosen = book.default_settings() | settings
    receipt = price(book.under(chosen), one, playing=playing)
    assert receipt.total == sum(line.amount for line in receipt.lines)
    assert type(receipt.total) is int or receipt.total % 1
    return [line.amount for line in receipt.lines]


ARMED = figure(traits=("quick",), items=("sword", "axe", "rope"))


def test_prices_without_adjustments_are_the_list_prices() -> None:
    assert lines(small(), ARMED) == [5, 2, 4, 7, 1]


@pytest.mark.parametrize(
    ("adjustment", "amounts"),
    [
        ({"on": "rank", "times": "2"}, [10, 2, 4, 7, 1]),
        ({"on": "rank", "times": "0"}, [0, 2, 4, 7, 1]),
        ({"on": "traits", "times": "1/2"}, [5, 1, 4, 7, 1]),
        ({"on": "items", "times": "1/2"}, [5, 2, 2, 4, 1]),
        ({"on": "items", "times": "3/2"}, [5, 2, 6, 11, 2]),
        ({"on": "items", "less": "1/2"}, [5, 2, 2, 4, 1]),
        ({"on": "items", "less": "1"}, [5, 2, 0, 0, 0]),
        ({"on": "items", "less": "3"}, [5, 2, 0, 0, 0]),
        ({"on": "items", "groups": ["goods"], "times": "10"}, [5, 2, 4, 7, 10]),
        ({"on": "items", "item_tags": ["blade"], "less": "1"}, [5, 2, 0, 0, 1]),
        ({"on": "items", "item_tags": ["heavy", "ranged"], "less": "1"}, [5, 2, 4, 0, 1]),
        ({"on": "items", "groups": ["goods"], "item_tags": ["heavy"]}, [5, 2, 4, 7, 1]),
        ({"on": "items", "first": 1, "less": "1"}, [5, 2, 4, 0, 1]),
        ({"on": "items", "first": 2, "times": "0"}, [5, 2, 0, 0, 1]),
        ({"on": "items", "first": 9, "times": "0"}, [5, 2, 0, 0, 0]),
        ({"on": "items", "first": 1, "groups": ["goods"], "times": "0"}, [5, 2, 4, 7, 0]),
    ],
    ids=str,
)
def test_an_adjustment_changes_the_lines_it_names(adjustment: Data, amounts: list[int]) -> None:
    assert lines(adjusted(adjustment), ARMED) == amounts


def test_several_adjustments_multiply_and_add_up() -> None:
    """Dwarves pay three halves, and one sidearm less its full price: 3/2 - 1 = 1/2."""
    half_more = {"on": "items", "groups": ["arms"], "times": "3/2"}
    sidearm = {"on": "items", "item_tags": ["blade"], "first": 1, "less": "1"}
    twice = {"on": "items", "times": "2"}
    assert lines(adjusted(half_more, sidearm), figure(items=("axe", "sword"))) == [5, 4, 6]
    assert lines(adjusted(half_more, sidearm, twice), figure(items=("axe", "sword"))) == [5, 14, 12]
    assert lines(adjusted(sidearm, sidearm), figure(items=("axe", "sword"))) == [5, 0, 4]


def test_the_first_of_equal_prices_counts_as_the_dearest() -> None:
    book = adjusted({"on": "items", "item_tags": ["blade"], "first": 1, "times": "0"})
    assert lines(book, figure(items=("sword", "sword"))) == [5, 0, 4]
    assert lines(book, figure(items=("sword", "axe", "axe"))) == [5, 4, 0, 7]


@pytest.mark.parametrize(
    ("of", "free"),
    [
        ({}, True),
        ({"ranks": ["fighter"]}, True),
        ({"ranks": ["chief"]}, False),
        ({"origins": ["hill"]}, True),
        ({"not_origins": ["hill"]}, False),
        ({"professions": ["smith"]}, True),
        ({"not_professions": ["smith"]}, False),
        ({"item_tags": ["blade"]}, True),
        ({"not_item_tags": ["blade"]}, False),
        ({"trait_tags": ["body"]}, True),
        ({"not_trait_tags": ["body"]}, False),
        ({"conditions": ["lame"]}, True),
        ({"conditions": ["gone"]}, False),
    ],
    ids=str,
)
def test_an_adjustment_applies_to_its_selector_only(of: Data, free: bool) -> None:
    traits = [told("quick", price=2, tags=["body"])]
    book = adjusted({"on": "rank", "times": "0", "of": of}, traits=traits)
    one = figure(
        origin="hill",
        profession="smith",
        traits=("quick",),
        items=("sword",),
        conditions=("lame",),
    )
    assert lines(book, one)[0] == (0 if free else 5)


def test_an_adjustment_checks_present_and_priced_rank() -> None:
    """A promoted fighter is selected as a chief, at the price of a fighter."""
    book = adjusted({"on": "rank", "times": "2", "of": {"ranks": ["chief"]}})
    assert lines(book, figure("chief", worth_rank="fighter")) == [10]
    assert lines(book, figure("fighter", worth_rank="chief")) == [10]


@pytest.mark.parametrize(
    ("phase", "founding", "playing"),
    [("founding", [0, 4], [5, 4]), ("playing", [5, 4], [0, 4]), (None, [0, 4], [0, 4])],
)
def test_an_adjustment_applies_before_or_after_the_first_game(
    phase: str | None, founding: list[int], playing: list[int]
) -> None:
    book = adjusted({"on": "rank", "times": "0", "phase": phase})
    one = figure(items=("sword",))
    assert lines(book, one) == founding
    assert lines(book, one, playing=True) == playing


@pytest.mark.parametrize(("people", "amounts"), [("hill", [3, 4]), ("nobody", [5, 4])])
def test_an_adjustment_applies_under_its_setting_only(people: str, amounts: list[int]) -> None:
    book = adjusted({"on": "rank", "times": "1/2", "when": {"people": ["hill"]}})
    assert lines(book, figure(items=("sword",)), people=people) == amounts


# Halves


@pytest.mark.parametrize(
    ("roundings", "amounts", "total"),
    [
        ([], [3, 1, 2, 4, 1], 11),
        ([{"mode": "up"}], [3, 1, 2, 4, 1], 11),
        (EXACT, [2.5, 1, 2, 3.5, 0.5], 9.5),
        ([{"mode": "exact", "when": {"halves": ["exact"]}}], [3, 1, 2, 4, 1], 11),
        ([{"mode": "up", "when": {"halves": ["exact"]}}, *EXACT], [2.5, 1, 2, 3.5, 0.5], 9.5),
        ([{"mode": "up"}, *EXACT], [3, 1, 2, 4, 1], 11),
    ],
    ids=str,
)
def test_halves_are_rounded_as_the_book_chooses(
    roundings: list[Data], amounts: list[float], total: float
) -> None:
    halves = [{"on": on, "times": "1/2"} for on in ("rank", "traits", "items")]
    book = adjusted(*halves, roundings=roundings)
    assert lines(book, ARMED) == amounts
    assert price(book.usual, ARMED).total == total


def test_a_setting_chooses_how_halves_are_rounded() -> None:
    rounding = {"mode": "exact", "when": {"halves": ["exact"]}}
    book = adjusted({"on": "rank", "times": "1/2"}, roundings=[rounding])
    assert lines(book, figure(), halves="exact") == [2.5]
    assert lines(book, figure(), halves="up") == [3]


def test_quarters_are_rounded_up_to_the_next_half() -> None:
    quarters = [{"on": "rank", "times": "1/2"}] * 2
    assert lines(adjusted(*quarters, roundings=EXACT), figure()) == [1.5]
    assert lines(adjusted(*quarters), figure()) == [2]


def test_two_halves_add_up_to_a_whole_number() -> None:
    book = adjusted({"on": "items", "times": "1/2"}, roundings=EXACT)
    receipt = price(book.usual, figure(items=("axe", "rope")))
    assert [line.amount for line in receipt.lines] == [5, 3.5, 0.5]
    assert (receipt.total, str(receipt.total), str(receipt.own)) == (9, "9", "9")


@pytest.mark.parametrize(
    ("amount", "written"),
    [(12.0, "12"), (12, "12"), (12.5, "12.5"), (0.0, "0"), (-0.5, "-0.5"), (-3.0, "-3")],
)
def test_whole_numbers_are_written_without_decimals(amount: float, written: str) -> None:
    assert str(whole(amount)) == written


SHARES = st.sampled_from(["0", "1/2", "1", "3/2", "2"])


@pytest.mark.long
@given(
    items=st.lists(st.sampled_from(["sword", "axe", "bow", "rope"]), max_size=5),
    changes=st.lists(
        st.fixed_dictionaries(
            {"times": SHARES, "less": SHARES},
            optional={
                "first": st.integers(1, 3),
                "groups": st.sampled_from([["arms"], ["goods"]]),
                "item_tags": st.sampled_from([["blade"], ["ranged", "heavy"]]),
            },
        ),
        max_size=3,
    ),
    exact=st.booleans(),
)
def test_adjusted_prices_match_a_sum_by_hand(
    items: list[str], changes: list[Data], exact: bool
) -> None:
    book = adjusted(*({"on": "items", **one} for one in changes), roundings=EXACT if exact else [])
    rows = {one["key"]: one for one in SMALL["items"]}
    dearest = sorted(range(len(items)), key=lambda place: (-rows[items[place]]["price"], place))
    due: dict[int, Points] = {}
    counted = [0] * len(changes)
    for place in dearest:
        item = rows[items[place]]
        times, less = Fraction(1), Fraction(0)
        for number, one in enumerate(changes):
            if item["group"] not in one.get("groups", [item["group"]]):
                continue
            if "item_tags" in one and not set(one["item_tags"]) & set(item.get("tags", [])):
                continue
            counted[number] += 1
            if counted[number] <= one.get("first", 99):
                times *= Fraction(one["times"])
                less += Fraction(one["less"])
        share = max(Fraction(0), item["price"] * (times - less))
        due[place] = Fraction(ceil(share * 2), 2) if exact else ceil(share)
    assert lines(book, figure(items=tuple(items)))[1:] == [
        due[place] for place in range(len(items))
    ]


# Ratings


def rated(**rating: Any) -> Book:
    return small(rating={**SMALL["rating"], **rating})


VETERAN = figure("fighter", traits=("quick", "lucky"), items=("sword", "axe"), experience=14)


@pytest.mark.parametrize(
    ("fields", "total"),
    [
        ({}, 22),
        ({"counts_experience": True}, 36),
        ({"counts_experience": True, "experience_step": 5}, 24),
        ({"counts_experience": True, "experience_step": 15}, 22),
        ({"experience_step": 5}, 22),
        ({"counts": "worth"}, 4),
        ({"counts": "worth", "counts_experience": True, "experience_step": 7}, 6),
    ],
    ids=str,
)
def test_a_rating_counts_the_fields_it_names(fields: Data, total: int) -> None:
    book = rated(**fields)
    assert rating(book.usual, VETERAN).total == total


def test_a_worth_receipt_lists_every_line() -> None:
    receipt = worth(small(), VETERAN)
    assert [(line.name["en"], line.amount) for line in receipt.lines] == [
        ("Fighter", 1),
        ("Quick", 1),
        ("Sword", 2),
    ]


def test_worth_follows_the_present_rank() -> None:
    risen = figure("chief", worth_rank="fighter")
    assert worth(small(), risen).total == 3
    assert price(small().under({}), risen).total == 5


def test_worth_ignores_adjustments() -> None:
    book = adjusted({"on": "rank", "times": "0"}, rating={**SMALL["rating"], "counts": "worth"})
    assert rating(book.usual, figure()).total == 1


def test_a_rating_is_zero_when_the_game_has_none() -> None:
    book = small().changed(rating=None)
    assert rating(book.under({}), VETERAN).lines == ()
    assert rating(book.under({}), VETERAN).total == 0


@pytest.mark.long
@given(st.integers(0, 200), st.integers(1, 50))
def test_a_rating_counts_whole_steps_of_experience(experience: int, step: int) -> None:
    book = rated(counts_experience=True, experience_step=step)
    one = figure(experience=experience)
    earned = rating(book.usual, one).total - 5
    assert earned * step <= experience < (earned + 1) * step
