"""Sentences, in the reader's language, for refusals and for the history of a gang."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from gangs.reasons import MISFITS as MISFITS
from gangs.reasons import REFUSALS as REFUSALS
from gangs.refusal import Refusal
from gangs.roster import Member
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Text


def refusal_sentence(refusal: Refusal) -> str:
    """The refusal in words, for the reader."""
    values = {key: spoken(value) for key, value in refusal.values.items()}
    return str(REFUSALS[refusal.code]) % values


def spoken(value: object) -> str:
    """A value of a sentence: rulebook texts in the reader's language."""
    if isinstance(value, Text):
        return value.said(language())
    return number_format(value) if isinstance(value, float) else str(value)


def language() -> str:
    """The reader's language."""
    return get_language() or "en"


def shown_name(book: Book, member: Member) -> str:
    """What to call a member: his name, or his rank if he has none."""
    return member.name or rank_name(book, member)


def rank_name(book: Book, member: Member) -> str:
    """His rank; its key if the gang was upgraded to a rulebook that no longer has it."""
    row = book.rank.get(member.rank)
    return spoken(row.name) if row else member.rank


def rules_name(book: Book) -> str:
    """What tells a version of a rulebook from the others: its edition, or the variant it is."""
    if book.variant is None:
        return book.edition
    values = {"name": book.variant.name, "number": book.variant.number}
    return _("%(name)s, state %(number)s") % values


def money_unit(book: Book) -> str:
    """The unit of money; empty in a game without any."""
    return spoken(book.money.unit) if book.money else ""


def with_unit(amount: Points, unit: str) -> str:
    """An amount as the reader writes it (12½ as 12.5 or 12,5), with its unit if it has one."""
    return f"{number_format(amount)} {unit}".rstrip()
