"""The vocabulary for counting things: an amount for each member, item or point of a tally."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rules.book.vocabulary import (
    CountKey,
    Frozen,
    GroupKey,
    HoldingKey,
    ItemKey,
    ItemTag,
    MarkKey,
    Selector,
)


class ItemSelector(Frozen):
    """Picks the items for which everything named is true; an empty selector picks all."""

    items: tuple[ItemKey, ...] = ()
    groups: tuple[GroupKey, ...] = ()
    item_tags: tuple[ItemTag, ...] = ()


class Each(Frozen):
    """The things that something is rolled, paid or given for, once each. Exactly one of ``tally``,
    ``members``, ``items`` and ``holdings`` is named.

    ``tally``: the points of this tally in the game (the member's own, if it is counted per member
    and the outcome is about one); ``members``: the gang's members that it picks; ``items``: the
    items that it picks, in the stash and with members; ``holdings``: those of the gang's holdings
    that are among these. ``fielded``: only members who took part in
    the game; ``not_marks``: not those who ended it with one of these marks. ``most``: no more than
    that are counted.
    """

    tally: CountKey | None = None
    members: Selector | None = None
    items: ItemSelector | None = None
    holdings: tuple[HoldingKey, ...] = ()
    fielded: bool = False
    not_marks: tuple[MarkKey, ...] = ()
    most: Annotated[int, Field(gt=0)] | None = None
