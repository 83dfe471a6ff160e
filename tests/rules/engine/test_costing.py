"""Receipts: every total is the sum of named lines."""

from hypothesis import given
from hypothesis import strategies as st

from common.wording.sentences import words_of
from rules.book.model import Book
from rules.engine.costing import price, rating
from rules.engine.figure import Figure


def test_a_rating_receipt_lists_every_line(blackwater: Book) -> None:
    figure = Figure(rank="leader", worth_rank="leader", items=("winchester", "mule"), experience=6)
    receipt = rating(blackwater.under({}), figure)
    assert [(words_of(line.name, "en"), line.amount, line.apart) for line in receipt.lines] == [
        ("Leader", 100, False),
        ("Winchester Repeater", 5, False),
        ("Mule", 10, True),
        ("Experience earned", 6, False),
    ]
    assert (receipt.own, receipt.total) == (111, 121)
    assert price(blackwater.under({}), figure).total == 115


def test_a_receipt_lists_traits(du_sang: Book) -> None:
    figure = Figure(rank="leader", worth_rank="leader", traits=("lucky", "runner"))
    assert [line.amount for line in price(du_sang.under({}), figure).lines] == [4, 1, 1]


def test_two_equal_items_are_paid_twice(blackwater: Book) -> None:
    figure = Figure(rank="henchman", worth_rank="henchman", items=("knife", "knife"))
    assert price(blackwater.under({}), figure).total == 52


def test_the_former_rank_still_sets_the_price(blackwater: Book) -> None:
    figure = Figure(rank="leader", worth_rank="professional")
    assert [words_of(line.name, "en") for line in price(blackwater.under({}), figure).lines] == [
        "Professional"
    ]


def test_experience_is_worth_nothing_where_the_game_does_not_count_it(du_sang: Book) -> None:
    figure = Figure(rank="second", worth_rank="second", experience=5)
    assert rating(du_sang.under({}), figure).lines == price(du_sang.under({}), figure).lines


def test_a_rating_receipt_has_no_experience_line_when_there_is_none(blackwater: Book) -> None:
    figure = Figure(rank="henchman", worth_rank="henchman")
    assert len(rating(blackwater.under({}), figure).lines) == 1


@given(st.data())
def test_receipt_totals_are_the_sums_of_their_lines(blackwater: Book, data: st.DataObject) -> None:
    keys = st.sampled_from(sorted(blackwater.item))
    items = tuple(data.draw(st.lists(keys, max_size=8)))
    figure = Figure(rank="henchman", worth_rank="henchman", items=items)
    receipt = price(blackwater.under({}), figure)
    apart = sum(line.amount for line in receipt.lines if line.apart)
    assert receipt.total == 50 + sum(blackwater.item[key].price for key in items)
    assert receipt.own + apart == receipt.total
