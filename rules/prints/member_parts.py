"""What members have in a game, as far as a roster sheet has room for it: characteristics, life,
what they tick off and carry, what experience brings."""

from __future__ import annotations

from collections.abc import Sequence

from rules.book.characteristics import Boxes
from rules.book.model import Book
from rules.book.schema import Characteristic, ItemGroup, Profession, Rank, Tick, Trait
from rules.book.vocabulary import Effect, Settings, applies
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from rules.engine.selecting import EVERYBODY
from rules.prints.drawings import MOST_BOXES, Mark

USUAL_STEP = 5


def is_members(tick: Tick) -> bool:
    """Whether everybody ticks it off, or everybody of a rank."""
    ranks = tick.of.model_copy(update={"ranks": ()})
    return not tick.items and not tick.groups and (tick.of == EVERYBODY or ranks == EVERYBODY)


def members_characteristics(book: Book, settings: Settings) -> list[Characteristic]:
    """Those that members have by themselves: those that only items bring are no part of a block."""
    return [
        row
        for row in book.in_force(book.characteristics, settings)
        if row.start is not None or any(row.key in rank.values for rank in book.ranks)
    ]


def recruits(book: Book, settings: Settings) -> list[Rank]:
    """The ranks that can be recruited."""
    return [rank for rank in book.in_force(book.ranks, settings) if rank.recruited]


def most_life(book: Book, settings: Settings) -> int:
    """The most boxes that anybody may have to tick off: those of the toughest rank, with all that
    can be added."""
    life = book.life
    most = 0
    for rank in recruits(book, settings):
        figure = Figure(rank=rank.key, worth_rank=rank.key, base_rank=rank.key)
        score = profile(book, settings, figure).scores.get(life or "")
        if score is not None:
            value = score.value
            boxes = len(value.letters) if isinstance(value, Boxes) else value
            most = max(most, boxes if isinstance(boxes, int) else 0)
    traits: list[Trait | Profession] = [*book.in_force(book.traits, settings)]
    added = sum(_added(row.effects, life) for row in traits)
    origins = [_added(row.effects, life) for row in book.in_force(book.origins, settings)]
    return most + added + max(origins, default=0) if most else 0


def _added(effects: Sequence[Effect], life: str | None) -> int:
    return sum(
        effect.amount
        for effect in effects
        if effect.kind == "add" and effect.characteristic == life and effect.amount > 0
    )


def carried(book: Book, settings: Settings) -> list[ItemGroup]:
    """The groups of items with columns of which somebody may get something."""
    return [
        group
        for group in book.in_force(book.groups, settings)
        if columns_of(group, settings)
        and any(item.group == group.key and not item.innate for item in book.items)
    ]


def columns_of(group: ItemGroup, settings: Settings) -> frozenset[str]:
    """The keys of the columns that are looked up at the table."""
    return frozenset(
        column.key
        for column in group.columns
        if not column.minor and applies(column.when, settings)
    )


def hosts(book: Book, settings: Settings, groups: Sequence[ItemGroup]) -> list[list[ItemGroup]]:
    """Groups that can share a table, the one with all its columns first; the tables for most items
    come first."""
    by_width = sorted(groups, key=lambda group: -len(columns_of(group, settings)))
    found: list[list[ItemGroup]] = []
    for group in by_width:
        columns = columns_of(group, settings)
        for hosted in found:
            if columns <= columns_of(hosted[0], settings):
                hosted.append(group)
                break
        else:
            found.append([group])

    def items(hosted: list[ItemGroup]) -> int:
        keys = {group.key for group in hosted}
        return sum(item.group in keys for item in book.items)

    return sorted(found, key=items, reverse=True)


def step_of(book: Book) -> int:
    """How many boxes of experience there are from one gain to the next; of more than a sheet has
    room for, so many."""
    campaign = book.campaign
    if campaign.advancement is not None:
        return min(campaign.advancement.experience, MOST_BOXES)
    growth = campaign.growth
    return min(growth.experience, MOST_BOXES) if growth is not None else USUAL_STEP


def marks(book: Book, boxes: int) -> list[Mark]:
    """What each of so many boxes of experience brings."""
    step, campaign = step_of(book), book.campaign
    if campaign.advancement is None and campaign.growth is None:
        return [""] * boxes
    cycle = campaign.advancement.cycle if campaign.advancement is not None else ("trait",)
    gains: list[Mark] = ["rank" if gain == "rank" else "advance" for gain in cycle]
    return [
        gains[(place // step - 1) % len(gains)] if place % step == 0 else ""
        for place in range(1, boxes + 1)
    ]
