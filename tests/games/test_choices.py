"""Words for builders in the tests' own games: limits on items, traits and origins."""

from __future__ import annotations

from typing import Any

import pytest

from common.errors import Refusal
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.plausibility import implausible
from gangs.engine.validation import findings
from rules.book.model import Archetype, Book
from rules.book.vocabulary import Text
from rules.loading.check_building import check

NAME = Text.model_validate({"en": "Ringer", "fr": "Sonneur"})


def gang(book: Book, *entries: Entry) -> ComputedGang:
    """Return the gang of these entries after its founding."""
    founded = kinds.Founded(name="Ours", settings={})
    return ComputedGang.of(book, fold(book, enumerate([founded, *entries], start=1)))


def refusals(computed: ComputedGang, member: int) -> dict[str, str]:
    """Return why a member cannot have each item; "" where they can."""
    return {
        offer.row.key: offer.refusal.code if offer.refusal else ""
        for offer in offers.items(computed, computed.roster.member(member))
    }


def mistakes(book: Book, **fields: Any) -> list[str]:
    """Return the checker's sentences for the book with other rows."""
    return [str(sentence) for _path, sentence in check(book.changed(**fields))]


def test_item_is_refused_beyond_its_most_per_member(circle: Book) -> None:
    bells = [kinds.Bought(item="bell", member=2), kinds.Bought(item="bell", member=2)]
    ringer = gang(circle, kinds.Recruited(rank="sitter", name="Ida"), *bells)
    assert refusals(ringer, 2)["bell"] == "group_full"
    with pytest.raises(Refusal) as caught:
        actions.buy(ringer, 2, "bell")
    assert caught.value.values == {"maximum": 2, "group": circle.item["bell"].name}
    # The stash has no maximum, but handing the third bell over is refused, too.
    stashed = gang(circle, kinds.Recruited(rank="sitter"), *bells, kinds.Bought(item="bell"))
    with pytest.raises(Refusal, match="group_full"):
        actions.move(stashed, 5, 2)
    [doubt] = implausible(circle, stashed.roster, kinds.Moved(item=5, member=2))
    assert doubt.code == "group_full"


def test_offer_says_the_most_of_an_item_for_those_it_picks(terraces: Book) -> None:
    recruits = [kinds.Recruited(rank="picker", name="Pia"), kinds.Recruited(rank="cousin")]
    staves = [kinds.Bought(item="stave", member=member) for member in (2, 3)]
    household = gang(terraces, *recruits, *staves)
    assert refusals(household, 2)["stave"] == "group_full"
    assert refusals(household, 3)["stave"] == ""
    over = gang(terraces, *recruits, *staves, kinds.Bought(item="stave", member=2))
    [finding] = findings(terraces, over.roster)
    assert finding.code == "LADEN" and finding.members == (2,)
    assert finding.translated("en") == "Pia has 2 of 1: Stave."


def test_archetype_with_too_many_of_an_item_is_not_offered(circle: Book) -> None:
    archetypes = tuple(
        Archetype(key=key, name=NAME, source="house", rank="sitter", items=("bell",) * count)
        for key, count in (("ringer", 2), ("laden", 3))
    )
    book = circle.changed(archetypes=archetypes)
    assert [offer.row.key for offer in offers.archetypes(gang(book))] == ["ringer"]


def test_checker_names_a_maximum_of_something_that_nobody_buys(circle: Book) -> None:
    items = tuple(
        row.model_copy(update={"most_per_member": 1}) if row.innate else row for row in circle.items
    )
    assert mistakes(circle, items=items) == [
        "is only used for items that are bought: everybody already has this one (“innate”)"
    ]
