"""The shelf: what offers let a member buy, and the kit that recruits join with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.fitting import fit_out
from gangs.engine.own_items import SOURCE
from gangs.engine.roster import Roster
from gangs.engine.valuation import newcomer
from rules.book.model import Rules
from rules.book.offers import ItemOffer
from rules.book.schema import Item
from rules.engine.figure import Figure, picks


def why_not_offered(
    rules: Rules, roster: Roster, figure: Figure | None, item: Item
) -> Refusal | None:
    """Why the rulebook's offers do not let a member buy an item; None if they do.

    ``figure``: the member; None for the stash, which takes what anybody could buy. No list of the
    rulebook can name the gang's own items, so everybody may have them.
    """
    if not rules.offers or item.source == SOURCE:
        return None
    if figure is None:
        buyers = (newcomer(rules.book, roster, rank.key) for rank in rules.ranks)
        reasons = [_why_not(rules, roster, buyer, item) for buyer in buyers]
        return None if None in reasons else next(iter(reasons), None)
    return _why_not(rules, roster, figure, item)


def _why_not(rules: Rules, roster: Roster, figure: Figure, item: Item) -> Refusal | None:
    offers = [row for row in rules.offers if picks(rules.book, row.of, figure)]
    if not is_listed(offers, item):
        return Refusal("not_listed")
    named = [row for row in offers if not row.included and row.offers(item)]
    rare = [row for row in named if row.availability is not None]
    if rare and len(rare) == len(named) and not any(row.key in roster.found for row in rare):
        return Refusal("not_found", dice=rare[0].terms)
    return None


def is_listed(offers: Iterable[ItemOffer], item: Item) -> bool:
    """Whether a member with these offers may have an item at all, found or not."""
    only = [row for row in offers if row.only]
    return not only or any(row.offers(item) for row in only)


def find_unlisted(rules: Rules, figure: Figure) -> Iterator[Item]:
    """Yield the items of a member that the offers do not let them have, each kind once."""
    offers = [row for row in rules.offers if picks(rules.book, row.of, figure)]
    for key in dict.fromkeys(figure.items) if any(row.only for row in offers) else ():
        item = rules.book.item[key]
        if key not in figure.kit and item.source != SOURCE and not is_listed(offers, item):
            yield item


def kit(rules: Rules, figure: Figure, member: int) -> list[kinds.Bought]:
    """The entries for the kit of a recruit, who is ``member`` and looks like ``figure``."""
    keys = [
        key
        for row in rules.offers
        if row.included and picks(rules.book, row.of, figure)
        for key in row.items
    ]
    return [
        kinds.Bought(item=owned.key, member=member, included=True, on=owned.on)
        for owned in fit_out(rules.book, keys, member + 1)
    ]
