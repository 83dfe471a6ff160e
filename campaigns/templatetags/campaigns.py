"""Template filters of campaigns: reasons for refusals, and the terms of pregame dice."""

from __future__ import annotations

from django import template

from campaigns.engine.script_state import UpkeepDue
from campaigns.refusals import refusal_sentence
from campaigns.table.crews.text import chance_terms
from common.errors import Refusal
from gangs.engine.offers import Offer
from gangs.text.formats import say_amount, say_price
from rules.book.model import Book
from rules.book.schema import Rank

register = template.Library()
register.filter("chance_terms", chance_terms)


@register.filter
def due_amount(due: UpkeepDue, book: Book) -> str:
    """The sum that is due, in money or in another currency."""
    return say_amount(book, due.amount, due.row.currency)


@register.filter
def offer_price(offer: Offer[Rank], book: Book) -> str:
    """The price of a recruit, in money and other currencies."""
    return say_price(book, offer.price, offer.costs)


@register.filter
def reason(refusal: Refusal | None) -> str:
    """The sentence for a refusal; "" if there is none."""
    return refusal_sentence(refusal) if refusal else ""
