"""Names, amounts and refusals in the reader's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts import quotas
from accounts.language import rules_language
from common.errors import Refusal
from common.units import add_unit
from common.wording.sentences import words_of
from gangs.engine.roster import FOLLOWED, Member
from gangs.text.refusals import IMPLAUSIBLE, REFUSALS
from rules.book.model import Book
from rules.book.season import SideKind
from rules.book.vocabulary import name_of
from rules.engine.costing import Points

# The values of refusals that may be amounts of money.
MONEY = ("missing", "kept")


def refusal_sentence(refusal: Refusal) -> str:
    """The refusal as a sentence in the reader's language."""
    if isinstance(refusal, quotas.QuotaFull):
        return quotas.describe(refusal)
    return _filled(REFUSALS[refusal.code], refusal.values)


def why_implausible(reason: Refusal) -> str:
    """The reason why an entry is in doubt, in the reader's language."""
    return _filled(IMPLAUSIBLE[reason.code], reason.values)


def _filled(text: Promise | str, values: Mapping[str, object]) -> str:
    """Fill a sentence. An amount of money has its ``unit`` among the values."""
    filled = {key: localize(value) for key, value in values.items()}
    unit = filled.pop("unit", "")
    money = {key: add_unit(filled[key], unit) for key in MONEY if key in filled}
    return str(text) % (filled | money)


def localize(value: object) -> str:
    """A value for a sentence: texts, labels and decimals in the reader's language."""
    return words_of(value, rules_language())


def shown_name(book: Book, member: Member) -> str:
    """A member's name, or their rank if they have none."""
    return localize(member.name_or_rank(book))


def rank_name(book: Book, member: Member) -> str:
    """A member's rank; its key if the gang was upgraded to a rulebook that no longer has it."""
    return localize(name_of(book.rank, member.rank))


def outcome_name(book: Book, result: str, side: SideKind) -> str:
    """The name of a game's result for a side. ``result``: "" for one that the rulebook has not."""
    if result:
        return localize(book.campaign.outcome(result, side))
    words = {"winner": _("Win"), "loser": _("Loss"), "level": _("Draw")}
    return words[side]


def rules_name(book: Book) -> str:
    """The name of a version of a rulebook: its edition, or its variant and number."""
    if book.variant is None:
        return book.edition
    return _numbered(book.variant.name, book.variant.number)


def version_name(book: Book, number: int | None) -> str:
    """The name of a stored version. ``number``: that of a published state, None for rules that the
    site loaded. The author of a game may publish several states of one edition."""
    name = rules_name(book)
    return name if number is None or book.variant is not None else _numbered(name, number)


def _numbered(name: str, number: int) -> str:
    return _("%(name)s, version %(number)s") % {"name": name, "number": number}


def money_unit(book: Book) -> str:
    """The unit of money; "" in a game without money."""
    return localize(book.money.unit) if book.money else ""


def rating_unit(book: Book) -> str:
    """The unit of ratings; "" in a game without ratings."""
    return localize(book.rating.unit) if book.rating else ""


def count_names(names: Iterable[str]) -> list[str]:
    """Each name once, with its count before it if it occurs several times: "2 × Knife"."""
    return [
        f"{count}\u00a0× {name}" if count > 1 else name for name, count in Counter(names).items()
    ]


def with_unit(amount: Points, unit: str) -> str:
    """An amount in the reader's format (12.5 or 12,5), with its unit if there is one."""
    return add_unit(number_format(amount), unit)


def say_costs(book: Book, costs: Mapping[str, int]) -> str:
    """Amounts of currencies beside money, "3 favours + 1 fame"; "" if there are none."""
    return " + ".join(
        with_unit(amount, localize(book.currency[key].unit) if key in book.currency else key)
        for key, amount in costs.items()
        if amount
    )


def say_amount(book: Book, amount: Points, currency: str | None = None) -> str:
    """An amount of money with its unit, or of another currency."""
    if currency is None:
        return with_unit(amount, money_unit(book))
    return say_costs(book, {currency: int(amount)})


def say_price(book: Book, price: Points, costs: Mapping[str, int]) -> str:
    """A price in money and in other currencies; "" in a game without money for a thing that costs
    nothing else."""
    others, unit = say_costs(book, costs), money_unit(book)
    money = with_unit(price, unit) if unit and (price or not others) else ""
    return " + ".join(filter(None, (money, others)))


def rating_with_unit(rating: Points, book: Book) -> str:
    """A rating with its unit; "" in a game without ratings."""
    return with_unit(rating, localize(book.rating.unit)) if book.rating else ""


def fate_name(fate: str, book: Book) -> str:
    """How a member died or left, in a word or two."""
    if fate == "dead":
        return _("dead")
    if fate == "dismissed":
        return _("dismissed")
    if fate == FOLLOWED:
        return _("left with their owner")
    return localize(name_of(book.campaign.departure, fate))


def fate_sentence(fate: str, book: Book) -> str:
    """The sentence about a member who died or left."""
    if fate == "dead":
        return _("Died.")
    if fate == "dismissed":
        return _("Dismissed.")
    if fate == FOLLOWED:
        return _("Left with their owner.")
    how = localize(name_of(book.campaign.departure, fate))
    return _("Left the gang: %(how)s.") % {"how": how}
