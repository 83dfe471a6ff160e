"""A legal gang of any rulebook, for people who do not know the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from gangs.engine.computed import ComputedGang
from gangs.engine.first_gangs import MADE, MOST_TRIED, find_first_gang
from gangs.engine.purses import balance
from gangs.engine.ready_made import TRIAL, found_ready_made
from gangs.engine.validation import findings
from rules.book.model import Book, Sample
from rules.bounds.work import Exhausted, limit_work
from rules.loading.reader import read_folder
from tests.rules.conftest import BOOKS
from tests.rules.small import limit, row, small, text

TESTS = Path(__file__).parents[2]
FOLDERS = sorted(
    folder.parent
    for root in (BOOKS, TESTS / "games", TESTS / "sixth")
    for folder in root.glob("*/book.toml")
)


def errors_of(gang: ComputedGang) -> list[str]:
    found = findings(gang.book, gang.roster, gang)
    return [one.code for one in found if one.severity == "error"]


def check(book: Book) -> Sample:
    """Check that a gang is found, breaks no limit and is paid for; return it."""
    sample = find_first_gang(book)
    assert sample is not None
    gang = found_ready_made(book, sample)
    assert errors_of(gang) == []
    assert gang.left is None or gang.left >= 0
    assert len({member.name for member in sample.members}) == len(sample.members) > 1
    return sample


def without(book: Book, *tables: str) -> Book:
    """Return a rulebook without the rows of these tables."""
    return book.changed(**dict.fromkeys(tables, ()))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_first_gang_is_legal_in_every_game(folder: Path) -> None:
    book = read_folder(folder)
    ready_made = check(book)
    assert (ready_made in book.samples) == bool(book.samples)
    assert check(without(book, "samples")).key == MADE
    bare = check(without(book, "samples", "archetypes"))
    assert len(bare.members) <= 20


def test_first_gang_arms_its_members_where_weapons_make_attacks() -> None:
    bare = without(read_folder(BOOKS / "cran"), "samples", "archetypes")
    assert all(member.items for member in check(bare).members)


def test_first_gang_passes_over_a_ready_made_one_with_errors() -> None:
    one_chief = limit("count", "One.", code="chiefs", of={"ranks": ["chief"]}, maximum=1)
    named = [{"name": "A", "rank": "chief"}, {"name": "B", "rank": "chief"}]
    crew = {"key": "crew", "name": "Crew", "text": text("–"), "members": named}
    good = {**crew, "key": "band", "members": [*named[:1], {"name": "B", "rank": "scout"}]}
    assert check(small(limits=[one_chief], samples=[crew, good])).key == "band"
    assert check(small(limits=[one_chief], samples=[crew])).key == MADE


def test_first_gang_is_led_and_meets_minimums() -> None:
    many = limit("count", "{count}", code="fighters", of={"ranks": ["fighter"]}, minimum=7)
    found = check(small(limits=[many]))
    ranks = [member.rank for member in found.members]
    assert ranks.count("fighter") == 7
    armed = limit("items", "{name}", code="armed", item_tags=["ranged"], per="member", minimum=1)
    found = check(small(limits=[armed]))
    assert all(member.items for member in found.members)


@pytest.mark.parametrize("fewest", [30, 1])
def test_first_gang_is_none_when_no_gang_is_legal(fewest: int) -> None:
    scouts = {"of": {"ranks": ["scout"]}}
    many = limit("count", "{count}", code="many", minimum=fewest, **scouts)
    none = limit("count", "{count}", code="none", maximum=fewest - 1, **scouts)
    with limit_work(MOST_TRIED * TRIAL, Exhausted):
        assert find_first_gang(small(limits=[many, none])) is None


def test_first_gang_keeps_within_the_budget() -> None:
    price = {row.key: row.price for row in small().ranks}
    for amount in (1, 20, 40):
        found = find_first_gang(small(budgets=[{"amount": amount}]))
        assert found is None or sum(price[one.rank] for one in found.members) <= amount
    assert found is not None


def test_first_gang_spends_no_more_of_a_currency_than_it_has() -> None:
    book = without(read_folder(TESTS / "games" / "circle"), "samples")
    ranks = tuple(row.model_copy(update={"costs": {"favour": 1}}) for row in book.ranks)
    costly = book.changed(ranks=ranks)
    found = found_ready_made(costly, check(costly)).roster
    # A new circle has two favours.
    assert (len(found.members), balance(costly, found)) == (2, {"favour": 0})


def test_first_gang_has_only_complete_recruits_of_the_usual_options() -> None:
    hill = row("hillman", rank="fighter", items=["axe"], when={"people": ["hill"]})
    usual = row("bowman", rank="fighter", items=["bow"])
    many = limit("count", "{count}", code="fighters", of={"ranks": ["fighter"]}, minimum=3)
    found = check(small(archetypes=[hill, usual], limits=[many]))
    items = [member.items for member in found.members if member.rank == "fighter"]
    assert items == [("bow",)] * 3
