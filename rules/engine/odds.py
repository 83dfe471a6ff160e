"""Exact odds of a roll: every way that its dice may fall, counted and never rounded.

The steps are walked once with all states side by side. A state is what later steps still read;
states that no later step tells apart are one, and so there are few.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from math import gcd, lcm
from operator import itemgetter
from typing import NamedTuple, cast

from rules.book.rolls import Opposed
from rules.bounds.kept import keep_within
from rules.bounds.limits import MOST_KEPT, MOST_STATES, ROLL_WORK
from rules.bounds.work import TooMuch, limit_work, spend
from rules.engine import distributions, throwing
from rules.engine.chains import solve_chain
from rules.engine.compiling import (
    BadRoll,
    CompiledAgain,
    CompiledCount,
    CompiledEnd,
    CompiledHand,
    CompiledLet,
    CompiledLookUp,
    CompiledOpposed,
    CompiledStep,
    CompiledSum,
    Ready,
    find_bound_names,
)
from rules.engine.expressions import BadExpression, Unknown, Value

# What an author's roll may raise when it is worked out for figures that nobody thought of.
HOPELESS = (BadRoll, BadExpression, TooMuch, Unknown)
# States of a loop without a fixed end: each is an unknown of a system of equations.
MOST_UNKNOWN = 200
# Work that is done before it is spent: to spend it for each state costs as much as the state.
MOST_UNSPENT = 1000

Keys = tuple[str, ...]
State = tuple[Value, ...]
Weights = dict[State, int]


@dataclass(frozen=True)
class Odds:
    """How likely each outcome is, by key, and each value of each number that the roll gives."""

    outcomes: Mapping[str, Fraction]
    numbers: Mapping[str, Mapping[int, Fraction]]

    def at_least(self, number: str, least: int) -> Fraction:
        """How likely a number is to be ``least`` or more."""
        values = self.numbers[number].items()
        return sum((chance for value, chance in values if value >= least), Fraction(0))

    def average(self, number: str) -> Fraction:
        """What a number is on average."""
        values = self.numbers[number].items()
        return sum((value * chance for value, chance in values), Fraction(0))


def _weight(found: Odds) -> int:
    """How many chances there are; those with very long fractions count several times."""
    shares = (share for number in found.numbers.values() for share in number.values())
    return len(found.outcomes) + sum(1 + (one.denominator.bit_length() >> 9) for one in shares)


class Endings(NamedTuple):
    """Outcomes, by key, with the values of some names: in how many ways of a ``total``."""

    ways: Mapping[tuple[str, State], int]
    total: int


def odds(ready: Ready, facts: Mapping[str, Value]) -> Odds:
    """The odds of a roll where ``facts`` hold: what each name that it reads is worth.

    Of what nobody says, a question is answered no. Raises Unknown for any other name that is
    missing, TooMuch for more dice than anybody throws, BadExpression for sums out of all bounds.
    """
    return _remembered(ready, _told(ready, facts))


def endings(ready: Ready, facts: Mapping[str, Value], names: Keys) -> Endings:
    """Every way in which a roll ends where ``facts`` hold: its outcome with the values of ``names``
    there, each with its ways; and the ways of them all. Raises what ``odds`` does."""
    return _remembered_endings(ready, _told(ready, facts), names)


def _told(ready: Ready, facts: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """Those of ``facts`` that a roll reads."""
    return tuple([(name, facts[name]) for name in ready.reads_in_order if name in facts])


# One figure after another asks for the same: many have the same weapons and the same profile.
@keep_within(MOST_KEPT // 4, lambda found: len(found.ways))
@limit_work(ROLL_WORK)
def _remembered_endings(ready: Ready, facts: tuple[tuple[str, Value], ...], names: Keys) -> Endings:
    return _Walk(ready, dict(facts), names).endings()


@keep_within(MOST_KEPT, _weight)
@limit_work(ROLL_WORK)
def _remembered(ready: Ready, facts: tuple[tuple[str, Value], ...]) -> Odds:
    return _Walk(ready, dict(facts), ready.numbers).odds()


class _Walk:
    """One enumeration: the names' values as they are in the state at hand. ``asked``: the names
    whose values are told of each end."""

    def __init__(self, ready: Ready, facts: dict[str, Value], asked: Keys) -> None:
        self.ready = ready
        self.names = facts
        self.asked = asked
        self.bound = frozenset(find_bound_names(ready.steps))
        # What ended where, over so many ways in all.
        self.ended: dict[int, Counter[tuple[str, State]]] = {}
        self.spreads: dict[object, tuple[Weights, int]] = {}

    def odds(self) -> Odds:
        """How likely each outcome and each number is."""
        ways, total = self.endings()
        outcomes = Counter({outcome.key: 0 for outcome in self.ready.outcomes})
        numbers: dict[str, Counter[int]] = {name: Counter() for name in self.asked}
        for (key, values), number in ways.items():
            outcomes[key] += number
            for name, value in zip(self.asked, values, strict=True):
                assert not isinstance(value, str)
                numbers[name][int(value)] += number
        return Odds(
            {row.key: Fraction(outcomes[row.key], total) for row in self.ready.outcomes},
            {
                name: {value: Fraction(ways, total) for value, ways in sorted(found.items())}
                for name, found in numbers.items()
            },
        )

    def endings(self) -> Endings:
        """Walk all steps, and gather where they end."""
        needed = set(self.asked)
        for outcome in self.ready.outcomes:
            needed |= outcome.given.names if outcome.given else set()
        dist = self.walk(self.ready.steps, Dist((), {(): 1}, 1), frozenset(needed))
        spend(5 * len(dist.weights))
        for state, weight in dist.weights.items():
            self.names.update(zip(dist.names, state, strict=True))
            self.end(self.ready.outcome(self.names), dist, state, weight)
        total = lcm(*self.ended)
        found: Counter[tuple[str, State]] = Counter()
        for part, ended in self.ended.items():
            for end, weight in ended.items():
                found[end] += weight * (total // part)
        return Endings(found, total)

    def end(self, key: str, dist: Dist, state: State, weight: int) -> None:
        """One state ends here, with an outcome."""
        values = dict(zip(dist.names, state, strict=True))
        given = tuple(
            values.get(name, 0 if name in self.bound else self.names.get(name, 0))
            for name in self.asked
        )
        self.ended.setdefault(dist.total, Counter())[(key, given)] += weight

    def walk(
        self,
        steps: Sequence[CompiledStep],
        dist: Dist,
        after: frozenset[str],
        guard: tuple[str, int] | None = None,
    ) -> Dist:
        """``dist`` after all ``steps``; ``after``: what is read later. ``guard``: they are taken
        only in states where this name is as much at least."""
        later = [after]
        for step in reversed(steps):
            later.append(later[-1] | step.reads)
        for step, needed in zip(steps, reversed(later[:-1]), strict=True):
            live = needed | ({guard[0]} if guard else frozenset())
            if isinstance(step, CompiledAgain) and step.times is not None:
                dist = self.repeat(step, dist, live, guard)
            elif isinstance(step, CompiledEnd):
                dist = self.stop(step, dist, guard)
            else:
                dist = self.advance(step, dist, live, guard)
        return dist

    def taken(self, step: CompiledStep, guard: tuple[str, int] | None) -> bool:
        """Whether the step is taken in the state at hand."""
        if guard is not None:
            most = self.names[guard[0]]
            if isinstance(most, str) or most < guard[1]:
                return False
        return step.taken(self.names)

    def stop(self, step: CompiledEnd, dist: Dist, guard: tuple[str, int] | None) -> Dist:
        """The states that end here are taken out; what is left keeps its share of the whole."""
        going: Weights = {}
        spend(3 * len(dist.weights) + 1)
        for state, weight in dist.weights.items():
            self.names.update(zip(dist.names, state, strict=True))
            if self.taken(step, guard):
                self.end(step.name, dist, state, weight)
            else:
                going[state] = weight
        return Dist(dist.names, going, dist.total)

    def repeat(
        self, step: CompiledAgain, dist: Dist, live: frozenset[str], guard: tuple[str, int] | None
    ) -> Dist:
        """A loop of so many times, each state as often as it says."""
        hidden = f"{step.name}:times"
        inner = live | step.reads | {hidden}
        # How often it has been repeated is kept only where somebody reads it, or read another's.
        counted = {step.name} & {*live, *dist.names}
        names = tuple(dict.fromkeys((*dist.names, *counted, hidden)))
        weights: Counter[State] = Counter()
        most = 0
        spend(5 * len(dist.weights) + 5)
        for state, weight in dist.weights.items():
            values = dict(zip(dist.names, state, strict=True))
            self.names.update(values)
            taken = self.taken(step, guard)
            values[hidden] = times = throwing.times(step, self.names) if taken else 0
            if taken:
                values[step.name] = 0
            most = max(most, times)
            weights[tuple([values.get(name, 0) for name in names])] += weight
        dist = Dist(names, dict(weights), dist.total)
        for time in range(1, most + 1):
            self.names[step.name] = time
            if counted:
                dist = _counted(dist, step.name, hidden, time)
            dist = self.walk(step.steps, dist, inner, (hidden, time))
        return self.reshaped(dist, step.binds, live)

    def reshaped(self, dist: Dist, binds: Iterable[str], live: frozenset[str]) -> Dist:
        """``dist`` by the names that are still live; those never bound are 0."""
        names = tuple(sorted({*dist.names, *binds} & live))
        places = {name: place for place, name in enumerate(dist.names)}
        pick = _picker([places.get(name, len(places)) for name in names])
        weights: Weights = {}
        spend(3 * len(dist.weights) + 1)
        for state, weight in dist.weights.items():
            key = pick((*state, 0))
            weights[key] = weights.get(key, 0) + weight
        return Dist(names, weights, dist.total)

    def advance(
        self, step: CompiledStep, dist: Dist, live: frozenset[str], guard: tuple[str, int] | None
    ) -> Dist:
        """``dist`` after one step."""
        wanted = tuple(name for name in step.binds if name in live)
        names = tuple(sorted({*dist.names, *wanted} & live))
        # Each name afterwards: of what the step binds, or as it was before, or 0.
        places = {name: place for place, name in enumerate((*dist.names, *wanted))}
        after = _picker([places[name] for name in names])
        before = {name: place for place, name in enumerate(dist.names)}
        kept = [before.get(name, -1) for name in wanted]
        # What the step comes to is worked out once for all states that it does not tell apart.
        told = step.reads | frozenset(step.binds) | ({guard[0]} if guard else frozenset())
        known_names = tuple(name for name in before if name in told)
        read = _picker([before[name] for name in known_names])
        known: dict[State, tuple[Weights, Sequence[tuple[State, int]]]] = {}
        by_total: dict[int, Weights] = {}
        each = 1 + (dist.total.bit_length() >> 11)
        work = 10 + len(step.reads) + len(dist.weights)
        for state, weight in dist.weights.items():
            seen = read(state)
            if seen not in known:
                self.names.update(zip(dist.names, state, strict=True))
                taken = self.taken(step, guard)
                if taken:
                    spread, total = self.spread_once(step, wanted, (known_names, seen))
                else:
                    as_before = tuple([state[place] if place >= 0 else 0 for place in kept])
                    spread, total = {as_before: 1}, 1
                known[seen] = by_total.setdefault(total, {}), tuple(spread.items())
            found, ways = known[seen]
            work += 2 * each * len(ways)
            if work > MOST_UNSPENT:
                spend(work)
                work = 0
            for result, number in ways:
                key = after(state + result)
                found[key] = found.get(key, 0) + weight * number
        spend(work)
        return Dist.joined(names, by_total, dist.total)

    def spread_once(
        self, step: CompiledStep, wanted: Keys, here: tuple[Keys, State]
    ) -> tuple[Weights, int]:
        """The same as ``spread``: what has steps of its own is walked once for each value of what
        it reads, also inside a loop."""
        if not isinstance(step, CompiledOpposed | CompiledAgain):
            return self.spread(step, wanted, here)
        outside = tuple([self.names.get(name) for name in step.reads if name not in here[0]])
        key = (id(step), wanted, here, outside)
        if key not in self.spreads:
            self.spreads[key] = self.spread(step, wanted, here)
        return self.spreads[key]

    def spread(
        self, step: CompiledStep, wanted: Keys, here: tuple[Keys, State]
    ) -> tuple[Weights, int]:
        """The ways of what ``step`` binds, of the names ``wanted`` only, in the state ``here``."""
        match step:
            case CompiledLet():
                return {(throwing.let(step, self.names),) if wanted else (): 1}, 1
            case CompiledCount():
                return self.count(step, wanted)
            case CompiledSum():
                return self.sum(step, wanted)
            case CompiledHand():
                return self.hand(step, wanted)
            case CompiledLookUp():
                return {(throwing.cell(step, self.names),) if wanted else (): 1}, 1
            case CompiledOpposed():
                return self.oppose(step, wanted, _start(step, wanted, here))
            case CompiledAgain():
                return self.until(step, wanted, _start(step, wanted, here))
        raise TypeError(f"{step} cannot be enumerated")

    def count(self, step: CompiledCount, wanted: Keys) -> tuple[Weights, int]:
        """The ways of a count."""
        features = tuple(
            "successes" if name == step.name else name.rpartition(".")[2] for name in wanted
        )
        ways, total = distributions.spread_successes(throwing.counting(step, self.names), features)
        return cast(Weights, ways), total

    def sum(self, step: CompiledSum, wanted: Keys) -> tuple[Weights, int]:
        """The ways of a sum, and of its being thrown again where it may be."""
        dice, sides, keep, lowest = throwing.summing(step, self.names)
        plus = step.plus.number(self.names)
        features = tuple(_feature(step.name, name) for name in wanted)
        again = throwing.sums_again(step, self.names)
        if not again:
            ways, total = distributions.spread_total(dice, sides, keep, lowest, features)
            return _added(ways, features, wanted, step.name, plus), total
        every = ("total", "max", "min")
        ways, total = distributions.spread_total(dice, sides, keep, lowest, every)
        assert step.again_given is not None
        bad = set()
        spend(len(ways) * (5 + 5 * again))
        for result in ways:
            self.names.update(_bound(step.name, dict(zip(every, result, strict=True)), plus))
            if step.again_given.holds(self.names):
                bad.add(result)
        # Every throw but the last is thrown again if it is bad.
        found: Counter[State] = Counter()
        lost = sum(ways[result] for result in bad)
        scale = 1
        for left in range(again, -1, -1):
            for result, number in ways.items():
                if left and result in bad:
                    continue
                values = _bound(step.name, dict(zip(every, result, strict=True)), plus)
                key = tuple(values[name] for name in wanted)
                found[key] += number * scale * total**left
            scale *= lost
        return dict(found), total ** (again + 1)

    def hand(self, step: CompiledHand, wanted: Keys) -> tuple[Weights, int]:
        """The ways of a hand of dice."""
        ways, total = distributions.hands(step.hand, *throwing.hand(step, self.names))
        spend(3 * len(ways))
        found: Counter[State] = Counter()
        for (strength,), number in ways.items():
            values = {step.name: strength, f"{step.name}.rank": step.hand.rank(strength)}
            found[tuple(values[name] for name in wanted)] += number
        return dict(found), total

    def oppose(self, step: CompiledOpposed, wanted: Keys, start: Dist) -> tuple[Weights, int]:
        """The ways of two sides compared; a tie that is thrown again leaves only the others."""
        # Where nobody asks by how much, and no side carries on from what was thrown before.
        simple = step.name not in wanted and not start.names
        apart = _apart(step) if simple else None
        if apart is not None:
            return self.oppose_apart(step, wanted, *apart)
        sides = frozenset().union(*(part.names for part in (*step.mine, *step.theirs)))
        dist = self.walk(step.steps, start, sides | frozenset(wanted))
        assert isinstance(step.declared, Opposed)
        again = step.declared.tied == "again"
        found: Counter[State] = Counter()
        total = dist.total
        spend(5 * len(dist.weights))
        for state, weight in dist.weights.items():
            values = dict(zip(dist.names, state, strict=True))
            self.names.update(values)
            mine = tuple(part.number(self.names) for part in step.mine)
            theirs = tuple(part.number(self.names) for part in step.theirs)
            margin, winner = throwing.compare_pairs(mine, theirs)
            if again and not winner:
                total -= weight
                continue
            values |= {step.name: margin, f"{step.name}.winner": winner}
            found[tuple(values.get(name, 0) for name in wanted)] += weight
        if not total:
            raise TooMuch("is tied for ever")
        return dict(found), total

    def oppose_apart(
        self, step: CompiledOpposed, wanted: Keys, *sides: tuple[CompiledStep, ...]
    ) -> tuple[Weights, int]:
        """The ways of two sides that have no throw in common: each is walked by itself."""
        spreads: list[dict[State, Counter[tuple[int, ...]]]] = []
        known: list[Keys] = []
        total = 1
        for steps, parts in zip(sides, (step.mine, step.theirs), strict=True):
            binds = {name for one in steps for name in one.binds}
            kept = tuple(name for name in wanted if name in binds)
            live = frozenset(kept).union(*(part.names for part in parts))
            dist = self.walk(steps, Dist((), {(): 1}, 1), live)
            found: dict[State, Counter[tuple[int, ...]]] = {}
            spend(4 * len(dist.weights))
            for state, weight in dist.weights.items():
                values = dict(zip(dist.names, state, strict=True))
                self.names.update(values)
                shown = tuple(part.number(self.names) for part in parts)
                key = tuple(values.get(name, 0) for name in kept)
                found.setdefault(key, Counter())[shown] += weight
            spreads.append(found)
            known.append(kept)
            total *= dist.total
        assert isinstance(step.declared, Opposed)
        again = step.declared.tied == "again"
        ways: Counter[State] = Counter()
        for (mine, mine_ways), (theirs, their_ways) in product(*(one.items() for one in spreads)):
            spend(5 + len(mine_ways) + len(their_ways))
            values = dict(zip(known[0], mine, strict=True))
            values |= zip(known[1], theirs, strict=True)
            for winner, weight in zip((1, 0, -1), _compared(mine_ways, their_ways), strict=True):
                if again and not winner:
                    total -= weight
                elif weight:
                    values[f"{step.name}.winner"] = winner
                    ways[tuple(values[name] for name in wanted)] += weight
        if not total:
            raise TooMuch("is tied for ever")
        return dict(ways), total

    def until(self, step: CompiledAgain, wanted: Keys, start: Dist) -> tuple[Weights, int]:
        """The ways in which a loop without a fixed end comes to its end."""
        assert step.until is not None
        carried, first = start.names, next(iter(start.weights))
        live = frozenset(carried) | frozenset(wanted) | step.until.names
        ends: dict[State, dict[State, Fraction]] = {}
        moves: dict[State, dict[State, Fraction]] = {}
        ahead = [first]
        while ahead:
            here = ahead.pop()
            if here in ends:
                continue
            if len(ends) >= MOST_UNKNOWN:
                raise TooMuch(f"has more than {MOST_UNKNOWN} states before it ends")
            ends[here], moves[here] = {}, {}
            dist = self.walk(step.steps, Dist(carried, {here: 1}, 1), live)
            spend(10 * len(dist.weights))
            for state, weight in dist.weights.items():
                values = dict(zip(dist.names, state, strict=True))
                self.names.update(values)
                chance = Fraction(weight, dist.total)
                if step.until.holds(self.names):
                    result = tuple(values.get(name, 0) for name in wanted)
                    ends[here][result] = ends[here].get(result, Fraction(0)) + chance
                else:
                    following = tuple(values.get(name, 0) for name in carried)
                    moves[here][following] = moves[here].get(following, Fraction(0)) + chance
                    ahead.append(following)
        found = solve_chain(first, ends, moves)
        total = lcm(*(chance.denominator for chance in found.values()))
        return {result: int(chance * total) for result, chance in found.items() if chance}, total


@dataclass(frozen=True)
class Dist:
    """States and their weights over a total; what is missing of the total has ended before."""

    names: Keys
    weights: Weights
    total: int

    @classmethod
    def joined(cls, names: Keys, by_total: Mapping[int, Mapping[State, int]], total: int) -> Dist:
        """States that were found over several totals, over one."""
        if max(map(len, by_total.values()), default=0) > MOST_STATES:
            raise TooMuch(f"has more than {MOST_STATES} states at once")
        common = lcm(*by_total) if by_total else 1
        spend(sum(map(len, by_total.values())) * (2 + ((common * total).bit_length() >> 8)))
        weights: Weights = {}
        for part, found in by_total.items():
            scale = common // part
            for state, weight in found.items():
                weights[state] = weights.get(state, 0) + weight * scale
        total *= common
        divisor = gcd(total, *weights.values())
        states = {state: one // divisor for state, one in weights.items()}
        return cls(names, states, total // divisor)


def _picker(places: Sequence[int]) -> Callable[[State], State]:
    """Return a function that takes the values at these places out of a state."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda state: tuple([state[place] for place in places])


