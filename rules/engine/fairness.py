"""Fairness of prices, as far as dice can tell: simulated fights between sides of equal cost.

Prices apply to a gang that has played its first game. A price is fair here if a side that paid it
wins half its fights against a side of typical members of the same cost. ``rules.engine.duels``
lists what the fights leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Literal

from rules.book.limits import CountLimit, ItemsLimit, Limit
from rules.book.model import Book, Rules
from rules.book.schema import ChoiceSetting, Item, Rank, Trait
from rules.book.vocabulary import Text
from rules.bounds.work import spend
from rules.engine.compiling import ready
from rules.engine.costing import Points, price
from rules.engine.duels import FEWEST_CLAIMED, Arena, Share
from rules.engine.expressions import parse
from rules.engine.figure import Figure, picks
from rules.engine.profiles import evenly

Kind = Literal["rank", "item", "trait"]
# The most figures of a side, when two sides of equal cost are put together.
MOST_FIGURES = 6
# The number of rows named as overpriced, and as underpriced.
NAMED = 5
# Fights come in batches, each with its own seed, so that the report does not depend on pauses.
BATCH = 100


@dataclass(frozen=True)
class Trial:
    """The trial of one row of the rulebook: a figure that has it, and its cost.

    ``sizes``: the numbers of figures in two sides of equal cost; None without prices.
    """

    kind: Kind
    key: str
    name: Text
    figure: Figure
    cost: Points
    sizes: tuple[int, int] | None


@dataclass(frozen=True)
class Trials:
    """The trials of a rulebook's rows against ``typical``, the most common enemy.

    ``cost``: the cost of that enemy; ``untold``: traits that no roll of a fight reads, so that
    fights say nothing about them.
    """

    rules: Rules
    typical: Figure
    cost: Points
    rows: tuple[Trial, ...]
    untold: tuple[Trait, ...]

    @property
    def rank(self) -> Rank:
        """The rank of the typical enemy."""
        return self.rules.book.rank[self.typical.rank]

    @property
    def item(self) -> Item | None:
        """The weapon of the typical enemy; None for bare hands."""
        return next((self.rules.book.item[key] for key in self.typical.items), None)

    @property
    def has_prices(self) -> bool:
        """Whether the game puts a price on anything."""
        return any(row.sizes for row in self.rows)


@dataclass(frozen=True)
class Fair:
    """The fights of one row: one against one, and of equal cost, if it has a price."""

    trial: Trial
    duel: Share = Share()
    equal: Share = Share()

    @property
    def sums(self) -> Share | None:
        """Its fights of equal cost; None without prices."""
        match self.trial.sizes:
            case None:
                return None
            case (1, 1):
                return self.duel
        return self.equal

    def done(self, fights: int) -> bool:
        """Whether this number of fights of both kinds is done."""
        fought = self.duel if self.sums is None else self.sums
        return min(self.duel.fights, fought.fights) >= fights


@dataclass(frozen=True)
class Report:
    """The results of all trials, of this number of fights each."""

    fights: int
    trials: Trials
    rows: tuple[Fair, ...]

    @property
    def overpriced(self) -> list[Fair]:
        """The rows that win least for their price, the worst first, if enough fights prove it."""
        return self._unfair(-1)

    @property
    def underpriced(self) -> list[Fair]:
        """The rows that win most for their price, the best first, if enough fights prove it."""
        return self._unfair(1)

    def _unfair(self, sign: int) -> list[Fair]:
        found = [
            ((row.sums.share - Fraction(1, 2)) * sign, row)
            for row in self.rows
            if row.sums and row.sums.says_something
        ]
        found.sort(key=lambda pair: -pair[0])
        return [row for distance, row in found if distance > 0][:NAMED]


def fairness(rules: Rules, fights: int, seed: int) -> Report | None:
    """Let every rank, weapon and trait fight; None if nothing in the book can.

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
    """List the trials of a rulebook; None if nothing in it can fight.

    ``like``: take the enemy of these trials, if this book can still recruit and arm them, so that a
    comparison of two books differs in nothing else.
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
    fighter = arena.enter(plain)
    if arena.best(fighter, fighter) is None:
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


def arena_of(found: Trials, is_late: Callable[[], bool] = lambda: False) -> Arena:
    """Make an arena for the fights of one row; its results are of no use to other rows."""
    return Arena(found.rules, Random(), is_late)


def fight_more(arena: Arena, found: Trials, row: Fair, fights: int, seed: int) -> Fair:
    """Return a row after one more batch of fights, if it has fewer than ``fights`` of each kind.

    The seed and the number of earlier fights determine the batch. Raises TooLong.
    """
    trial = row.trial

    def more(sort: str, before: Share, mine: int, theirs: int) -> Share:
        arena.dice.seed(f"{seed} {trial.kind} {trial.key} {sort} {before.fights}")
        number = min(BATCH, fights - before.fights)
        return before + arena.repeat_fight([trial.figure] * mine, [found.typical] * theirs, number)

    if row.duel.fights < fights:
        return replace(row, duel=more("duel", row.duel, 1, 1))
    assert trial.sizes is not None
    return replace(row, equal=more("sums", row.equal, *trial.sizes))


def typical_rank(rules: Rules) -> Rank | None:
    """Return the most common rank: the cheapest that can be recruited and does not lead, and the
    lowest of these; a leader if all lead. None if nobody can be recruited."""
    ranks = [row for row in rules.recruited[::-1] if not _is_forbidden_rank(rules, row)]
    led = [row for row in ranks if not row.leads]
    return min(led or ranks, key=lambda row: row.price, default=None)


def _is_forbidden_rank(rules: Rules, rank: Rank) -> bool:
    """Whether a limit on a gang that plays allows no member of this rank."""
    figure = Figure(rank.key, rank.key)
    return any(
        isinstance(limit, CountLimit)
        and limit.maximum == 0
        and not limit.maximum_by_size
        and picks(rules.book, limit.of, figure)
        for limit in _forbidding(rules)
    )


def _is_forbidden_item(rules: Rules, rank: Rank, item: Item) -> bool:
    """Whether a limit on a gang that plays allows a member of this rank no such item."""
    figure = Figure(rank.key, rank.key, items=(item.key,))
    return any(
        isinstance(limit, ItemsLimit)
        and limit.maximum == 0
        and (not limit.groups or item.group in limit.groups)
        and (not limit.item_tags or not item.tags.isdisjoint(limit.item_tags))
        and (limit.measure == "count" or bool(item.hands))
        and picks(rules.book, limit.of, figure)
        for limit in _forbidding(rules)
    )


def _forbidding(rules: Rules) -> list[Limit]:
    """The limits that are errors for a gang that has played."""
    return [
        limit
        for limit in rules.limits
        if (limit.later or limit.severity) == "error" and limit.phase != "founding"
    ]


def _figure(book: Book, rank: Rank, item: str | None, trait: str | None = None) -> Figure:
    items, traits = (item,) if item else (), (trait,) if trait else ()
    return Figure(rank.key, rank.key, points=spread_points(book, rank), items=items, traits=traits)


def spread_points(book: Book, rank: Rank) -> dict[str, int]:
    """Spread the points of a rank evenly over the characteristics that they can raise."""
    room = {
        row.key: row.maximum - int(rank.values.get(row.key, row.start or 0))
        for row in book.characteristics
        if row.kind == "number" and row.bought_with_points
    }
    return evenly(room, rank.points)


def _typical_weapon(arena: Arena, rank: Rank) -> str | None:
    """The weapon with the median price; None if there are only bare hands."""
    armed = [item for item in _weapons(arena, rank) if not arena.rules.book.is_free(item)]
    armed.sort(key=lambda item: (item.price, item.key))
    return armed[len(armed) // 2].key if armed else None


def _weapons(arena: Arena, rank: Rank) -> list[Item]:
    """The items that a member of this rank can attack with."""
    bare = arena.enter(_figure(arena.rules.book, rank, None))
    found = []
    for item in arena.rules.items:
        if _is_forbidden_item(arena.rules, rank, item):
            continue
        armed = arena.enter(_figure(arena.rules.book, rank, item.key))
        if any(attack.item == item.key for attack in arena.attacks(armed, bare)):
            found.append(item)
    return found


def _candidates(
    arena: Arena, rank: Rank, weapon: str | None
) -> Iterator[tuple[Kind, Rank | Item | Trait, Figure]]:
    """Yield every row that may make a difference, with a figure that has it."""
    book = arena.rules.book
    for other in arena.rules.recruited:
        if _is_forbidden_rank(arena.rules, other):
            continue
        yield "rank", other, _figure(book, other, weapon)
    for item in _weapons(arena, rank):
        if not book.is_free(item):
            yield "item", item, _figure(book, rank, item.key)
    for trait in arena.rules.traits:
        if trait.sold and (not trait.ranks or rank.key in trait.ranks):
            yield "trait", trait, _figure(book, rank, weapon, trait.key)


def _fight_alike(arena: Arena, figure: Figure, other: Figure) -> bool:
    """Whether the rolls of a fight read the same values of two figures with the same items."""
    one, two = arena.enter(figure), arena.enter(other)
    states = (row.key for row in arena.rules.book.states if row.of == "figure")
    ways = [frozenset[str](), *(frozenset({state}) for state in states)]
    for roll in (*arena.attacking, *arena.recovering.values()):
        reads = ready(arena.rules, roll.key).reads
        reads |= parse(roll.usable).names if roll.usable else frozenset()
        for held in ways:
            mine, theirs = one._replace(states=held), two._replace(states=held)
            uses = [("at", None, None), *(("by", *use) for use in arena.uses(figure, roll))]
            spend(len(uses) * len(reads) // 2)
            for use in uses:
                here, there = arena.names_of(mine, *use), arena.names_of(theirs, *use)
                if any(here.get(name) != there.get(name) for name in reads):
                    return False
    return one.life == two.life


def equal_sums(cost: Points, other: Points) -> tuple[int, int] | None:
    """Return the numbers of figures of each cost that make two sides of about equal cost; None
    without prices."""
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
    """Yield the lines of a report, from its assumptions to the most over- and underpriced rows."""
    if report is None:
        yield f"{slug}: nothing in this rulebook can be fought with"
        return
    trials = report.trials
    item = f" with {trials.item.name.first}" if trials.item else ""
    yield f"{slug}: {report.fights} fights each against {trials.rank.name.first}{item}"
    yield from LEFT_OUT
    if options := _describe_options(trials.rules):
        yield f"Judged under these options only: {options}."
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
        yield f"These fights tell nothing of: {', '.join(row.name.first for row in trials.untold)}"
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
    line = (
        f"{trial.name.first[:27]:<28}{trial.cost!s:>6}  {_share(row.duel):<22}{sums:<22}{against}"
    )
    return line.rstrip()


def _share(share: Share) -> str:
    """Format a share and its confidence interval: "57% (54 to 60)"."""
    low, high = (f"{100 * bound:.0f}" for bound in share.within)
    return f"{float(share.share):.0%} ({low} to {high})"


def _describe_options(rules: Rules) -> str:
    """The choices under which a report is true: of every option that has others."""
    return ", ".join(
        f"{setting.key}={rules.settings[setting.key]}"
        for setting in rules.book.settings
        if isinstance(setting, ChoiceSetting) and not setting.campaign_only
    )


def _named(heading: str, rows: list[Fair]) -> str:
    names = ", ".join(
        f"{row.trial.name.first} ({float(row.sums.share):.0%})" for row in rows if row.sums
    )
    return f"{heading}: {names or 'none that these fights would tell'}"
