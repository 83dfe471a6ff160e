"""Properties of every gang in any game: gangs that players build, and some that none can build."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Refusal
from gangs.cards import render
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import dump, parse
from gangs.engine.fold import apply, fold, refold
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_price, gang_rating, member_rating
from rules.book.model import Book
from rules.book.schema import Adjustment, Item
from rules.book.vocabulary import Selector
from rules.engine.costing import Points, price
from tests.gangs.strategies import built, decisions, every_offer, gangs
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import SLUGS, shipped

pytestmark = pytest.mark.parametrize("slug", one_soon(SLUGS))
many = random_cases(6, 300)


# Gangs that players built


@many
@given(data=st.data())
def test_any_snapshot_continues_to_the_same_roster(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(slug))
    whole = fold(book, log)
    cut = data.draw(st.integers(0, len(log)))
    snapshot = fold(book, log[:cut]).model_dump_json(exclude_defaults=True)
    assert fold(book, log[cut:], Roster.model_validate_json(snapshot)) == whole


@many
@given(data=st.data())
def test_entries_survive_being_written_and_read(slug: str, data: Any) -> None:
    log, _ = data.draw(built(slug))
    for _, entry in log:
        assert parse(dump(entry)) == entry


@many
@given(data=st.data())
def test_striking_anything_leaves_a_gang_that_folds(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, batches = data.draw(built(slug))
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
def test_overspent_purse_always_has_a_finding(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(slug))
    roster = fold(book, log)
    computed = ComputedGang.of(book, roster)
    kinds = {limit.text["en"]: limit.kind for limit in book.limits}
    said = {kinds[finding.text["en"]] for finding in findings(book, roster, computed)}
    assert (computed.left is not None and computed.left < 0) == ("overspent" in said)


@many
@given(data=st.data())
def test_built_gang_has_the_worth_of_the_tables(slug: str, data: Any) -> None:
    book = shipped(slug)
    log, _ = data.draw(built(slug))
    check_worth(book, fold(book, log))


# Arbitrary gangs


@many
@given(data=st.data())
def test_any_gang_has_the_worth_of_the_tables(slug: str, data: Any) -> None:
    check_worth(shipped(slug), data.draw(gangs(slug)))


@many
@given(data=st.data())
def test_findings_have_text_in_both_languages(slug: str, data: Any) -> None:
    book = shipped(slug)
    roster = data.draw(gangs(slug))
    ids = {member.id for member in roster.members}
    for finding in findings(book, roster):
        assert finding.translated("en") and finding.translated("fr")
        assert "{" not in finding.translated("en") + finding.translated("fr")
        assert set(finding.members) <= ids


@many
@given(data=st.data())
def test_any_gang_can_be_drawn(slug: str, data: Any) -> None:
    book = shipped(slug)
    roster = data.draw(gangs(slug))
    computed = ComputedGang.of(book, roster)
    for language in ("en", "fr"):
        page = render.render(computed, language)
        assert page.rating == gang_rating(book, roster).total
        assert [card.id for card in page.cards] == [member.id for member in roster.members]
        for card in page.cards:
            assert [stat.key for stat in card.stats] == list(computed.profiles[card.id].scores)
            assert all(stat.value for stat in card.stats)
            values = {stat.key: stat for stat in card.stats}
            if book.life in values:
                stat = values[book.life]
                assert card.life == (stat.boxes or (False,) * int(stat.value))


@pytest.mark.long
@many
@given(data=st.data())
def test_offers_have_the_prices_of_the_rulebook(slug: str, data: Any) -> None:
    book = shipped(slug)
    roster = data.draw(gangs(slug))
    computed = ComputedGang.of(book, roster)
    for origin in (None, *book.origin):
        for offer in offers.ranks(computed, origin):
            newcomer = Member(
                id=99, name="", rank=offer.row.key, worth_rank=offer.row.key, origin=origin
            )
            assert offer.price == bill(book, roster, newcomer)
    for offer in offers.items(computed, None):
        assert offer.price == price_in_stash(book, roster, OwnedItem(id=9999, key=offer.row.key))
    for member in roster.members:
        before = bill(book, roster, member)
        for item in offers.items(computed, member):
            bought = (*member.items, OwnedItem(id=9999, key=item.row.key))
            more = member.model_copy(update={"items": bought})
            assert item.price == bill(book, roster, more) - before
        for trait in offers.traits(computed, member):
            learnt = (*member.traits, trait.row.key)
            more = member.model_copy(update={"traits": learnt})
            assert trait.price == bill(book, roster, more) - before


@pytest.mark.long
@many
@given(data=st.data())
def test_only_rows_in_force_are_offered(slug: str, data: Any) -> None:
    roster = data.draw(gangs(slug))
    for offer in every_offer(ComputedGang.of(shipped(slug), roster)):
        assert offer.row.status == "offered"
        in_force = (str(roster.settings[key]) in said for key, said in offer.row.when.items())
        # A row excluded by options is offered when the rulebook only warns of it.
        assert all(in_force) or offer.caution or offer.refusal
        assert offer.refusal is None or offer.refusal.code
        assert offer.price >= 0


@many
@given(data=st.data())
def test_any_action_on_any_gang_is_refused_or_fits(slug: str, data: Any) -> None:
    book = shipped(slug)
    roster = data.draw(gangs(slug))
    choices = decisions(book)
    for choice in data.draw(st.lists(st.integers(0, len(choices) - 1), max_size=6)):
        try:
            entries = choices[choice](data.draw, ComputedGang.of(book, roster), 5000)
        except Refusal:
            continue
        changed = roster
        for seq, entry in enumerate(entries, start=5000):
            changed = apply(book, changed, seq, entry)
        findings(book, changed)


# Prices and worth, computed a second time straight from the tables


def price_in_stash(book: Book, roster: Roster, owned: OwnedItem) -> Fraction:
    """The price of an item in the stash: what it adds to the gang's lowest newcomer, without
    discounts for a first item."""
    plain = book.changed(adjustments=tuple(row for row in book.adjustments if row.first is None))
    lowest = [rank.key for rank in book.ranks if rank.recruited][-1]
    newcomer = Member(id=99, name="", rank=lowest, worth_rank=lowest)
    holder = newcomer.model_copy(update={"items": (owned,)})
    return bill(plain, roster, holder) - bill(plain, roster, newcomer)


def check_worth(book: Book, roster: Roster) -> None:
    """Assert that every price and rating is the sum of its receipt, and matches the tables."""
    for member in roster.members:
        if not roster.own_items:
            settings = roster.settings
            figure = roster.figure(book, member)
            receipt = price(book.under(settings), figure, playing=roster.playing)
            assert receipt.total == bill(book, roster, member)
            assert all(is_short(line.amount) for line in receipt.lines)
        assert member_rating(book, roster, member).total == worth_of(book, roster, member)
    present = [member for member in roster.members if counts(book, member)]
    prices = sum((price_in_stash(book, roster, owned) for owned in roster.stash), Fraction())
    cost = gang_price(book, roster)
    assert cost == sum(bill(book, roster, member) for member in present) + prices
    receipt = gang_rating(book, roster)
    assert receipt.total == sum(line.amount for line in receipt.lines)
    total = sum((worth_of(book, roster, member) for member in present), Fraction())
    if book.rating and book.rating.counts == "price":
        total += prices
    elif book.rating:
        total += sum(getattr(priced_row(book, roster, owned), "worth", 0) for owned in roster.stash)
    assert receipt.total == total
    assert is_short(cost) and is_short(receipt.total)


def is_short(amount: Points) -> bool:
    """Whether a whole number is written without decimals."""
    return isinstance(amount, int) or amount % 1 == 0.5


def counts(book: Book, member: Member) -> bool:
    return not any(book.condition[one.condition].uncounted for one in member.afflictions)


def priced_row(book: Book, roster: Roster, owned: OwnedItem) -> Item | Any:
    """A row of the rulebook, or one of the gang's own."""
    own = {item.key: item for item in roster.own_items}
    return own.get(owned.key) or book.item[owned.key]


