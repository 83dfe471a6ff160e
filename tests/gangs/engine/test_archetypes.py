"""Archetypes: every shipped one is legal, and a gang is offered only those it may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from common.errors import Refusal
from gangs.engine import actions, offers
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, SettingsChosen
from gangs.engine.validation import findings
from rules.book.model import Archetype, Book
from rules.book.schema import ChoiceSetting
from tests.rules.conftest import BOOKS
from tests.world.gangs import rostered, shipped

FOLDERS = sorted(folder for folder in BOOKS.iterdir() if folder.is_dir())


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def book(request: pytest.FixtureRequest) -> Book:
    """Each shipped rulebook in turn."""
    return shipped(request.param.name)


def found_entries(book: Book, **settings: str) -> list[Entry]:
    return actions.found(book, "The Test Gang", settings)


def computed(book: Book, entries: Sequence[Entry]) -> ComputedGang:
    return ComputedGang.of(book, rostered(book, entries))


def under_all_options(book: Book) -> Iterator[ComputedGang]:
    """Empty gangs, under every combination of the options that ranks and archetypes depend on."""
    keys = {key for row in (*book.archetypes, *book.ranks) for key in row.when}
    keys |= {key for limit in book.limits for key in limit.when} - {book.origin_setting}
    chosen = [row for row in book.settings if row.key in keys and isinstance(row, ChoiceSetting)]
    for choices in product(*(row.choices for row in chosen)):
        pairs = zip(chosen, choices, strict=True)
        yield computed(book, found_entries(book, **{row.key: choice.key for row, choice in pairs}))


def recruit(gang: ComputedGang, row: Archetype) -> ComputedGang:
    """The gang with one more recruit of this archetype."""
    first = SettingsChosen(settings=gang.roster.settings)
    entries = actions.recruit_archetype(gang, row.key, 3)
    return computed(gang.book, [*found_entries(gang.book), first, *entries])


@pytest.mark.long
def test_every_archetype_is_offered_somewhere_and_always_legal(book: Book) -> None:
    """The only finding about a complete recruit is the missing name."""
    assert book.archetypes
    unnamed = {limit.code for limit in book.limits if limit.kind == "unnamed"}
    offered = set()
    for gang in under_all_options(book):
        for offer in offers.archetypes(gang):
            offered.add(offer.row.key)
            after = recruit(gang, offer.row)
            (member,) = after.roster.members
            about = [one for one in findings(book, after.roster) if member.id in one.members]
            assert [one.code for one in about if one.code not in unnamed] == [], offer.row.key
            assert after.cost(after.figures[member.id]) == offer.price
            assert after.points_left(member) == 0
            assert (member.rank, member.profession) == (offer.row.rank, offer.row.profession)
            assert [owned.key for owned in member.items] == list(offer.row.items)
            assert member.traits == offer.row.traits
    assert offered == {row.key for row in book.archetypes}


@pytest.mark.long
def test_second_copy_of_an_archetype_is_legal(book: Book) -> None:
    """No archetype is legal only because of the bonus to the first member of a profession."""
    for gang in under_all_options(book):
        for offer in offers.archetypes(gang):
            first = recruit(gang, offer.row)
            if offer.row.key not in {each.row.key for each in offers.archetypes(first)}:
                continue
            settings = SettingsChosen(settings=gang.roster.settings)
            entries = [*found_entries(book), settings]
            for _each in range(2):
                entries += actions.recruit_archetype(
                    computed(book, entries), offer.row.key, len(entries) + 1
                )
            after = computed(book, entries)
            *_others, second = after.roster.members
            about = [
                one.translated("en")
                for one in findings(book, after.roster)
                if one.severity == "error" and one.members == (second.id,)
            ]
            assert about == [], offer.row.key


def test_archetypes_are_enough_for_a_legal_gang(book: Book) -> None:
    """Each press recruits the archetype that leaves the fewest errors; the cheapest of equals."""
    entries = found_entries(book)
    for _press in range(10):
        gang = computed(book, entries)
        if gang.roster.members and not errors(gang):
            break
        more = [
            actions.recruit_archetype(gang, offer.row.key, len(entries) + 1)
            for offer in sorted(offers.archetypes(gang), key=lambda offer: offer.price)
        ]
        assert more, "nobody is left to recruit"
        entries += min(more, key=lambda each: len(errors(computed(book, [*entries, *each]))))
    assert not errors(computed(book, entries))


def errors(gang: ComputedGang) -> list[str]:
    found = findings(gang.book, gang.roster, gang)
    return [one.translated("en") for one in found if one.severity == "error"]


def test_second_leader_archetype_is_not_offered(book: Book) -> None:
    gang = computed(book, found_entries(book))
    for offer in offers.archetypes(gang):
        if book.rank[offer.row.rank].leads:
            after = recruit(gang, offer.row)
            assert offer.row.rank not in {each.row.rank for each in offers.archetypes(after)}
            with pytest.raises(Refusal, match="not_offered"):
                actions.recruit_archetype(after, offer.row.key, 9)


def test_archetypes_of_a_banned_rank_are_not_offered(book: Book) -> None:
    rank = book.ranks[-1].model_copy(update={"status": "banned"})
    variant = book.changed(ranks=(*book.ranks[:-1], rank))
    gang = computed(variant, found_entries(variant))
    assert rank.key not in {offer.row.rank for offer in offers.archetypes(gang)}


def test_archetypes_with_a_banned_item_are_not_offered(book: Book) -> None:
    offered = offers.archetypes(computed(book, found_entries(book)))
    gone = next(offer.row for offer in offered if offer.row.items).items[0]
    items = [
        row.model_copy(update={"status": "banned"}) if row.key == gone else row
        for row in book.items
    ]
    variant = book.changed(items=tuple(items))
    left = offers.archetypes(computed(variant, found_entries(variant)))
    assert [offer.row.key for offer in left] == [
        offer.row.key for offer in offered if gone not in offer.row.items
    ]