def _apart(
    step: CompiledOpposed,
) -> tuple[tuple[CompiledStep, ...], tuple[CompiledStep, ...]] | None:
    """The steps of each side, if each step is of one side only."""
    found = []
    for parts in (step.mine, step.theirs):
        needed = {name for part in parts for name in part.names}
        own = []
        for one in reversed(step.steps):
            if needed.intersection(one.binds):
                needed |= one.reads
                own.append(one)
        found.append(tuple(reversed(own)))
    mine, theirs = ({id(one) for one in own} for own in found)
    apart = not mine & theirs and len(mine) + len(theirs) == len(step.steps)
    return (found[0], found[1]) if apart else None


def _compared(
    mine: Mapping[tuple[int, ...], int], theirs: Mapping[tuple[int, ...], int]
) -> tuple[int, int, int]:
    """The ways in which the first is more, both are the same, and the second is more."""
    others = sorted(theirs)
    below = [0, *accumulate(theirs[other] for other in others)]
    more = same = 0
    for one, ways in mine.items():
        more += ways * below[bisect_left(others, one)]
        same += ways * theirs.get(one, 0)
    return more, same, sum(mine.values()) * below[-1] - more - same


def _counted(dist: Dist, name: str, hidden: str, time: int) -> Dist:
    """``dist`` as a loop comes round once more: ``name`` is how often, where it goes on so long."""
    names = tuple(dict.fromkeys((*dist.names, name)))
    weights: Counter[State] = Counter()
    spend(3 * len(dist.weights))
    for state, weight in dist.weights.items():
        values = dict(zip(dist.names, state, strict=True))
        if cast(int, values[hidden]) >= time:
            values[name] = time
        weights[tuple([values.get(each, 0) for each in names])] += weight
    return Dist(names, dict(weights), dist.total)


