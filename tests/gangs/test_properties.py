"""What holds for every gang that anybody can build, in any game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangs.entries import ENTRY
from gangs.findings import Scene, findings
from gangs.fold import fold, refold
from gangs.roster import Roster
from gangs.worth import gang_rating
from rules.book import Book
from tests.gangs.strategies import built, every_offer
from tests.make import GOLD, POINTS, shipped

BOOKS = [POINTS, GOLD]
pytestmark = pytest.mark.parametrize("slug", BOOKS)
many = settings(max_examples=60, deadline=None)


@many
@given(data=st.data())
def test_any_snapshot_folds_on_to_the_same_roster(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(book))
    whole = fold(book, log)
    cut = data.draw(st.integers(0, len(log)))
    snapshot = fold(book, log[:cut]).model_dump_json(exclude_defaults=True)
    assert fold(book, log[cut:], Roster.model_validate_json(snapshot)) == whole


@many
@given(data=st.data())
def test_entries_survive_being_written_and_read(slug: str, data: Any) -> None:
    log, _ = data.draw(built(shipped(slug)))
    for _, entry in log:
        assert ENTRY.validate_python(entry.model_dump(mode="json")) == entry


@many
@given(data=st.data())
def test_striking_anything_leaves_a_gang_that_folds(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, batches = data.draw(built(book))
    if len(batches) < 2:
        return
    struck = set(data.draw(st.sampled_from(batches[1:])))
    kept = [(seq, entry) for seq, entry in log if seq not in struck]
    roster, misfits = refold(book, kept)
    unfit = {seq for seq, _ in misfits}
    assert fold(book, [(seq, entry) for seq, entry in kept if seq not in unfit]) == roster
    assert fold(book, log) == refold(book, log)[0]


@many
@given(data=st.data())
def test_rating_is_the_sum_of_its_receipt(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(book))
    roster = fold(book, log)
    receipt = gang_rating(book, roster)
    assert receipt.total == sum(line.amount for line in receipt.lines)
    assert receipt.total == second_computation(book, roster)


def second_computation(book: Book, roster: Roster) -> int:
    """The rating, straight from the tables: what everybody was hired for and what he has."""
    prices = {item.key: item.price for item in (*book.items, *roster.own_items)}
    total = sum(prices[owned.key] for owned in roster.stash)
    for member in roster.members:
        total += book.rank[member.worth_rank].price
        total += sum(book.trait[key].price for key in member.traits)
        total += sum(prices[owned.key] for owned in member.items)
        total += member.experience if book.rating.counts_experience else 0
    return total


@many
@given(data=st.data())
def test_no_purse_goes_below_zero_unsaid(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(book))
    roster = fold(book, log)
    scene = Scene.of(book, roster)
    kinds = {limit.text.en: limit.kind for limit in book.limits}
    said = {kinds[finding.text.en] for finding in findings(book, roster, scene)}
    assert scene.left is not None
    assert (scene.left < 0) == ("overspent" in said)


@many
@given(data=st.data())
def test_findings_can_be_said_in_both_languages(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(book))
    roster = fold(book, log)
    ids = {member.id for member in roster.members}
    for finding in findings(book, roster):
        assert finding.said("en") and finding.said("fr")
        assert "{" not in finding.said("en") + finding.said("fr")
        assert set(finding.members) <= ids


@many
@given(data=st.data())
def test_offers_cost_what_the_rulebook_says(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(book))
    for offer in every_offer(Scene.of(book, fold(book, log))):
        assert offer.price == offer.row.price
        assert offer.refusal is None or offer.refusal.code
