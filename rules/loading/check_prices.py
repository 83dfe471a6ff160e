"""Checks whether the prices and offers of a well-formed rulebook make sense."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import schema
from rules.book.model import Book
from rules.book.offers import ItemOffer
from rules.book.season import SearchStep
from rules.engine.costing import Points
from rules.engine.dice import parse, parse_amount
from rules.loading.checks import RowPath, Wrong


def check_item_prices(book: Book, path: RowPath, item: schema.Item) -> Wrong:
    """Check that nobody gains by buying an item and selling it, and that free items have no other
    price."""
    share, field = item.resale, "resale"
    if share is None:
        share, field = book.group[item.group].resale if item.group in book.group else "0", "group"
    for paid, why in _shares_paid(book, item) if Fraction(share) else ():
        if Fraction(share) > paid:
            yield (
                (*path, field),
                say(_("must not sell for %(share)s of the price: %(why)s"), share=share, why=why),
            )
            break
    bought = ("next_prices", "uses", "most_per_member")
    for field in bought if item.innate else ():
        if getattr(item, field) in (None, ()):
            continue
        yield (
            (*path, field),
            _("is only used for items that are bought: everybody already has this one (“innate”)"),
        )


def _shares_paid(book: Book, item: schema.Item) -> Iterator[tuple[Fraction, str]]:
    """Yield the shares of its list price that members may pay for an item once the gang has played,
    each with the reason why selling it must not bring more."""
    yield Fraction(1), _("a gang could buy and sell this item forever")
    for row in book.adjustments:
        named = not row.groups or item.group in row.groups
        tagged = not row.item_tags or not item.tags.isdisjoint(row.item_tags)
        if row.on == "items" and row.phase != "founding" and named and tagged:
            yield (
                Fraction(row.times) - Fraction(row.less),
                say(_("“%(key)s” makes the item cheaper than that"), key=row.key),
            )
    for offer in book.offers:
        least = _find_least(offer)
        if least is None or offer.phase == "founding":
            continue
        if item.price and offer.offers(item):
            yield (
                Fraction(least) / Fraction(item.price),
                say(_("“%(key)s” offers the item for less than that"), key=offer.key),
            )


def _find_least(offer: ItemOffer) -> Points | None:
    """The least that an offer asks for an item; None if it has no price of its own."""
    if offer.price_dice is not None:
        return parse_amount(offer.price_dice).least
    return offer.price


def check_offer(book: Book, path: RowPath, offer: ItemOffer) -> Wrong:
    """Check that an offer has items, says something about them, and can be found."""
    if not (offer.items or offer.item_tags or offer.groups):
        yield path, _("give “items”, “item_tags” or “groups” to offer")
    says = (offer.price, offer.most_per_member, offer.availability)
    if not (offer.only or offer.included) and says == (None, None, None):
        yield (
            path,
            _(
                "has no effect: give “price”, “only”, “included”, “availability” or "
                "“most_per_member”"
            ),
        )
    if offer.included and (not offer.items or offer.item_tags or offer.groups):
        yield (*path, "included"), _("is only used for single items: name them in “items”")
    if offer.included and (offer.only or says != (None, None, None)):
        yield (
            (*path, "included"),
            _("cannot be combined with “price”, “only”, “availability” or “most_per_member”"),
        )
    for name in ("price_dice", "stock"):
        if getattr(offer, name) is not None and offer.availability is None:
            yield (*path, name), _("is only used with “availability”")
    if offer.price_dice is not None and offer.price is not None:
        yield (*path, "price_dice"), _("give either “price” or “price_dice”, not both")
    if offer.price_dice is not None and book.money is None:
        yield (*path, "price_dice"), _("this needs money: add “money” to the rulebook")
    if offer.stock is not None and parse_amount(offer.stock).most == 0:
        yield (*path, "stock"), _("must not be 0")
    if offer.availability is None:
        return
    if offer.phase == "founding":
        yield (
            (*path, "phase"),
            _("members search only after games: leave out “availability”"),
        )
    if not any(isinstance(step, SearchStep) for step in book.campaign.steps):
        yield (*path, "availability"), _("needs a step “search” in the campaign")
    count, sides = parse(offer.dice)
    steps = [step for step in book.campaign.steps if isinstance(step, SearchStep)]
    plus = [row.amount for step in steps for row in step.plus]
    least = count + sum(amount for amount in plus if amount < 0)
    most = count * sides + sum(amount for amount in plus if amount > 0)
    found = {offer.is_found(total) for total in range(least, most + 1)}
    if len(found) == 1:
        message = (
            _("always finds the item: change the number")
            if True in found
            else _("never finds the item: change the number")
        )
        yield (*path, "availability"), message