def _start(step: CompiledOpposed | CompiledAgain, wanted: Keys, here: tuple[Keys, State]) -> Dist:
    """The state in which steps inside of another begin: of what they bind, what may be read before
    or instead; 0 where nothing has bound it yet."""
    values = dict(zip(*here, strict=True))
    names = tuple(sorted(step.carried | (step.unsure & {*wanted})))
    return Dist(names, {tuple([values.get(name, 0) for name in names]): 1}, 1)


def _feature(name: str, wanted: str) -> str:
    """What of the dice a bound name is: "quality.max" → "max"."""
    if wanted == name or wanted.endswith(".dice_total"):
        return "total"
    return wanted.rpartition(".")[2]


def _bound(name: str, values: Mapping[str, int], plus: int) -> dict[str, int]:
    """What a sum binds."""
    return {
        name: values["total"] + plus,
        f"{name}.dice_total": values["total"],
        f"{name}.max": values["max"],
        f"{name}.min": values["min"],
    }


def _added(ways: distributions.Ways, features: Keys, wanted: Keys, name: str, plus: int) -> Weights:
    """The ways with ``plus`` added where the total is bound."""
    if not plus or name not in wanted:
        return cast(Weights, ways)
    raised = [plus if one == name else 0 for one in wanted]
    return {
        tuple(value + more for value, more in zip(result, raised, strict=True)): number
        for result, number in ways.items()
    }
