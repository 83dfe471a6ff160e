"""Sentences, in the reader's language, for refusals and for the history of a gang."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts import quotas
from accounts.language import rules_language
from common.errors import Refusal
from gangs.engine.roster import Member
from gangs.text.refusals import IMPLAUSIBLE, REFUSALS
from rules.book.model import Book
from rules.book.vocabulary import Text, name_of
from rules.engine.costing import Points


def refusal_sentence(refusal: Refusal) -> str:
    """The refusal in words, for the reader."""
    if isinstance(refusal, quotas.QuotaFull):
        return quotas.describe(refusal)
    return _filled(REFUSALS[refusal.code], refusal.values)


def why_implausible(reason: Refusal) -> str:
    """Why an entry is in doubt, for the reader."""
    return _filled(IMPLAUSIBLE[reason.code], reason.values)


def _filled(text: Promise | str, values: Mapping[str, object]) -> str:
    return str(text) % {key: localize(value) for key, value in values.items()}


def localize(value: object) -> str:
    """A value of a sentence: rulebook texts in the reader's language."""
    if isinstance(value, Text):
        return value.translated(rules_language())
    return number_format(value) if isinstance(value, float) else str(value)


def shown_name(book: Book, member: Member) -> str:
    """What to call a member: their name, or their rank if they have none."""
    return localize(member.name_or_rank(book))


def rank_name(book: Book, member: Member) -> str:
    """Their rank; its key if the gang was upgraded to a rulebook that no longer has it."""
    return localize(name_of(book.rank, member.rank))


def rules_name(book: Book) -> str:
    """What tells a version of a rulebook from the others: its edition, or the variant it is."""
    if book.variant is None:
        return book.edition
    values = {"name": book.variant.name, "number": book.variant.number}
    return _("%(name)s, version %(number)s") % values


def money_unit(book: Book) -> str:
    """The unit of money; empty in a game without any."""
    return localize(book.money.unit) if book.money else ""


def rating_unit(book: Book) -> str:
    """The unit of what a gang is worth; empty in a game that counts no worth."""
    return localize(book.rating.unit) if book.rating else ""


def count_names(names: Iterable[str]) -> list[str]:
    """Each name once, with how often it is there if that is more than once."""
    return [
        f"{name}\u00a0× {count}" if count > 1 else name for name, count in Counter(names).items()
    ]


def with_unit(amount: Points, unit: str) -> str:
    """An amount as the reader writes it (12½ as 12.5 or 12,5), with its unit if it has one."""
    return f"{number_format(amount)} {unit}".rstrip()


def rating_with_unit(rating: Points, book: Book) -> str:
    """What somebody or something is worth, with its unit; "" in a game without ratings."""
    return with_unit(rating, localize(book.rating.unit)) if book.rating else ""


def fate_sentence(fate: str, book: Book) -> str:
    """What became of somebody who is gone."""
    if fate == "dead":
        return _("Died.")
    if fate == "dismissed":
        return _("Dismissed.")
    departures = {row.key: row for row in book.campaign.departures}
    how = localize(departures[fate].name) if fate in departures else fate
    return _("Left the gang: %(how)s.") % {"how": how}
