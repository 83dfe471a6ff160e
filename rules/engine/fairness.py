"""Whether prices are fair, as far as dice can tell: simulated fights of what costs the same.

Prices are those of a gang that has played, when money is final. One is fair here if a side that has
paid it wins half its fights against a side of typical members for the same sum.
``rules.engine.duels`` says what the fights leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Literal

from rules.book.model import Book, Rules
from rules.book.schema import Item, Rank, Trait
from rules.book.vocabulary import Text
from rules.bounds.work import spend
from rules.engine.compiling import ready
from rules.engine.costing import Points, price
from rules.engine.duels import FEWEST_CLAIMED, Arena, Share
from rules.engine.expressions import parse
from rules.engine.figure import Figure
from rules.engine.profiles import evenly

Kind = Literal["rank", "item", "trait"]
# Figures a side has at most, when two sides of the same sum are put together.
MOST_FIGURES = 6
# So many rows are named as over- and as underpriced.
NAMED = 5
# Fights that are fought at one go: whoever fights bit by bit comes to the same.
BATCH = 100


@dataclass(frozen=True)
class Trial:
    """How one row of the rulebook is tried: a figure that has it, and what that costs.

    ``sizes``: figures of the two sides of equal sums, none where nothing has a price.
    """

    kind: Kind
    key: str
    name: Text
    figure: Figure
    cost: Points
    sizes: tuple[int, int] | None


@dataclass(frozen=True)
class Trials:
    """Every row of a rulebook that is tried against ``typical``: whom one meets most.

    ``untold``: traits of which no roll of a fight reads anything, so that fights tell nothing.
    """

    rules: Rules
    typical: Figure
    cost: Points
    rows: tuple[Trial, ...]
    untold: tuple[Trait, ...]

    @property
    def rank(self) -> Rank:
        """What the typical enemy is."""
        return self.rules.book.rank[self.typical.rank]

    @property
    def item(self) -> Item | None:
        """What they fight with; None if with bare hands."""
        return next((self.rules.book.item[key] for key in self.typical.items), None)

    @property
    def has_prices(self) -> bool:
        """Whether the game weighs anything at all."""
        return any(row.sizes for row in self.rows)


@dataclass(frozen=True)
class Fair:
    """What one row was worth: in fights one against one, and of equal sums, if it has a price."""

    trial: Trial
    duel: Share = Share()
    equal: Share = Share()

    @property
    def sums(self) -> Share | None:
        """Its fights of equal sums; None where there are none for want of prices."""
        match self.trial.sizes:
            case None:
                return None
            case (1, 1):
                return self.duel
        return self.equal

    def done(self, fights: int) -> bool:
        """Whether there were so many fights of both sorts."""
        fought = self.duel if self.sums is None else self.sums
        return min(self.duel.fights, fought.fights) >= fights


@dataclass(frozen=True)
class Report:
    """What came of it all."""

    fights: int
    trials: Trials
    rows: tuple[Fair, ...]

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


def fairness(rules: Rules, fights: int, seed: int) -> Report | None:
    """Let every rank, weapon and trait that fights fight; None if nothing in the book does.

    The same seed gives the same report.
    """
    found = trials(rules)
    if found is None:
        return None
    rows = []
    for trial in found.rows:
        row, arena = Fair(trial), arena_of(found)
        while not row.done(fights):
            row = fight_more(arena, found, row, fights, seed)
        rows.append(row)
    return Report(fights, found, tuple(rows))


def trials(rules: Rules, like: Trials | None = None) -> Trials | None:
    """What has to fight, and against whom; None if nothing in the book does.

    ``like``: the enemy is the same as there, if they can still be recruited and armed so: where the
    rows of two books are compared, nothing else differs.
    """
    arena = Arena(rules, Random())
    rank = typical_rank(rules)
    if rank is None:
        return None
    weapon = _typical_weapon(arena, rank)
    if like is not None:
        there = next((row for row in rules.recruited if row.key == like.rank.key), None)
        armed = {item.key for item in _weapons(arena, there)} if there is not None else ()
        wanted = like.item.key if like.item is not None else None
        if there is not None and (wanted is None or wanted in armed):
            rank, weapon = there, wanted
    plain = _figure(rules.book, rank, weapon)
    if not _can_fight(arena, plain):
        return None
    usual = price(rules, plain, playing=True).total
    rows, untold = [], []
    for kind, row, figure in _candidates(arena, rank, weapon):
        if isinstance(row, Trait) and _fight_alike(arena, figure, plain):
            untold.append(row)
            continue
        cost = price(rules, figure, playing=True).total
        rows.append(Trial(kind, row.key, row.name, figure, cost, equal_sums(cost, usual)))
    return Trials(rules, plain, usual, tuple(rows), tuple(untold))


def arena_of(found: Trials, late: Callable[[], bool] = lambda: False) -> Arena:
    """Where one row fights, and then another: what it worked out is of no use to a third."""
    return Arena(found.rules, Random(), late)


def fight_more(arena: Arena, found: Trials, row: Fair, fights: int, seed: int) -> Fair:
    """A row after some more fights, until there are so many of each sort. Raises TooLong.

    Which they are follows from the seed and the number of those before.
    """
    trial = row.trial

    def more(sort: str, before: Share, mine: int, theirs: int) -> Share:
        arena.dice.seed(f"{seed} {trial.kind} {trial.key} {sort} {before.fights}")
        number = min(BATCH, fights - before.fights)
        return before + arena.fights([trial.figure] * mine, [found.typical] * theirs, number)

    if row.duel.fights < fights:
        return replace(row, duel=more("duel", row.duel, 1, 1))
    assert trial.sizes is not None
    return replace(row, equal=more("sums", row.equal, *trial.sizes))


def typical_rank(rules: Rules) -> Rank | None:
    """Whom one meets most: the cheapest rank that can be recruited and does not lead, the lowest
    of those that cost the same; one that leads where all do. None where nobody is recruited."""
    ranks = rules.recruited[::-1]
    led = [row for row in ranks if not row.leads]
    return min(led or ranks, key=lambda row: row.price, default=None)


def _figure(book: Book, rank: Rank, item: str | None, trait: str | None = None) -> Figure:
    items, traits = (item,) if item else (), (trait,) if trait else ()
    return Figure(rank.key, rank.key, points=spread_points(book, rank), items=items, traits=traits)


def spread_points(book: Book, rank: Rank) -> dict[str, int]:
    """The points of a rank, one after the other on each characteristic that they can raise."""
    room = {
        row.key: row.maximum - int(rank.values.get(row.key, row.start or 0))
        for row in book.characteristics
        if row.kind == "number" and row.bought_with_points
    }
    return evenly(room, rank.points)


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
    bare = arena.enter(_figure(arena.rules.book, rank, None))
    found = []
    for item in arena.rules.items:
        armed = arena.enter(_figure(arena.rules.book, rank, item.key))
        if any(attack.item == item.key for attack in arena.attacks(armed, bare)):
            found.append(item)
    return found


def _candidates(
    arena: Arena, rank: Rank, weapon: str | None
) -> Iterator[tuple[Kind, Rank | Item | Trait, Figure]]:
    """Every row that may make a difference, with the figure that has it."""
    book = arena.rules.book
    for other in arena.rules.recruited:
        yield "rank", other, _figure(book, other, weapon)
    for item in _weapons(arena, rank):
        if not item.innate:
            yield "item", item, _figure(book, rank, item.key)
    for trait in arena.rules.traits:
        if trait.sold and (not trait.ranks or rank.key in trait.ranks):
            yield "trait", trait, _figure(book, rank, weapon, trait.key)


def _fight_alike(arena: Arena, figure: Figure, other: Figure) -> bool:
    """Whether the rolls of a fight read the same of two figures that carry the same."""
    one, two = arena.enter(figure), arena.enter(other)
    states = (row.key for row in arena.rules.book.states if row.of == "figure")
    ways = [frozenset[str](), *(frozenset({state}) for state in states)]
    for roll in (*arena.attacking, *arena.recovering.values()):
        reads = ready(arena.rules, roll.key).reads
        reads |= parse(roll.usable).names if roll.usable else frozenset()
        for held in ways:
            mine, theirs = one._replace(states=held), two._replace(states=held)
            told = [(arena.told(mine, "at"), arena.told(theirs, "at"))]
            for weapon in arena.uses(figure, roll):
                told.append((arena.told(mine, "by", *weapon), arena.told(theirs, "by", *weapon)))
            spend(len(told) * len(reads) // 2)
            if any(here.get(name) != there.get(name) for here, there in told for name in reads):
                return False
    return one.life == two.life


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


LEFT_OUT = (
    "Left out: movement, ranges, terrain, and whatever players do well or badly. Everybody stands",
    "and acts once a turn with the attack likeliest to put the enemy out; circumstances are what",
    "they usually are; points are spread evenly; who begins a turn is drawn by lot.",
)
KINDS = {"rank": "Ranks", "item": "Weapons", "trait": "Traits"}


def describe(report: Report | None, slug: str) -> Iterator[str]:
    """The report, from what is assumed to what is dearest and cheapest for what it does."""
    if report is None:
        yield f"{slug}: nothing in this rulebook can be fought with"
        return
    trials = report.trials
    item = f" with {trials.item.name.en}" if trials.item else ""
    yield f"{slug}: {report.fights} fights each against {trials.rank.name.en}{item}"
    yield from LEFT_OUT
    if not trials.has_prices:
        yield "This game sells nothing: fights one against one are all there is to compare."
    for kind, heading in KINDS.items():
        rows = [row for row in report.rows if row.trial.kind == kind]
        if rows:
            yield ""
            yield f"{heading:<28}{'cost':>6}  {'one against one':<22}{'equal sums':<22}"
            yield from map(_line, rows)
    if trials.untold:
        yield ""
        yield f"These fights tell nothing of: {', '.join(row.name.en for row in trials.untold)}"
    yield ""
    if report.fights < FEWEST_CLAIMED:
        yield f"Nothing is claimed of fewer than {FEWEST_CLAIMED} fights."
    elif trials.has_prices:
        yield _named("Dear for what they do", report.overpriced)
        yield _named("Cheap for what they do", report.underpriced)


def _line(row: Fair) -> str:
    trial = row.trial
    sums = "" if row.sums is None else _share(row.sums)
    against = "" if trial.sizes is None else f" {trial.sizes[0]} against {trial.sizes[1]}"
    line = f"{trial.name.en[:27]:<28}{trial.cost!s:>6}  {_share(row.duel):<22}{sums:<22}{against}"
    return line.rstrip()


def _share(share: Share) -> str:
    """How often it won, and between what that lies in truth: "57% (54 to 60)"."""
    low, high = (f"{100 * bound:.0f}" for bound in share.within)
    return f"{float(share.share):.0%} ({low} to {high})"


def _named(heading: str, rows: list[Fair]) -> str:
    names = ", ".join(
        f"{row.trial.name.en} ({float(row.sums.share):.0%})" for row in rows if row.sums
    )
    return f"{heading}: {names or 'none that these fights would tell'}"