def worth_of(book: Book, roster: Roster, member: Member) -> Fraction:
    """A member's worth now."""
    if book.rating is None:
        return Fraction()
    if book.rating.counts == "price":
        total = bill(book, roster, member)
    else:
        total = Fraction(book.rank[member.rank].worth)
        total += sum(book.trait[key].worth for key in member.traits)
        total += sum(getattr(priced_row(book, roster, owned), "worth", 0) for owned in member.items)
    if book.rating.counts_experience:
        total += math.floor(Fraction(member.experience, book.rating.experience_step))
    return total


def bill(book: Book, roster: Roster, member: Member) -> Fraction:
    """A member's price: rank, traits, items, each adjusted and then rounded."""
    tables: dict[str, list[Adjustment]] = {"rank": [], "traits": [], "items": []}
    for row in book.adjustments:
        if is_in_force(row, roster) and is_one_of(book, roster, member, row.of):
            tables[row.on].append(row)
    exact = False
    for rounding in book.roundings:
        if all(str(roster.settings[key]) in said for key, said in rounding.when.items()):
            exact = rounding.mode == "exact"
            break
    total = round_price(book.rank[member.worth_rank].price, tables["rank"], exact)
    for key in member.traits:
        total += round_price(book.trait[key].price, tables["traits"], exact)
    used = dict.fromkeys((row.key for row in tables["items"]), 0)
    rows = [priced_row(book, roster, owned) for owned in member.items]
    for item in sorted(rows, key=lambda item: item.price, reverse=True):
        felt = []
        for row in tables["items"]:
            tags = set(item.tags)
            if row.groups and item.group not in row.groups:
                continue
            if row.item_tags and not tags & set(row.item_tags):
                continue
            used[row.key] += 1
            if row.first is None or used[row.key] <= row.first:
                felt.append(row)
        total += round_price(item.price, felt, exact)
    return total


