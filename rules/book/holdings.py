"""The vocabulary for what a gang holds and owes: places, their income, and upkeep.

A gang holds places, a base or a ship. They change members, bring money, cost upkeep, and may be
captured by the result of a game.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.fates import Outcome
from rules.book.labels import Table, Values
from rules.book.vocabulary import (
    Amount,
    Costs,
    CountKey,
    Effect,
    Frozen,
    HoldingKey,
    InCurrency,
    ItemTag,
    Of,
    Price,
    Row,
    Selector,
    Text,
)

Ascending = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1, max_length=20)]


class Holding(Row):
    """A place, or anything else that a gang as a whole holds.

    In a campaign only one gang holds it; ``shared``: any number of gangs, each its own, and a gang
    may have several. ``price``: what claiming it costs; without one, only dice and captures bring
    it. ``named``: the players give it a name of their own. ``captured``: it may pass to the winner
    of a game. ``effects``: what it changes for the holder's members whom ``of`` picks.
    """

    editing = Table(_("Holdings"), _("Add a holding"), offered=True)
    text: Annotated[Text | None, _("Text")] = None
    price: Annotated[Price | None, _("Price")] = None
    costs: Costs = {}
    shared: Annotated[bool, _("Several gangs may have one")] = False
    named: Annotated[bool, _("Players name it")] = False
    captured: Annotated[bool, _("Can be captured")] = True
    effects: Annotated[tuple[Effect, ...], _("What it changes")] = ()
    of: Of = Selector()


class PerHolder(Row):
    """A sum for each thing that the gang has, of exactly one kind.

    ``of``: for each member whom it picks; with ``item_tags`` for each of their items with one of
    these tags instead (without ``of``, for those in the stash, too). ``fielded``: only for members
    who took part in the game. ``holdings``: for each of these that the gang holds.
    """

    of: Annotated[Selector | None, _("For each member")] = None
    item_tags: Annotated[tuple[ItemTag, ...], _("For each item with the property")] = ()
    fielded: Annotated[bool, _("Only members who took part")] = False
    holdings: Annotated[tuple[HoldingKey, ...], _("For each holding")] = ()


class Yield(PerHolder):
    """Money, or another ``currency``, that comes in with the income after each game: an amount, or
    dice for each thing.
    ``sides``: only for the winner, the loser or each side of a level game (all if none)."""

    editing = Table(_("Income per holder"), _("Add an income"), removable=True)
    amount: Annotated[Amount, _("Amount")]
    currency: InCurrency = None
    sides: Annotated[
        tuple[Literal["winner", "loser", "level"], ...],
        _("Only for"),
        Values(winner=_("the winner"), loser=_("the loser"), level=_("a level game")),
    ] = ()


class HaulRow(Frozen):
    """The money for a count of ``count`` or more, up to the next row: one amount for each size."""

    count: Annotated[int, Field(ge=1, le=1_000)]
    amounts: Annotated[tuple[Price, ...], Field(min_length=1, max_length=20)]


class Haul(Row):
    """Money, or another ``currency``, for a tally, from a table with two ways in: the count, and
    the gang's size.

    ``tally``: the count; ``sizes``: the least number of members for each column, rising from the
    first; ``rows``: the amounts, the counts rising. A count below the first row brings nothing.
    """

    editing = Table(_("Income by size"), _("Add an income by size"), removable=True)
    tally: Annotated[CountKey, _("Tally")]
    currency: InCurrency = None
    sizes: Annotated[Ascending, _("Members, at least")]
    rows: Annotated[tuple[HaulRow, ...], Field(min_length=1, max_length=60), _("Rows")]


class Upkeep(PerHolder):
    """A sum that is due in the step for upkeep, each time, in money or in another ``currency``.

    ``unpaid``: what happens to a member who is not paid (for items: to the member who has them). A
    holding that is not paid for is lost.
    """

    editing = Table(_("Upkeep"), _("Add an upkeep"), removable=True)
    amount: Annotated[Price, _("Amount")]
    currency: InCurrency = None
    unpaid: Annotated[tuple[Outcome, ...], _("If it is not paid")] = ()
