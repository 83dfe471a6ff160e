"""Upgrading any gang to another version of its rules, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Refusal
from gangs.cards import render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import changes
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, book_now, fold, refold
from gangs.engine.roster import OwnItem, Rise, Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_rating
from gangs.engine.version_change import carry_over, fit_settings
from gangs.versions.text import describe, summary
from rules.book.model import Book
from tests.gangs.other_rules import other, versions
from tests.gangs.rosters import member, roster
from tests.gangs.strategies import built, decisions, every_offer, gangs
from tests.random_cases import one_soon, random_cases
from tests.world.gangs import GOLD, POINTS, SLUGS, shipped

some = random_cases(5, 100)


def shelf(*books: Book) -> Callable[[str], Book]:
    """Return a function that finds these books by digest."""
    known = {book.digest: book for book in books}

    def find(digest: str) -> Book:
        if digest not in known:
            raise Misfit("unknown_book")
        return known[digest]

    return find


def next_actions(data: Any, book: Book, gang: Roster, next_id: int) -> list[kinds.Entry]:
    """Entries of a player's next few actions."""
    choices = decisions(book)
    options = [{row.key: row.default} for row in book.settings]
    if options:
        choices.append(
            lambda draw, computed, _: actions.change_gang(
                computed, name="Gang", notes="", settings=draw(st.sampled_from(options))
            )
        )
    entries: list[kinds.Entry] = []
    for choice in data.draw(st.lists(st.integers(0, len(choices) - 1), max_size=8)):
        try:
            made = choices[choice](data.draw, ComputedGang.of(book, gang), next_id + len(entries))
        except Refusal:
            continue
        for entry in made:
            gang = apply(book, gang, next_id + len(entries), entry)
            entries.append(entry)
    return entries


# Any gang, any version


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
@some
@given(data=st.data())
def test_any_gang_can_be_upgraded_to_any_version(slug: str, data: Any) -> None:
    old, gang = shipped(slug), data.draw(gangs(slug))
    new = data.draw(versions(slug))
    carried, _ = carry_over(old, new, gang)
    computed = ComputedGang.of(new, carried)
    assert carried.settings == fit_settings(new, gang.settings)
    assert all(one.rank in new.rank for one in carried.members)
    findings(new, carried, computed)
    gang_rating(new, carried)
    every_offer(computed)
    for language in ("en", "fr"):
        render.render(computed, language)
        with translation.override(language):
            summary(describe(changes(old, new, gang), new))
    # An upgrade to the same rules keeps everything that is in them.
    again, losses = carry_over(new, new, carried)
    assert again == carried and not losses
    assert not changes(new, new, carried)


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
@some
@given(data=st.data())
def test_striking_and_restoring_an_upgrade_changes_nothing(slug: str, data: Any) -> None:
    old, new = shipped(slug), data.draw(versions(slug))
    books = shelf(old, new)
    log, _ = data.draw(built(slug))
    before = fold(old, log)
    upgraded = (len(log) + 1, kinds.Upgraded(digest=new.digest))
    whole = [*log, upgraded]
    after = fold(old, whole, books=books)
    assert after.book == new.digest and book_now(old, after, books) is new
    for entry in next_actions(data, new, after, len(whole) + 1):
        whole.append((len(whole) + 1, entry))
    end = fold(old, whole, books=books)
    # Every snapshot on the way continues to the same gang.
    cut = data.draw(st.integers(0, len(whole)))
    snapshot = fold(old, whole[:cut], books=books).model_dump_json(exclude_defaults=True)
    assert fold(old, whole[cut:], Roster.model_validate_json(snapshot), books) == end
    # After the strike, with all misfits, the older rules are in force and nothing of the newer.
    kept = [pair for pair in whole if pair != upgraded]
    struck, misfits = refold(old, kept, books)
    unfit = {seq for seq, _ in misfits}
    assert struck.book == "" and not unfit & {seq for seq, _ in log}
    assert fold(old, [pair for pair in kept if pair[0] not in unfit]) == struck
    if whole[-1] == upgraded:
        assert struck == before
    # Restored.
    assert refold(old, whole, books) == (end, [])


# Things that the newer rules lack


