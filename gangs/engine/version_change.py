"""Changing versions: what becomes of a gang when its rulebook changes.

What the newer rulebook no longer has is dropped, and told. Nothing is asked and nothing is paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gangs.changing import leave_gear
from gangs.own_items import extended
from gangs.roster import Member, OwnedItem, OwnItem, Rise, Roster
from rules.book import Book
from rules.vocabulary import Row, Settings, Text

LossKind = Literal["rank", "item", "trait", "condition", "profession", "origin", "characteristic"]


@dataclass(frozen=True)
class Loss:
    """Something that the newer rulebook does not have, and whose it was (None: the gang's).

    A member whose ``rank`` is lost leaves the gang. ``name``: by the older rulebook.
    """

    kind: LossKind
    name: Text
    member: int | None = None


def fitted(book: Book, settings: Settings) -> Settings:
    """Settings for ``book`` out of those of another: what it does not accept is at its default."""
    chosen = {}
    for row in book.settings:
        value = settings.get(row.key, row.default)
        chosen[row.key] = value if row.accepts(value) else row.default
    return chosen


def carried_over(old: Book, new: Book, roster: Roster) -> tuple[Roster, tuple[Loss, ...]]:
    """The roster under the newer rulebook, and what got lost on the way.

    Of those who left before, nobody is forgotten, whatever his rank was.
    """
    losses: list[Loss] = []
    known = extended(old, roster)
    own = tuple(_own_item(new, item) for item in roster.own_items if item.group in new.group)
    shelf = {*new.item, *(item.key for item in own)}
    stash = _items(known, shelf, roster.stash, None, losses)
    members = tuple(_member(known, new, shelf, member, losses) for member in roster.members)
    departed = tuple(
        gone.model_copy(update={"member": _member(known, new, shelf, gone.member, [])})
        for gone in roster.departed
    )
    carried = roster.model_copy(
        update={
            "settings": fitted(new, roster.settings),
            "members": members,
            "stash": stash,
            "own_items": own,
            "departed": departed,
            "book": new.digest,
        }
    )
    for member in members:
        if member.rank not in new.rank:
            losses.append(Loss("rank", _name(old.rank, member.rank), member.id))
            carried = leave_gear(carried, member, "dismissed")
    return carried, tuple(losses)


def _name(rows: Mapping[str, Row], key: str) -> Text:
    row = rows.get(key)
    return row.name if row is not None else Text(en=key, fr=key)


def _own_item(new: Book, item: OwnItem) -> OwnItem:
    known = {column.key for column in new.group[item.group].columns}
    columns = {key: value for key, value in item.columns.items() if key in known}
    return item.model_copy(update={"columns": columns})


def _items(
    old: Book,
    shelf: set[str],
    items: tuple[OwnedItem, ...],
    member: int | None,
    losses: list[Loss],
) -> tuple[OwnedItem, ...]:
    lost = (owned for owned in items if owned.key not in shelf)
    losses.extend(Loss("item", _name(old.item, owned.key), member) for owned in lost)
    return tuple(owned for owned in items if owned.key in shelf)


def _member(old: Book, new: Book, shelf: set[str], member: Member, losses: list[Loss]) -> Member:
    def lose(kind: LossKind, rows: Mapping[str, Row], key: str) -> None:
        losses.append(Loss(kind, _name(rows, key), member.id))

    update: dict[str, Any] = {"items": _items(old, shelf, member.items, member.id, losses)}
    if member.worth_rank not in new.rank:
        update["worth_rank"] = member.rank
    if member.base_rank not in new.rank:
        update["base_rank"] = ""
    if member.origin is not None and member.origin not in new.origin:
        lose("origin", old.origin, member.origin)
        update["origin"] = None
    if member.profession is not None and member.profession not in new.profession:
        lose("profession", old.profession, member.profession)
        update["profession"] = None
    for key in member.points:
        if key not in new.characteristic:
            lose("characteristic", old.characteristic, key)
    update["points"] = {
        key: points for key, points in member.points.items() if key in new.characteristic
    }
    for key in member.traits:
        if key not in new.trait:
            lose("trait", old.trait, key)
    update["traits"] = tuple(key for key in member.traits if key in new.trait)
    # A rise remembers how many of the traits came before it.
    update["rises"] = tuple(
        Rise(
            rank=rise.rank,
            traits=sum(key in new.trait for key in member.traits[: rise.traits]),
        )
        for rise in member.rises
        if rise.rank in new.rank
    )
    for suffered in member.afflictions:
        if suffered.condition not in new.condition:
            lose("condition", old.condition, suffered.condition)
    update["afflictions"] = tuple(
        suffered for suffered in member.afflictions if suffered.condition in new.condition
    )
    return member.model_copy(update=update)
