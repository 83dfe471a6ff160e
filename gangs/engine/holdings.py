"""Holdings that a gang may take, and the acts that take one or give one up.

Another gang of the campaign may have it: only the ledger can check that, when it writes the entry.
"""

from __future__ import annotations

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine import validation
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit, over_budget, too_dear
from gangs.engine.offers import Offer, find
from gangs.engine.purses import cannot_pay
from rules.book.holdings import Holding
from rules.book.limits import HoldingsLimit
from rules.engine.costing import Points, whole

MOST_HOLDINGS = 60


def offers(computed: ComputedGang) -> list[Offer[Holding]]:
    """The holdings that the gang could take: those with a price that it does not have, or that
    several gangs may have. Limits refuse some once the gang plays; before, they only warn."""
    had = {held.key for held in computed.roster.holdings}
    rows = [row for row in computed.rules.holdings if row.price is not None]
    return [_offer(computed, row) for row in rows if row.shared or row.key not in had]


def _offer(computed: ComputedGang, row: Holding) -> Offer[Holding]:
    price: Points = row.price or 0
    missing = whole(price - computed.left) if computed.left is not None else 0
    refusal, caution = _beyond(computed, row)
    refusal = refusal or cannot_pay(computed.book, computed.roster, row.costs)
    if missing > 0 and computed.roster.playing:
        refusal = refusal or too_dear(computed.book, missing)
    elif missing > 0:
        caution = caution or over_budget(computed.book, missing)
    return Offer(row, price, refusal, None if refusal else caution, costs=row.costs)


def _beyond(computed: ComputedGang, row: Holding) -> tuple[Refusal | None, Refusal | None]:
    """Why the gang cannot take one more holding, and why it perhaps should not, by the limits."""
    refusal = caution = None
    for limit in validation.limits_of(computed, HoldingsLimit):
        count = validation.count_holdings(computed, limit)
        counted = validation.counts_holding(limit, row.key)
        if limit.maximum is None or not counted or count < limit.maximum:
            continue
        why = Refusal("beyond_limit", maximum=limit.maximum)
        if limit.maximum == 0:
            why = validation.find_forbidding(limit, count + 1)
        if computed.roster.playing and validation.severity(computed, limit) == "error":
            refusal = refusal or why
        else:
            caution = caution or why
    return refusal, caution


def take(computed: ComputedGang, holding: str, name: str = "") -> list[Entry]:
    """Take a holding, at its price. ``name``: the players' own, if the rulebook lets them name
    it."""
    offer = find(offers(computed), holding)
    if len(computed.roster.holdings) >= MOST_HOLDINGS:
        raise Refusal("holdings_full", maximum=MOST_HOLDINGS)
    paid = 0 if computed.left is None and computed.roster.playing else offer.price
    name = name if offer.row.named else ""
    return [kinds.HoldingGained(holding=holding, name=name, paid=paid, costs=offer.row.costs)]


def give_up(computed: ComputedGang, place: int) -> list[Entry]:
    """Give a holding up; once the gang has played, its price is lost."""
    try:
        return [kinds.HoldingLost(place=computed.roster.place(place).id)]
    except Misfit:
        raise Refusal("gone") from None
