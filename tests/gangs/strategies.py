"""Random builders: players who press whatever the page offers, and sometimes what it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from gangs import acts, offers
from gangs import entries as kinds
from gangs.entries import Entry
from gangs.findings import Scene
from gangs.fold import apply
from gangs.refusal import Refusal
from gangs.roster import Roster
from rules.book import Book

NAMES = st.text("abcdéèêœ'’- ", min_size=1, max_size=12).map(str.strip)
Log = list[tuple[int, Entry]]


def _member(draw: Any, roster: Roster) -> int:
    ids = [member.id for member in roster.members]
    return draw(st.sampled_from([*ids, 999])) if ids else 999


def _item(draw: Any, roster: Roster) -> int:
    ids = [owned.id for member in roster.members for owned in member.items]
    ids += [owned.id for owned in roster.stash]
    return draw(st.sampled_from([*ids, 999])) if ids else 999


def decisions(book: Book) -> list[Callable[[Any, Scene, int], list[Entry]]]:
    """What a player can do on the builder's page."""
    ranks = st.sampled_from([rank.key for rank in book.ranks])
    items = st.sampled_from([item.key for item in book.items])
    groups = st.sampled_from([group.key for group in book.groups])
    traits = st.sampled_from([trait.key for trait in book.traits])
    scores = st.sampled_from([row.key for row in book.characteristics])
    callings = st.sampled_from([None, *(row.key for row in book.professions)])
    return [
        lambda draw, scene, _: acts.recruit(
            scene, draw(ranks), draw(NAMES), draw(st.integers(1, 3))
        ),
        lambda draw, scene, _: acts.recruit(scene, draw(ranks), ""),
        lambda draw, scene, next_id: acts.duplicate(scene, _member(draw, scene.roster), next_id),
        lambda draw, scene, _: acts.dismiss(scene, _member(draw, scene.roster)),
        lambda draw, scene, _: acts.describe(
            scene,
            _member(draw, scene.roster),
            name=draw(NAMES),
            notes="",
            profession=draw(callings),
        ),
        lambda draw, scene, _: acts.spread_points(
            scene, _member(draw, scene.roster), draw(scores), draw(st.sampled_from([1, 2, -1]))
        ),
        lambda draw, scene, _: acts.take_trait(scene, _member(draw, scene.roster), draw(traits)),
        lambda draw, scene, _: acts.drop_trait(scene, _member(draw, scene.roster), draw(traits)),
        lambda draw, scene, _: acts.buy(scene, _member(draw, scene.roster), draw(items)),
        lambda draw, scene, _: acts.buy(scene, None, draw(items)),
        lambda draw, scene, _: acts.move(
            scene, _item(draw, scene.roster), _member(draw, scene.roster)
        ),
        lambda draw, scene, _: acts.declare_item(
            scene,
            kinds.ItemDeclared(
                name=draw(NAMES) or "x", group=draw(groups), price=draw(st.integers(0, 9)), level=3
            ),
        ),
        lambda draw, scene, _: acts.buy(
            scene, _member(draw, scene.roster), f"own-{draw(st.integers(2, 12))}"
        ),
        lambda draw, scene, _: acts.discard(scene, _item(draw, scene.roster)),
        lambda draw, scene, _: acts.reorder(
            scene, _member(draw, scene.roster), draw(st.sampled_from([-1, 1]))
        ),
        lambda draw, scene, _: acts.change_gang(scene, name=draw(NAMES), notes="x"),
    ]


@st.composite
def built(draw: Any, book: Book) -> tuple[Log, list[list[int]]]:
    """The entries of a gang that somebody built, and which of them were one act."""
    founding = acts.found(book, "Gang", {})
    log: Log = [(1, founding[0])]
    batches = [[1]]
    roster = apply(book, Roster(), 1, founding[0])
    choices = decisions(book)
    for choice in draw(st.lists(st.integers(0, len(choices) - 1), max_size=25)):
        next_id = len(log) + 1
        try:
            entries = choices[choice](draw, Scene.of(book, roster), next_id)
        except Refusal:
            continue
        for seq, entry in enumerate(entries, start=next_id):
            roster = apply(book, roster, seq, entry)
            log.append((seq, entry))
        if entries:
            batches.append(list(range(next_id, len(log) + 1)))
    return log, batches


def every_offer(scene: Scene) -> list[offers.Offer[Any]]:
    """Everything on offer in a gang."""
    found: list[offers.Offer[Any]] = [*offers.ranks(scene), *offers.items(scene, None)]
    for member in scene.roster.members:
        found += offers.items(scene, member)
        found += offers.traits(scene, member)
    return found
