"""Whether prices are fair, as far as dice can tell: simulated fights of what costs the same.

Prices are those of a gang that has played, when money is final. One is fair here if a side that has
paid it wins half its fights against a side of typical members for the same sum.
``rules.engine.duels`` says what the fights leave out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Literal

from rules.book.model import Book
from rules.book.schema import Item, Rank, Trait
from rules.book.vocabulary import Settings, Text
from rules.engine.costing import Points, price
from rules.engine.duels import Arena, Share
from rules.engine.figure import Figure

Kind = Literal["rank", "item", "trait"]
# Figures a side has at most, when two sides of the same sum are put together.
MOST_FIGURES = 6
# So many rows are named as over- and as underpriced.
NAMED = 5


@dataclass(frozen=True)
class Fair:
    """What one row of the rulebook was worth: in fights one against one, and of equal sums.

    ``cost``: of the figure that has it; ``sizes``: figures of the two sides of equal sums, none
    where nothing has a price.
    """

    kind: Kind
    key: str
    name: Text
    cost: Points
    duel: Share
    sums: Share | None
    sizes: tuple[int, int] | None


@dataclass(frozen=True)
class Report:
    """What came of it all. ``typical``: whom everybody fought against, and with what."""

    fights: int
    typical_rank: Text
    typical_item: Text | None
    typical_cost: Points
    rows: tuple[Fair, ...]

    @property
    def has_prices(self) -> bool:
        """Whether the game weighs anything at all."""
        return any(row.sums is not None for row in self.rows)

    @property
    def overpriced(self) -> list[Fair]:
        """The rows that win least for their price, the worst first, if enough fights say so."""
        return sorted(self._telling(-1), key=lambda row: row.sums.share if row.sums else 0)[:NAMED]

    @property
    def underpriced(self) -> list[Fair]:
        """The rows that win most for their price, the best first, if enough fights say so."""
        telling = self._telling(1)
        return sorted(telling, key=lambda row: -(row.sums.share if row.sums else 0))[:NAMED]

    def _telling(self, side: int) -> Iterator[Fair]:
        for row in self.rows:
            sums = row.sums
            if sums and sums.says_something and (sums.share - Fraction(1, 2)) * side > 0:
                yield row


def fairness(book: Book, settings: Settings, fights: int, seed: int) -> Report | None:
    """Let every rank, weapon and trait that fights fight; None if nothing in the book does.

    The same seed gives the same report.
    """
    arena = Arena(book, settings, Random(seed))
    rank = typical_rank(book, settings)
    weapon = _typical_weapon(arena, rank)
    plain = _figure(book, rank, weapon)
    if not _can_fight(arena, plain):
        return None
    rows = [
        _fought(arena, plain, kind, row, figure, fights)
        for kind, row, figure in _candidates(arena, rank, weapon)
    ]
    cost = price(book, settings, plain, playing=True).total
    item = book.item[weapon].name if weapon else None
    return Report(fights, rank.name, item, cost, tuple(rows))


def typical_rank(book: Book, settings: Settings) -> Rank:
    """Whom one meets most: the cheapest rank that can be recruited and does not lead, the lowest
    of those that cost the same."""
    ranks = [row for row in reversed(book.in_force(book.ranks, settings)) if row.recruited]
    led = [row for row in ranks if not row.leads]
    return min(led or ranks, key=lambda row: row.price)


def _figure(book: Book, rank: Rank, item: str | None, trait: str | None = None) -> Figure:
    items, traits = (item,) if item else (), (trait,) if trait else ()
    return Figure(rank.key, rank.key, points=spread_points(book, rank), items=items, traits=traits)


def spread_points(book: Book, rank: Rank) -> dict[str, int]:
    """The points of a rank, one after the other on each characteristic that they can raise."""
    raised = {
        row.key: row.maximum - int(rank.values.get(row.key, row.start or 0))
        for row in book.characteristics
        if row.kind == "number" and row.bought_with_points
    }
    points = dict.fromkeys(raised, 0)
    left = rank.points
    while left and any(points[key] < most for key, most in raised.items()):
        for key, most in raised.items():
            if left and points[key] < most:
                points[key] += 1
                left -= 1
    return points


def _can_fight(arena: Arena, figure: Figure) -> bool:
    enemy = arena.enter(figure)
    return arena.best(arena.enter(figure), enemy) is not None


def _typical_weapon(arena: Arena, rank: Rank) -> str | None:
    """The weapon in the middle of the prices of those that fight; none if bare hands are all."""
    armed = [item for item in _weapons(arena, rank) if not item.innate]
    armed.sort(key=lambda item: (item.price, item.key))
    return armed[len(armed) // 2].key if armed else None


def _weapons(arena: Arena, rank: Rank) -> list[Item]:
    """The items with which somebody of this rank can attack."""
    bare = arena.enter(_figure(arena.book, rank, None))
    found = []
    for item in arena.book.in_force(arena.book.items, arena.settings):
        armed = arena.enter(_figure(arena.book, rank, item.key))
        if any(attack.item == item.key for attack in arena.attacks(armed, bare)):
            found.append(item)
    return found


def _candidates(
    arena: Arena, rank: Rank, weapon: str | None
) -> Iterator[tuple[Kind, Rank | Item | Trait, Figure]]:
    """Every row that may make a difference, with the figure that has it."""
    book, settings = arena.book, arena.settings
    for other in book.in_force(book.ranks, settings):
        if other.recruited:
            yield "rank", other, _figure(book, other, weapon)
    for item in _weapons(arena, rank):
        if not item.innate:
            yield "item", item, _figure(book, rank, item.key)
    for trait in book.in_force(book.traits, settings):
        if trait.sold and (not trait.ranks or rank.key in trait.ranks):
            yield "trait", trait, _figure(book, rank, weapon, trait.key)


def _fought(
    arena: Arena, plain: Figure, kind: Kind, row: Rank | Item | Trait, figure: Figure, fights: int
) -> Fair:
    cost = price(arena.book, arena.settings, figure, playing=True).total
    usual = price(arena.book, arena.settings, plain, playing=True).total
    sizes = equal_sums(cost, usual)
    duel = arena.fights([figure], [plain], fights)
    sums = None
    if sizes == (1, 1):
        sums = duel
    elif sizes is not None:
        sums = arena.fights([figure] * sizes[0], [plain] * sizes[1], fights)
    return Fair(kind, row.key, row.name, cost, duel, sums, sizes)


def equal_sums(cost: Points, other: Points) -> tuple[int, int] | None:
    """How many figures of each cost make two sides of about the same sum; None without prices."""
    if not cost or not other:
        return None
    counts = range(1, MOST_FIGURES + 1)
    pairs = ((mine, theirs) for mine in counts for theirs in counts)

    def apart(pair: tuple[int, int]) -> tuple[Fraction, int]:
        mine, theirs = (Fraction(cost) * pair[0], Fraction(other) * pair[1])
        return abs(mine - theirs) / max(mine, theirs), sum(pair)

    return min(pairs, key=apart)
