"""What is on offer to a member or for the stash, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.language import language
from gangs.cards.render import bearer_of, item_line, named_text
from gangs.cards.values import ItemLine, NamedText
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.offers import Offer
from gangs.engine.roster import Member
from gangs.text.formats import localized, refusal_sentence
from rules.book.schema import Item, Trait
from rules.engine.costing import Points


@dataclass(frozen=True)
class OfferLine[L: (ItemLine, NamedText)]:
    """One thing on offer; ``refusal``: why it cannot be had, ``caution``: why perhaps it should
    not be, each "" if nothing is against it."""

    line: L
    price: Points
    refusal: str
    caution: str


@dataclass(frozen=True)
class OfferGroup[L: (ItemLine, NamedText)]:
    """Offers under one head: their family, or what stands against all of them (``refusal``)."""

    name: str
    offers: tuple[OfferLine[L], ...]

    @property
    def refusal(self) -> str:
        """What keeps all of them from the member, "" unless it is the same."""
        refusals = {offer.refusal for offer in self.offers}
        return refusals.pop() if len(refusals) == 1 else ""


@dataclass(frozen=True)
class Picker:
    """Items on offer: those that can be had by group, and the others by what stands against them;
    ``caution``: what is true of all that can be had, said once."""

    free: tuple[OfferGroup[ItemLine], ...]
    refused: tuple[OfferGroup[ItemLine], ...]
    caution: str

    @property
    def refused_count(self) -> int:
        """How many cannot be had."""
        return sum(len(group.offers) for group in self.refused)


def trait_offers(computed: ComputedGang, member: Member) -> tuple[OfferGroup[NamedText], ...]:
    """The traits on offer for a member, by family."""
    return _grouped(
        (
            localized(offer.row.family) if offer.row.family else "",
            _line(named_text(offer.row, language()), offer),
        )
        for offer in offers.traits(computed, member)
        if offer.row.key not in member.traits
    )


def item_offers(computed: ComputedGang, member: Member | None, wanted: str) -> Picker:
    """The items on offer whose name or group holds ``wanted``. Once the budget is used up, that is
    said once."""
    wanted, reader = wanted.casefold(), language()
    bearer = bearer_of(computed, member) if member else None
    listed = (
        (offer, item_line(computed, offer.row.key, reader, bearer=bearer))
        for offer in offers.items(computed, member)
    )
    found = [
        (offer, _line(item, offer))
        for offer, item in listed
        if wanted in f"{item.name} {item.group}".casefold()
    ]
    cautions = [offer.caution and offer.caution.code for offer, _line in found if not offer.refusal]
    over = len(cautions) > 1 and set(cautions) == {"over_budget"}
    return Picker(
        free=_grouped((line.line.group, line) for _offer, line in found if not line.refusal),
        refused=_grouped((line.refusal, line) for _offer, line in found if line.refusal),
        caution=_("Everything here goes over the budget.") if over else "",
    )


def _line[L: (ItemLine, NamedText)](line: L, offer: Offer[Item] | Offer[Trait]) -> OfferLine[L]:
    refusal, caution = (
        refusal_sentence(remark) if remark else "" for remark in (offer.refusal, offer.caution)
    )
    return OfferLine(line, offer.price, refusal, caution)


def _grouped[L: (ItemLine, NamedText)](
    lines: Iterable[tuple[str, OfferLine[L]]],
) -> tuple[OfferGroup[L], ...]:
    groups: dict[str, list[OfferLine[L]]] = {}
    for name, line in lines:
        groups.setdefault(name, []).append(line)
    return tuple(OfferGroup(name, tuple(listed)) for name, listed in groups.items())