def book_without(slug: str, table: str, *keys: str) -> Book:
    """The rulebook without these rows; references to them may stay, as no test follows them."""
    rows = getattr(shipped(slug), table)
    return shipped(slug).changed(**{table: tuple(row for row in rows if row.key not in keys)})


def test_removing_a_rank_stores_its_gear_and_dismisses_its_members() -> None:
    old = shipped(GOLD)
    rank, item = old.ranks[-1].key, old.items[0].key
    gang = roster(old, member(rank, items=[item]), member(old.ranks[0].key), games=1)
    new = book_without(GOLD, "ranks", rank)
    carried, losses = carry_over(old, new, gang)
    assert [one.rank for one in carried.members] == [old.ranks[0].key]
    assert [owned.key for owned in carried.stash] == [item]
    assert [gone.fate for gone in carried.departed] == ["dismissed"]
    assert [loss.kind for loss in losses] == ["rank"]
    # The memorial still shows them, by the only name that is left.
    assert render.render(ComputedGang.of(new, carried), "en").departed[0].name


def test_promotions_count_only_remaining_traits() -> None:
    old = shipped(GOLD)
    first, second, third = (trait.key for trait in old.traits[:3])
    hero = member(old.ranks[0].key, traits=[first, second, third])
    rise = Rise(rank=old.ranks[0].key, traits=2)
    gang = roster(old, hero.model_copy(update={"rises": (rise,)}), games=1)
    carried, losses = carry_over(old, book_without(GOLD, "traits", first), gang)
    assert carried.members[0].traits == (second, third)
    assert carried.members[0].rises[0].traits == 1
    assert [loss.name for loss in losses] == [old.trait[first].name]


def test_own_items_are_removed_with_their_group() -> None:
    old = shipped(POINTS)
    group = old.items[0].group
    own = OwnItem(key="own-2", name="Heirloom", group=group, price=1)
    gang = roster(old, member(old.ranks[0].key, items=["own-2"]))
    gang = gang.model_copy(update={"own_items": (own,)})
    items = tuple(item for item in old.items if item.group != group)
    new = book_without(POINTS, "groups", group).changed(items=items)
    carried, losses = carry_over(old, new, gang)
    assert not carried.own_items and not carried.members[0].items
    assert [loss.name["en"] for loss in losses] == ["Heirloom"]


def test_unknown_settings_are_replaced_by_defaults() -> None:
    book = shipped(POINTS)
    key = book.settings[0].key
    assert fit_settings(book, {"no-such": 1, key: "no-such-value"}) == book.default_settings()
    assert key not in fit_settings(book_without(POINTS, "settings", key), book.default_settings())


def test_summary_shows_the_price_change_of_dearer_rules() -> None:
    old = shipped(GOLD)
    gang = roster(old, member(old.ranks[0].key, name="Aude", items=[old.items[0].key]))
    new = other(old, 3)
    lines = summary(describe(changes(old, new, gang), new))
    price = gang_rating(old, gang).total
    assert any(line.startswith("Aude") and f"{price} → {price + 6}" in line for line in lines)


def test_upgrade_rejects_the_rulebook_of_another_game() -> None:
    gold, points = shipped(GOLD), shipped(POINTS)
    gang = roster(gold)
    entry = kinds.Upgraded(digest=points.digest)
    with pytest.raises(Misfit, match="other_rules"):
        apply(gold, gang, 2, entry, shelf(points))
    with pytest.raises(Misfit, match="unknown_book"):
        apply(gold, gang, 2, entry)


def test_unknown_options_are_not_kept() -> None:
    """Text in place of a number would break the code that reads it."""
    old = shipped(GOLD)
    row = old.settings[0]
    founded = kinds.Founded(name="Gang", settings=old.default_settings())
    chosen = kinds.SettingsChosen(settings={row.key: "no-such-value"})
    gang, misfits = refold(old, [(1, founded), (2, chosen)])
    assert [misfit.code for _, misfit in misfits] == ["unknown"]
    joined = kinds.Joined(campaign="x", name="Y", settings={row.key: "no-such-value", "no-such": 1})
    assert apply(old, gang, 2, joined).settings == old.default_settings()
