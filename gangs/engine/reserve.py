"""Money that a new gang has to keep for members and weapons that it still needs.

Players may spend it all the same, so offers beyond it get a caution, not a refusal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from common.wording.texts import in_each
from gangs.engine.computed import ComputedGang
from gangs.engine.validation import (
    ORDER,
    choose_members,
    items_of,
    limits_of,
    measure_limit,
    severity,
    wanted_items,
)
from gangs.engine.valuation import newcomer
from rules.book import limits
from rules.book.schema import Item
from rules.book.vocabulary import Selector, Text
from rules.engine.costing import Points
from rules.engine.figure import picks


@dataclass(frozen=True)
class Need:
    """Members or items that the gang still has to pay for.

    ``name``: of the cheapest; ``count``: the number of them; ``price``: of each; ``met_by``: the
    keys of the ranks or items that meet it; ``of_members``: members, and not items.
    """

    name: Text
    count: int
    price: Points
    met_by: frozenset[str]
    of_members: bool = True

    @property
    def amount(self) -> Points:
        """The price of all of them."""
        return self.count * self.price


def needs(computed: ComputedGang) -> tuple[Need, ...]:
    """Everything that costs money and that a new gang still needs; nothing in a game without a
    budget, or once it has played."""
    if computed.roster.playing or computed.left is None:
        return ()
    found = tuple(_members(computed))
    found += tuple(_items(computed, found))
    return tuple(need for need in found if need.amount)


def needs_after(found: Sequence[Need], key: str, *, of_members: bool) -> tuple[Need, ...]:
    """The rest of the needs once the gang has one more of this rank or item, which meets the first
    that it can."""
    rest = list(found)
    for place, need in enumerate(rest):
        if need.of_members == of_members and key in need.met_by:
            rest[place] = replace(need, count=need.count - 1)
            break
    return tuple(need for need in rest if need.count)


def amount_to_keep(found: Iterable[Need]) -> Points:
    """The amount of money that these needs take."""
    return sum(need.amount for need in found)


def name_needs(found: Iterable[Need]) -> Text:
    """The needs in a few words: "Henchman", "2 × Henchman, Knife"."""
    found = tuple(found)

    def named(language: str) -> str:
        counts: Counter[str] = Counter()
        for need in found:
            counts[need.name.translated(language)] += need.count
        return ", ".join(
            name if count == 1 else f"{count} × {name}" for name, count in counts.items()
        )

    return in_each([need.name for need in found], named)


def _members(computed: ComputedGang) -> Iterator[Need]:
    """The members that are missing: of certain ranks first, then of any."""
    by_rank = Counter(member.rank for member in computed.counted)
    wanted: dict[tuple[str, ...], int] = {}
    for limit in limits_of(computed, limits.LimitRow):
        if isinstance(limit, limits.CountLimit) and not limit.of.trait_tags:
            required = limit.minimum
        elif isinstance(limit, limits.ShareLimit):
            required = -(-_count(computed, limit.among, by_rank) * limit.part // limit.whole)
        else:
            continue
        if required and ORDER[severity(computed, limit)] <= ORDER["warning"]:
            ranks = tuple(limit.of.ranks)
            missing = required - _count(computed, limit.of, by_rank)
            wanted[ranks] = max(wanted.get(ranks, 0), missing)
    if not any(count > 0 for count in wanted.values()):
        return
    prices = {
        row.key: computed.cost(newcomer(computed.book, computed.roster, row.key))
        for row in computed.rules.recruited
    }
    special = 0
    for ranks, count in sorted(wanted.items(), key=lambda pair: not pair[0]):
        count -= 0 if ranks else special
        able = [key for key in prices if not ranks or key in ranks]
        if count > 0 and able:
            cheapest = min(able, key=lambda key: prices[key])
            special += count if ranks else 0
            name = computed.book.rank[cheapest].name
            yield Need(name, count, prices[cheapest], frozenset(able))


def _count(computed: ComputedGang, selector: Selector, by_rank: Counter[str]) -> int:
    """How many members ``selector`` picks: by their ranks only, if it names nothing else."""
    if not selector.model_fields_set <= {"ranks", "not_ranks"}:
        return len(choose_members(computed, selector))
    return sum(
        count
        for rank, count in by_rank.items()
        if (not selector.ranks or rank in selector.ranks) and rank not in selector.not_ranks
    )


def _items(computed: ComputedGang, recruits: Sequence[Need]) -> Iterator[Need]:
    """The items that every member has to have, also for the recruits that are missing."""
    book, roster = computed.book, computed.roster
    for limit in limits_of(computed, limits.ItemsLimit):
        if not limit.minimum or limit.per != "member":
            continue
        if ORDER[severity(computed, limit)] > ORDER["warning"]:
            continue
        holders = choose_members(computed, limit.of)
        count = sum(
            measure_limit(limit, items_of(computed, limit, [one])) < limit.minimum
            for one in holders
        )
        for need in recruits:
            figure = newcomer(book, roster, min(need.met_by))
            count += need.count if picks(book, limit.of, figure) else 0
        rows = items_for(computed, limit)
        if count > 0 and rows:
            cheapest = min(rows, key=lambda row: row.price)
            met_by = frozenset(row.key for row in rows)
            yield Need(cheapest.name, count, cheapest.price, met_by, of_members=False)


def items_for(computed: ComputedGang, limit: limits.ItemsLimit) -> list[Item]:
    """The items for sale that a limit counts."""
    keys = [row.key for row in computed.rules.items if not row.innate]
    return wanted_items(computed, limit, keys)
