"""Bargaining about captives: who is held, the terms of two gangs, and the resulting entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from common.errors import Refusal
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry, Id, InCurrency, Sum
from gangs.engine.errors import too_dear
from gangs.engine.purses import cannot_pay
from gangs.engine.roster import Affliction, Member, Roster
from gangs.engine.valuation import member_rating
from rules.book.fates import Condition
from rules.book.model import Book, Rules
from rules.book.season import CaptivesStep
from rules.book.vocabulary import Frozen
from rules.engine.costing import Points, whole

Party = Literal["giver", "taker"]
PARTIES: tuple[Party, ...] = ("giver", "taker")


class Terms(Frozen):
    """An offer: which members of either gang go free, and which gang pays how much to the other, in
    money or in another ``currency``."""

    frees: Annotated[tuple[tuple[Party, Id], ...], Field(min_length=1, max_length=40)]
    ransom: Sum = 0
    payer: Party | None = None
    currency: InCurrency = None

    def freed(self, party: Party) -> list[int]:
        """The members of one gang that are set free."""
        return [member for of, member in self.frees if of == party]


@dataclass(frozen=True)
class Captive:
    """A member who is held under ``condition``. ``price``: the ransom, None if it is open;
    ``currency``: of the ransom, None for money."""

    member: Member
    condition: Condition
    affliction: Affliction
    price: Points | None
    currency: str | None = None


def captive_steps(rules: Rules) -> dict[str, CaptivesStep]:
    """The rulebook's steps for captives who can be ransomed, by the key of their condition."""
    captive = [step for step in rules.steps if isinstance(step, CaptivesStep)]
    return {step.condition: step for step in captive if step.ransom != "none"}


def find_held(book: Book, roster: Roster) -> list[Captive]:
    """The members of a gang that other gangs hold captive."""
    steps = captive_steps(book.under(roster.settings))
    captives = []
    for member in roster.members:
        for affliction in member.afflictions:
            if affliction.condition in steps:
                step = steps[affliction.condition]
                worth = step.ransom == "worth"
                price = member_rating(book, roster, member).own if worth else None
                if price is not None and step.currency is not None:
                    # Other currencies have no fractions.
                    price = int(price)
                condition = book.condition[affliction.condition]
                captives.append(Captive(member, condition, affliction, price, step.currency))
                break
    return captives


def total_ransom(freed: Sequence[Captive]) -> Points | None:
    """The rulebook's ransom for all of these; None if it leaves the sum open."""
    prices = [captive.price for captive in freed]
    fixed = [price for price in prices if price is not None]
    return whole(sum(fixed)) if len(fixed) == len(prices) else None


def find_currency(freed: Sequence[Captive]) -> str | None:
    """The currency of the ransom for all of these; None for money. Raises Refusal if they have
    different ones."""
    currencies = {captive.currency for captive in freed}
    if len(currencies) > 1:
        raise Refusal("mixed_ransom")
    return currencies.pop() if currencies else None


def entries_for(terms: Terms, party: Party, book: Book, roster: Roster) -> list[Entry]:
    """The entries that the bargain adds to the gang of one party.

    One gang earns exactly the sum that the other pays. Raises Refusal if somebody is no longer
    held, or if the ransom is too dear or differs from the rulebook's.
    """
    captives = {captive.member.id: captive for captive in find_held(book, roster)}
    if not set(terms.freed(party)) <= set(captives):
        raise Refusal("not_held")
    freed = [captives[member] for member in terms.freed(party)]
    paid: list[Points] = [0] * len(freed)
    if terms.ransom and terms.payer == party:
        paid = _shares(terms, freed)
        _check_payment(terms, book, roster, freed)
    entries: list[Entry] = [
        kinds.Recovered(
            member=captive.member.id,
            condition=captive.affliction.condition,
            paid=cost if terms.currency is None else 0,
            costs={terms.currency: int(cost)} if cost and terms.currency is not None else {},
        )
        for captive, cost in zip(freed, paid, strict=True)
    ]
    if terms.ransom and terms.payer not in (None, party):
        entries.append(kinds.Earned(amount=terms.ransom, why="ransom", currency=terms.currency))
    return entries


def _check_payment(terms: Terms, book: Book, roster: Roster, freed: Sequence[Captive]) -> None:
    """Raise Refusal if a gang cannot pay the ransom, or if it is in another currency than the
    rulebook's."""
    if terms.currency is None:
        missing = whole(terms.ransom - roster.treasury)
        refusal = too_dear(book, missing) if missing > 0 else None
    else:
        refusal = cannot_pay(book, roster, {terms.currency: int(terms.ransom)})
    if terms.currency != find_currency(freed) or (terms.currency and terms.ransom % 1):
        refusal = Refusal("ransom_currency")
    if refusal is not None:
        raise refusal


def _shares(terms: Terms, freed: list[Captive]) -> list[Points]:
    """The sum paid for each captive; an open ransom is booked on the first of them."""
    if not freed:
        raise Refusal("nobody_ransomed")
    price = total_ransom(freed)
    if price is None:
        return [terms.ransom, *[0] * (len(freed) - 1)]
    if price != terms.ransom:
        raise Refusal("ransom_worth", price=price)
    return [captive.price or 0 for captive in freed]
