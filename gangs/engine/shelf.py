"""The shelf: what offers let a member buy, and the kit that recruits join with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.fitting import fit_out
from gangs.engine.own_items import SOURCE
from gangs.engine.roster import Roster
from gangs.engine.valuation import newcomer
from rules.book.model import Rules
from rules.book.offers import ItemOffer
from rules.book.schema import Item
from rules.book.vocabulary import is_now
from rules.engine.dice import DiceRoll, parse_amount
from rules.engine.figure import Figure, offers_of, offers_to


@dataclass(frozen=True)
class Shelf:
    """The keys of the offers to a member; ``is_closed``: they can buy only what these offers
    list."""

    offers: frozenset[str]
    is_closed: bool


def why_not_offered(
    rules: Rules,
    roster: Roster,
    figure: Figure | None,
    item: Item,
    shelves: Collection[Shelf] | None = None,
) -> Refusal | None:
    """Why the rulebook's offers do not let a member buy an item; None if they do.

    ``figure``: the member; None for the stash, which takes what anybody could buy: ``shelves``, if
    ``find_shelves`` has found them already. No list of the rulebook can name the gang's own items,
    so everybody may have them.
    """
    if not rules.offers or item.source == SOURCE:
        return None
    if figure is not None:
        return _why_not(roster, find_shelf(rules, figure, playing=roster.playing), rules, item)
    first = None
    for shelf in find_shelves(rules, roster) if shelves is None else shelves:
        why = _why_not(roster, shelf, rules, item)
        if why is None:
            return None
        first = first or why
    return first


def find_shelf(rules: Rules, figure: Figure, *, playing: bool) -> Shelf:
    """Return the shelf of a member: the offers to them."""
    offers = offers_to(rules, figure, playing=playing)
    return Shelf(frozenset(row.key for row in offers), any(row.only for row in offers))


def find_shelves(rules: Rules, roster: Roster) -> Iterator[Shelf]:
    """Yield the shelf of a newcomer of each rank. Some of them are alike, and come only once."""
    known = set[Shelf]()
    for rank in rules.ranks:
        figure = newcomer(rules.book, roster, rank.key)
        shelf = find_shelf(rules, figure, playing=roster.playing)
        if shelf not in known:
            known.add(shelf)
            yield shelf


def _why_not(roster: Roster, shelf: Shelf, rules: Rules, item: Item) -> Refusal | None:
    offers = [row for row in rules.offers_of(item) if row.key in shelf.offers]
    if shelf.is_closed and not any(row.only for row in offers):
        return Refusal("not_listed")
    named = [row for row in offers if not row.included]
    if not named or any(row.availability is None for row in named):
        return None
    found = [row for row in named if row.key in roster.found]
    if not found:
        return Refusal("not_found", dice=named[0].terms)
    return None if any(_has_left(roster, row) for row in found) else Refusal("none_left")


def _has_left(roster: Roster, offer: ItemOffer) -> bool:
    """Whether one more item of a found offer can be bought."""
    return roster.found_left.get(offer.key, 1) > 0


def find_opened(
    rules: Rules, roster: Roster, figure: Figure | None, item: Item
) -> ItemOffer | None:
    """The found offer that an item is bought from; None if it needs no search, or is not found.

    ``figure``: the buyer; None for the stash, which takes what anybody could buy.
    """
    if not roster.found:
        return None
    if figure is None:
        rows = rules.offers_of(item)
        offers = [row for row in rows if is_now(row.phase, playing=roster.playing)]
    else:
        offers = offers_of(rules, figure, item, playing=roster.playing)
    named = [row for row in offers if not row.included]
    if any(row.availability is None for row in named):
        return None
    found = (row for row in named if row.key in roster.found)
    return next((row for row in found if _has_left(roster, row)), None)


def is_listed(offers: Iterable[ItemOffer], item: Item) -> bool:
    """Whether a member with these offers may have an item at all, found or not."""
    only = [row for row in offers if row.only]
    return not only or any(row.offers(item) for row in only)


def find_unlisted(rules: Rules, figure: Figure, *, playing: bool) -> Iterator[Item]:
    """Yield the items of a member that the offers do not let them have, each kind once. Once their
    gang plays, they may also have what they could buy before."""
    shelves = [offers_to(rules, figure, playing=later) for later in {False, playing}]
    closed = all(any(row.only for row in offers) for offers in shelves)
    for key in dict.fromkeys(figure.items) if closed else ():
        item = rules.book.item[key]
        if key in figure.kit or item.source == SOURCE:
            continue
        if not any(is_listed(offers, item) for offers in shelves):
            yield item


def find_terms(offer: ItemOffer, entry: kinds.Searched) -> tuple[int | None, int | None]:
    """The price of what was found and how many there are, as far as dice or the offer say."""
    return (
        _worth(offer.price_dice, entry.price_roll),
        _worth(offer.stock, entry.stock_roll),
    )


def _worth(written: str | None, roll: DiceRoll | None) -> int | None:
    amount = parse_amount(written) if written is not None else None
    if amount is None or (amount.dice is not None and roll is None):
        return None
    return amount.worth(roll.total if roll is not None else 0)


def find_most(rules: Rules, figure: Figure, item: Item, *, playing: bool) -> int | None:
    """The most that a member may have of one item: by the first offer to them that has a number,
    otherwise by the item itself; None: no maximum."""
    for row in offers_of(rules, figure, item, playing=playing):
        if row.most_per_member is not None:
            return row.most_per_member
    return item.most_per_member


def kit(rules: Rules, figure: Figure, member: int, *, playing: bool) -> list[kinds.Bought]:
    """The entries for the kit of a recruit, who is ``member`` and looks like ``figure``."""
    offers = offers_to(rules, figure, playing=playing)
    keys = [key for row in offers if row.included for key in row.items]
    return [
        kinds.Bought(item=owned.key, member=member, included=True, on=owned.on)
        for owned in fit_out(rules.book, keys, member + 1)
    ]
