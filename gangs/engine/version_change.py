"""Carrying a gang over to another version of its rulebook.

Things that the newer rulebook no longer has are dropped and listed. Nobody decides or pays
anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gangs.engine.mutations import gather, leave_gear
from gangs.engine.own_items import extend_book
from gangs.engine.purses import balance
from gangs.engine.roster import Member, OwnedItem, OwnItem, Roster
from rules.book.model import Book
from rules.book.vocabulary import Row, Settings, Text, name_of

LossKind = Literal[
    "rank",
    "item",
    "trait",
    "condition",
    "profession",
    "origin",
    "characteristic",
    "holding",
    "currency",
    "track",
]


@dataclass(frozen=True)
class Loss:
    """Something that the newer rulebook does not have. ``member``: its owner; None: the gang.

    A member whose ``rank`` is lost leaves the gang. ``name``: by the older rulebook.
    """

    kind: LossKind
    name: Text | str
    member: int | None = None


def fit_settings(book: Book, settings: Settings) -> Settings:
    """Convert another book's settings for ``book``; values that it does not accept become its
    default.
    """
    chosen = {}
    for row in book.settings:
        value = settings.get(row.key, row.default)
        chosen[row.key] = value if row.accepts(value) else row.default
    return chosen


def carry_over(old: Book, new: Book, roster: Roster) -> tuple[Roster, tuple[Loss, ...]]:
    """The roster under the newer rulebook, and the things that it loses.

    Members who left earlier are kept, even if their rank no longer exists.
    """
    losses: list[Loss] = []
    known = extend_book(old, roster)
    own = tuple(_own_item(new, item) for item in roster.own_items if item.group in new.group)
    shelf = {*new.item, *(item.key for item in own)}
    stash = _items(known, new, shelf, roster.stash, None, losses)
    members = tuple(_member(known, new, shelf, member, losses) for member in roster.members)
    departed = tuple(
        gone.changed(member=_member(known, new, shelf, gone.member, [])) for gone in roster.departed
    )
    for held in roster.holdings:
        if held.key not in new.holding:
            losses.append(Loss("holding", held.own_name(old)))
    for key, amount in balance(known, roster).items():
        if amount and key not in new.currency:
            losses.append(Loss("currency", old.currency[key].name))
    carried = roster.changed(
        settings=fit_settings(new, roster.settings),
        members=members,
        stash=stash,
        own_items=own,
        departed=departed,
        holdings=tuple(held for held in roster.holdings if held.key in new.holding),
        found=tuple(key for key in roster.found if key in new.offer),
        found_prices={key: one for key, one in roster.found_prices.items() if key in new.offer},
        found_left={key: left for key, left in roster.found_left.items() if key in new.offer},
        book=new.digest,
        purses={key: amount for key, amount in roster.purses.items() if key in new.currency},
    )
    for member in members:
        if member.rank not in new.rank:
            losses.append(Loss("rank", name_of(old.rank, member.rank), member.id))
            if any(one.id == member.id for one in carried.members):
                # Others left with the member whom they belonged to.
                carried = leave_gear(carried, member, "dismissed")
    return gather(carried), tuple(losses)


def _own_item(new: Book, item: OwnItem) -> OwnItem:
    known = {column.key for column in new.group[item.group].columns}
    return item.changed(
        columns={key: item.columns[key] for key in item.columns if key in known},
        adds={key: item.adds[key] for key in item.adds if key in new.characteristic},
    )


def _items(
    old: Book,
    new: Book,
    shelf: set[str],
    items: tuple[OwnedItem, ...],
    member: int | None,
    losses: list[Loss],
) -> tuple[OwnedItem, ...]:
    lost = (owned for owned in items if owned.key not in shelf)
    losses.extend(Loss("item", name_of(old.item, owned.key), member) for owned in lost)
    left = {owned.id for owned in items if owned.key in shelf}
    return tuple(
        _fit_uses(new, owned if owned.on in left else owned.changed(on=None))
        for owned in items
        if owned.key in shelf
    )


def _fit_uses(new: Book, owned: OwnedItem) -> OwnedItem:
    """The item with no more uses over than the newer rulebook has, so that one is left."""
    if not owned.used:
        return owned
    uses = new.item[owned.key].uses if owned.key in new.item else None
    return owned.changed(used=min(owned.used, (uses or 1) - 1))


def _lasts(new: Book, key: str) -> bool:
    """Whether the newer rulebook has a tracker with this key that lasts after a game."""
    return key in new.track and new.track[key].lasts


def _belongs(new: Book, rank: str) -> bool:
    """Whether members of a rank belong to others, as far as the newer rulebook says."""
    return rank not in new.rank or new.rank[rank].belongs_to is not None


def _member(old: Book, new: Book, shelf: set[str], member: Member, losses: list[Loss]) -> Member:
    def kept(
        kind: LossKind, old: Mapping[str, Row], new: Mapping[str, Row], *keys: str
    ) -> list[str]:
        losses.extend(Loss(kind, name_of(old, key), member.id) for key in keys if key not in new)
        return [key for key in keys if key in new]

    origins, professions = filter(None, [member.origin]), filter(None, [member.profession])
    items = _items(old, new, shelf, member.items, member.id, losses)
    origin = kept("origin", old.origin, new.origin, *origins)
    profession = kept("profession", old.profession, new.profession, *professions)
    changed = dict.fromkeys((*member.points, *member.raised, *member.rolled))
    known = kept("characteristic", old.characteristic, new.characteristic, *changed)
    # Dice that were rolled are a number, which no other kind of characteristic can have.
    numbers = [key for key in known if new.characteristic[key].kind == "number"]
    others = [key for key in member.rolled if key in known and key not in numbers]
    losses.extend(
        Loss("characteristic", name_of(old.characteristic, key), member.id) for key in others
    )
    traits = kept("trait", old.trait, new.trait, *member.traits)
    suffered = [affliction.condition for affliction in member.afflictions]
    conditions = kept("condition", old.condition, new.condition, *suffered)
    lasting = [key for key, value in member.tracks.items() if value and not _lasts(new, key)]
    losses.extend(Loss("track", name_of(old.track, key), member.id) for key in lasting)
    return member.changed(
        items=items,
        worth_rank=member.worth_rank if member.worth_rank in new.rank else member.rank,
        base_rank=member.base_rank if member.base_rank in new.rank else "",
        origin=next(iter(origin), None),
        profession=next(iter(profession), None),
        points={key: value for key, value in member.points.items() if key in known},
        raised={key: value for key, value in member.raised.items() if key in known},
        rolled={key: value for key, value in member.rolled.items() if key in numbers},
        traits=tuple(traits),
        # A rise remembers how many of the traits came before it.
        rises=tuple(
            rise.changed(traits=sum(key in new.trait for key in member.traits[: rise.traits]))
            for rise in member.rises
            if rise.rank in new.rank
        ),
        afflictions=tuple(row for row in member.afflictions if row.condition in conditions),
        tracks={key: value for key, value in member.tracks.items() if _lasts(new, key)},
        owner=member.owner if _belongs(new, member.rank) else None,
    )
