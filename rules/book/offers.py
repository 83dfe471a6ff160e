"""Offers: what some members can buy, at a price of their own, and the kit that they come with."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from common.wording.sentences import gettext_noop as _
from rules.book.labels import Table
from rules.book.schema import Item
from rules.book.vocabulary import (
    Amount,
    GroupKey,
    ItemKey,
    ItemTag,
    Most,
    Of,
    Phase,
    Price,
    Row,
    Selector,
)

# A roll and the total that it needs: "2d6 >= 9", "1d6 <= 2".
Search = Annotated[str, StringConstraints(pattern=r"^[1-9]\d?d[1-9]\d? [<>]= \d{1,4}$")]


class ItemOffer(Row):
    """Items on offer to the members that ``of`` picks: those of these ``items``, ``item_tags`` and
    ``groups``.

    ``price``: it replaces the list price, before adjustments; the first offer with a price counts.
    ``most_per_member``: the most that each of these members may have of each of the items; the
    first offer with a number counts.
    ``only``: these members can buy only what such rows offer them; a member whom no such row picks
    can buy everything. ``included``: they join with one of each of the ``items``, at no price.
    ``phase``: the row counts only before, or only after, the gang's first game.
    ``availability``: the items are on offer only after a member has found them with these dice in
    a post-game, until the next game. ``price_dice``: the member who finds them rolls for their
    price; ``stock``: the number that can be bought then, or dice for it.
    """

    editing = Table(_("Offers of items"), _("Add an offer"), removable=True, ordered=True)
    of: Of = Selector()
    items: Annotated[tuple[ItemKey, ...], _("Items")] = ()
    item_tags: Annotated[tuple[ItemTag, ...], _("Items with the property")] = ()
    groups: Annotated[tuple[GroupKey, ...], _("Kinds of items")] = ()
    price: Annotated[Price | None, _("Price")] = None
    most_per_member: Annotated[Most | None, _("Most per member")] = None
    only: Annotated[bool, _("They can buy nothing else")] = False
    included: Annotated[bool, _("They join with these")] = False
    phase: Annotated[Phase | None, _("Only at this time")] = None
    availability: Annotated[Search | None, _("Found with the dice")] = None
    price_dice: Annotated[Amount | None, _("Price by dice, once found")] = None
    stock: Annotated[Amount | None, _("How many can be bought, once found")] = None

    def offers(self, item: Item) -> bool:
        """Whether the item is one of these."""
        return (
            item.key in self.items
            or item.group in self.groups
            or not item.tags.isdisjoint(self.item_tags)
        )

    @property
    def dice(self) -> str:
        """The dice of a search, "2d6"; "" if there is none."""
        return (self.availability or "").partition(" ")[0]

    @property
    def terms(self) -> str:
        """The dice of a search and the total that they need, as players write them: "2D6 ≥ 9"."""
        return (self.availability or "").upper().replace(">=", "≥").replace("<=", "≤")

    def is_found(self, total: int) -> bool:
        """Whether a search with this total finds the items."""
        _dice, sign, needed = (self.availability or "0d0 >= 0").split()
        return total >= int(needed) if sign == ">=" else total <= int(needed)
