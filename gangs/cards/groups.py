"""Cards of groups: one for all members who are still alike."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.engine.groups import alike
from gangs.engine.roster import Member
from rules.engine.costing import Receipt


@dataclass(frozen=True)
class GroupCard:
    """A card with the members that it shows. ``member``: the first of them; ``names``: theirs, or
    empty for a card of one member."""

    card: Card
    member: Member
    members: tuple[int, ...]
    names: tuple[str, ...] = ()


def gather_cards(computed: ComputedGang, page: Page, only: Collection[int] = ()) -> list[GroupCard]:
    """The cards of a gang, in the order of its members, one for each group. ``only``: the members
    to show, all if empty."""
    cards = {card.id: card for card in page.cards}
    found = []
    for members in alike(computed.book, computed.roster):
        shown = [member for member in members if not only or member.id in only]
        if shown:
            found.append(_group_card([cards[member.id] for member in shown], shown))
    return found


def _group_card(cards: list[Card], members: list[Member]) -> GroupCard:
    first, ids = cards[0], tuple(card.id for card in cards)
    if len(cards) == 1:
        return GroupCard(first, members[0], ids)
    costs = [card.cost for card in cards if card.cost is not None]
    together = replace(
        first,
        name="",
        shown_name=f"{len(cards)} × {first.rank}",
        rating=sum(card.rating for card in cards),
        counted=Receipt(tuple(line for card in cards for line in card.counted.lines)),
        cost=sum(costs) if costs else None,
        # Members who are alike cost as much.
        costs=tuple(replace(one, amount=one.amount * len(cards)) for one in first.costs),
    )
    return GroupCard(together, members[0], ids, tuple(card.shown_name for card in cards))
