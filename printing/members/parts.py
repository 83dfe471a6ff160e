"""Work out which parts of members a roster sheet has room for: characteristics, life, boxes to
tick, items, experience.
"""

from __future__ import annotations

from collections.abc import Sequence

from printing.paper.drawings import MOST_BOXES, Mark
from rules.book.advancement import AdvancementRow
from rules.book.characteristics import Boxes
from rules.book.model import Book, Rules
from rules.book.schema import Characteristic, ItemGroup, Profession, Tick, Trait
from rules.book.vocabulary import Effect
from rules.engine.figure import EVERYBODY, Figure
from rules.engine.profiles import profile

USUAL_STEP = 5


def is_members(tick: Tick) -> bool:
    """Whether every member ticks it off, or every member of a rank."""
    ranks = tick.of.model_copy(update={"ranks": ()})
    return not tick.items and not tick.groups and (tick.of == EVERYBODY or ranks == EVERYBODY)


def members_characteristics(rules: Rules) -> list[Characteristic]:
    """Return the characteristics of members. A block has none of those that only items bring."""
    return [
        row
        for row in rules.characteristics
        if row.start is not None or any(row.key in rank.values for rank in rules.book.ranks)
    ]


def blank_stats(rules: Rules) -> list[Characteristic]:
    """Return the characteristics that a blank member has room for as values: all but a track, which
    is drawn as boxes.
    """
    life = rules.book.life
    return [row for row in members_characteristics(rules) if row.key != life or row.kind != "track"]


def most_life(rules: Rules) -> int:
    """Return the largest number of boxes that a member may have to tick off: the toughest rank's,
    with every possible addition.
    """
    life = rules.book.life
    most = 0
    for rank in rules.recruited:
        figure = Figure(rank=rank.key, worth_rank=rank.key, base_rank=rank.key)
        score = profile(rules, figure).scores.get(life or "")
        if score is not None:
            value = score.value
            boxes = len(value.letters) if isinstance(value, Boxes) else value
            most = max(most, boxes if isinstance(boxes, int) else 0)
    traits: list[Trait | Profession] = [*rules.traits]
    added = sum(_added(row.effects, life) for row in traits)
    origins = [_added(row.effects, life) for row in rules.origins]
    return most + added + max(origins, default=0) if most else 0


def _added(effects: Sequence[Effect], life: str | None) -> int:
    return sum(
        effect.amount
        for effect in effects
        if effect.kind == "add" and effect.characteristic == life and effect.amount > 0
    )


def find_carried_groups(rules: Rules) -> list[ItemGroup]:
    """Return the groups of items that have columns and that members can get."""
    return [
        group
        for group in rules.groups
        if columns_of(rules, group)
        and any(
            item.group == group.key and not rules.book.is_free(item) for item in rules.book.items
        )
    ]


def columns_of(rules: Rules, group: ItemGroup) -> frozenset[str]:
    """Return the keys of the columns that players look up at the table."""
    return frozenset(column.key for column in rules.columns(group) if not column.minor)


def hosts(rules: Rules, groups: Sequence[ItemGroup]) -> list[list[ItemGroup]]:
    """Return groups that can share a table, the one with all its columns first. The tables for the
    most items come first.
    """
    by_width = sorted(groups, key=lambda group: -len(columns_of(rules, group)))
    found: list[list[ItemGroup]] = []
    for group in by_width:
        columns = columns_of(rules, group)
        for hosted in found:
            if columns <= columns_of(rules, hosted[0]):
                hosted.append(group)
                break
        else:
            found.append([group])

    def items(hosted: list[ItemGroup]) -> int:
        keys = {group.key for group in hosted}
        return sum(item.group in keys for item in rules.book.items)

    return sorted(found, key=items, reverse=True)


def step_of(book: Book) -> int:
    """Return how many boxes of experience make a group: those between two gains if these are at
    equal distances; at most as many as a sheet has room for.
    """
    campaign = book.campaign
    if campaign.advancements:
        return USUAL_STEP
    if campaign.advancement is not None:
        return min(campaign.advancement.experience, MOST_BOXES)
    growth = campaign.growth
    return min(growth.experience, MOST_BOXES) if growth is not None else USUAL_STEP


def marks(book: Book, boxes: int) -> list[Mark]:
    """Return the gain at each of the ``boxes`` of experience."""
    step, campaign = step_of(book), book.campaign
    if campaign.advancements:
        return _marks_at(book.usual.advancements, boxes)
    if campaign.advancement is None and campaign.growth is None:
        return [""] * boxes
    cycle = campaign.advancement.cycle if campaign.advancement is not None else ("trait",)
    gains: list[Mark] = ["rank" if gain == "rank" else "advance" for gain in cycle]
    return [
        gains[(place // step - 1) % len(gains)] if place % step == 0 else ""
        for place in range(1, boxes + 1)
    ]


def _marks_at(rows: Sequence[AdvancementRow], boxes: int) -> list[Mark]:
    """Return the gain at each of the ``boxes``; none if members have different thresholds."""
    gains: list[Mark] = [""] * boxes
    if len(rows) == 1:
        (row,) = rows
        for place, at in enumerate(row.thresholds[: row.count(boxes)]):
            is_rank = row.table is None and row.cycle[place % len(row.cycle)] == "rank"
            gains[at - 1] = "rank" if is_rank else "advance"
    return gains
