"""What is on offer to a member or for the stash, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from accounts.language import language
from gangs.cards.render import bearer_of, item_line, named_text
from gangs.cards.values import ItemLine, NamedText
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.offers import Offer
from gangs.engine.roster import Member
from gangs.text.formats import localized, refusal_sentence
from rules.book.schema import Item, Rank, Trait
from rules.engine.costing import Points
from rules.engine.fairness import typical_rank
from rules.odds.chances import Patience, against_typical, best_scores
from rules.odds.results import in_short

# Odds of a whole picker may take so long.
MOST_SECONDS = 0.2


@dataclass(frozen=True)
class OfferLine[L: (ItemLine, NamedText)]:
    """One thing on offer; ``refusal``: why it cannot be had, ``caution``: why perhaps it should
    not be, each "" if nothing is against it; ``odds``: what it does to a typical enemy, "" if that
    is not asked or it is no weapon."""

    line: L
    price: Points
    refusal: str
    caution: str
    odds: str = ""


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
    ``caution``: what is true of all that can be had, said once. ``odds``: what the odds beside
    weapons are, "" if there are none; ``odds_on``: whether they are wanted, ``has_odds``: whether
    there can be any."""

    free: tuple[OfferGroup[ItemLine], ...]
    refused: tuple[OfferGroup[ItemLine], ...]
    caution: str
    odds: str
    odds_on: bool
    has_odds: bool

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


def item_offers(
    computed: ComputedGang, member: Member | None, wanted: str, *, odds: bool = False
) -> Picker:
    """The items on offer whose name or group holds ``wanted``; ``odds``: with what each weapon does
    to a typical enemy. Once the budget is used up, that is said once."""
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
    what = ""
    if odds and member is not None:
        scores = _scores(computed, member, [offer.row.key for offer, _line in found])
        found = [
            (offer, replace(line, odds=scores.get(offer.row.key, ("", ""))[1]))
            for offer, line in found
        ]
        what = _odds_sentence(computed, scores)
    cautions = [offer.caution and offer.caution.code for offer, _line in found if not offer.refusal]
    over = len(cautions) > 1 and set(cautions) == {"over_budget"}
    return Picker(
        free=_grouped((line.line.group, line) for _offer, line in found if not line.refusal),
        refused=_grouped((line.refusal, line) for _offer, line in found if line.refusal),
        caution=_("Everything here goes over the budget.") if over else "",
        odds=what,
        odds_on=odds,
        has_odds=member is not None and typical_rank_of(computed) is not None,
    )


def typical_rank_of(computed: ComputedGang) -> Rank | None:
    """The rank of the enemies that odds are shown against; None in a game without odds."""
    if not computed.book.rolls:
        return None
    return typical_rank(computed.book, computed.roster.settings)


def _scores(
    computed: ComputedGang, member: Member, keys: Iterable[str]
) -> dict[str, tuple[str, str]]:
    """What each of these items does to a typical enemy: what that is, and how much."""
    figure, settings = computed.figures[member.id], computed.roster.settings
    attacks = {key: against_typical(computed.book, settings, figure, key) for key in keys}
    weapons = {key: questions for key, questions in attacks.items() if questions}
    # What was worked out is remembered: where time runs out, the next look goes on from there.
    best = best_scores(weapons, Patience(MOST_SECONDS))
    return {key: in_short(*found) if found else ("", "…") for key, found in best.items()}


def _odds_sentence(computed: ComputedGang, scores: Mapping[str, tuple[str, str]]) -> str:
    """What the numbers beside weapons are."""
    rank = typical_rank_of(computed)
    if rank is None:
        return ""
    what = ", ".join(dict.fromkeys(filter(None, (name for name, _score in scores.values()))))
    values = {"rank": localized(rank.name), "what": what}
    return _("One attack on a %(rank)s as recruited: %(what)s.") % values if what else ""


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
