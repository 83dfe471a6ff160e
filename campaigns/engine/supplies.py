"""Supplies: the items that members used in a game, and their search for rare ones."""

from __future__ import annotations

from contextlib import suppress

from campaigns.engine.outcomes import roll_amount
from campaigns.engine.script_state import (
    Choice,
    Question,
    RollRequest,
    ScriptRun,
    StepState,
    Unanswered,
)
from gangs.engine import entries as kinds
from gangs.engine.offers import find_uses_left
from gangs.engine.roster import Member, OwnedItem
from rules.book.offers import ItemOffer
from rules.book.season import SearchStep, SuppliesStep
from rules.engine.dice import Sum


def play_supplies(run: ScriptRun, step: SuppliesStep) -> StepState:
    """Ask how often each item was used that has a number of uses, and whose bearer took part.

    The items of members who have left are not in question: they left with them, or are in the
    stash.
    """
    computed = run.computed()
    for member in run.roster.members:
        if member.id not in run.game_report.report.fielded:
            continue
        # Fitted items come first: a used-up item takes them with it.
        for owned in sorted(member.items, key=lambda one: one.on is None):
            left = find_uses_left(computed, owned)
            if left is not None:
                with suppress(Unanswered):
                    _ask(run, step, member, owned, left)
    return run.finish(step)


def _ask(run: ScriptRun, step: SuppliesStep, member: Member, owned: OwnedItem, left: int) -> None:
    choices = tuple(Choice(str(count)) for count in range(left + 1))
    question = Question(f"{step.key}:{owned.id}", "supply", member, choices, about=owned)
    used = int(run.choose(question).value)
    if used:
        run.add(kinds.Used(item=owned.id, uses=used))


def play_search(run: ScriptRun, step: SearchStep) -> StepState:
    """Ask every member who took part and may search what they look for, and roll for it."""
    for member in run.roster.members:
        if member.id in run.game_report.report.fielded and run.picks(step.of, member):
            with suppress(Unanswered):
                _search(run, step, member)
    return run.finish(step)


def _search(run: ScriptRun, step: SearchStep, member: Member) -> None:
    offers = {row.key: row for row in run.rules.offers if _is_rare(run, row)}
    if not offers:
        return
    choices = (Choice("nothing"), *(Choice(f"offer:{key}", row) for key, row in offers.items()))
    question = Question(f"{step.key}:{member.id}", "search", member, choices)
    chosen = run.choose(question).about
    if isinstance(chosen, ItemOffer):
        _look_for(run, step, member, chosen)


def _look_for(run: ScriptRun, step: SearchStep, member: Member, offer: ItemOffer) -> None:
    """Roll for an offer and, if it is found, for its price and for how many there are."""
    key = f"{step.key}:{member.id}:{offer.key}"
    plus = sum(row.amount for row in step.plus if run.picks(row.of, member))
    amount = Sum(offer.dice, plus=plus) if plus else None
    roll = run.roll(RollRequest(key, member, offer.dice, "search", amount=amount))
    price = stock = None
    if offer.is_found(roll.total + plus):
        if offer.price_dice is not None:
            _worth, price = roll_amount(run, offer.price_dice, member, f"{key}:price", "price")
        if offer.stock is not None:
            _worth, stock = roll_amount(run, offer.stock, member, f"{key}:stock", "number")
    run.add(
        kinds.Searched(
            member=member.id,
            offer=offer.key,
            roll=roll,
            plus=plus,
            price_roll=price,
            stock_roll=stock,
        )
    )


def _is_rare(run: ScriptRun, offer: ItemOffer) -> bool:
    """Whether an offer has to be found, was not found yet, and is for anybody in the gang."""
    return (
        offer.availability is not None
        and offer.key not in run.roster.found
        and any(run.picks(offer.of, member) for member in run.roster.members)
    )