def is_in_force(row: Adjustment, roster: Roster) -> bool:
    phase = "playing" if roster.played else "founding"
    in_force = all(str(roster.settings[key]) in said for key, said in row.when.items())
    return in_force and row.phase in {None, phase}


def is_one_of(book: Book, roster: Roster, member: Member, of: Selector) -> bool:
    people = member.origin
    if people is None and book.origin_setting:
        people = str(roster.settings[book.origin_setting])
        people = people if people in book.origin else None
    carried = [priced_row(book, roster, owned) for owned in member.items]
    facts: list[tuple[Iterable[str], Iterable[str], set[str | None]]] = [
        (of.ranks, of.not_ranks, {member.rank}),
        (of.origins, of.not_origins, {people}),
        (of.professions, of.not_professions, {member.profession}),
        (of.item_tags, of.not_item_tags, {t for row in carried for t in getattr(row, "tags", ())}),
        (of.trait_tags, of.not_trait_tags, {t for k in member.traits for t in book.trait[k].tags}),
        (of.conditions, (), {one.condition for one in member.afflictions}),
    ]
    return all(
        (not tuple(wanted) or present & set(wanted)) and not present & set(unwanted)
        for wanted, unwanted, present in facts
    )


def round_price(amount: int, felt: list[Adjustment], exact: bool) -> Fraction:
    share = Fraction(1)
    for row in felt:
        share *= Fraction(row.times)
    share -= sum(Fraction(row.less) for row in felt)
    due = max(Fraction(0), amount * share)
    return Fraction(math.ceil(due * 2), 2) if exact else Fraction(math.ceil(due))
