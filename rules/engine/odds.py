"""Exact odds of a roll: every way that its dice may fall, counted and never rounded.

The steps are walked once, with all states side by side. A state holds only the values that later
steps still read, so that equal states merge and their number stays low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import gcd, lcm
from operator import itemgetter
from typing import NamedTuple, cast

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.bounds.kept import keep_within
from rules.bounds.limits import MOST_KEPT, MOST_STATES, ROLL_WORK
from rules.bounds.work import TooMuch, limit_work, spend
from rules.engine import distributions, hands, throwing
from rules.engine.chains import solve_chain
from rules.engine.compiling import (
    BadRoll,
    CompiledAgain,
    CompiledCount,
    CompiledEnd,
    CompiledHand,
    CompiledLet,
    CompiledLookUp,
    CompiledNest,
    CompiledOpposed,
    CompiledStep,
    CompiledSum,
    Ready,
    find_bound_names,
)
from rules.engine.expressions import BadExpression, Unknown, Value

# The errors of an author's roll when it is worked out for figures that the author did not foresee.
HOPELESS = (BadRoll, BadExpression, TooMuch, Unknown)
# The most states of a loop without a fixed end: each is an unknown of a system of equations.
MOST_UNKNOWN = 200
# Work that is done before it is spent: to spend it for each state costs as much as the state.
MOST_UNSPENT = 1000

Keys = tuple[str, ...]
State = tuple[Value, ...]
Weights = dict[State, int]


@dataclass(frozen=True)
class Odds:
    """The chance of each outcome, by key, and of each value of each number that a roll gives.

    ``rounds``: the most rounds of each counted loop, by its name.
    """

    outcomes: Mapping[str, Fraction]
    numbers: Mapping[str, Mapping[int, Fraction]]
    rounds: Mapping[str, int] = field(default_factory=dict, compare=False)

    def at_least(self, number: str, least: int) -> Fraction:
        """Return the chance that a number is ``least`` or more."""
        values = self.numbers[number].items()
        return sum((chance for value, chance in values if value >= least), Fraction(0))

    def average(self, number: str) -> Fraction:
        """Return the average of a number."""
        values = self.numbers[number].items()
        return sum((value * chance for value, chance in values), Fraction(0))


def _weight(found: Odds) -> int:
    """Count the chances; very long fractions count several times."""
    shares = (share for number in found.numbers.values() for share in number.values())
    return len(found.outcomes) + sum(1 + (one.denominator.bit_length() >> 9) for one in shares)


class Endings(NamedTuple):
    """The ways of each outcome with the values of some names, and the total of ways."""

    ways: Mapping[tuple[str, State], int]
    total: int


def odds(ready: Ready, facts: Mapping[str, Value]) -> Odds:
    """Work out the odds of a roll; ``facts``: the values of the names that it reads.

    A question without an answer is answered no. Raises Unknown for any other missing name, TooMuch
    for too many dice or states, BadExpression for numbers beyond all limits.
    """
    return _remembered(ready, _read_facts(ready, facts))


def endings(ready: Ready, facts: Mapping[str, Value], names: Keys) -> Endings:
    """Count the ways of each outcome with the final values of ``names``; else as ``odds``."""
    return _remembered_endings(ready, _read_facts(ready, facts), names)


def _read_facts(ready: Ready, facts: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """The ``facts`` that a roll reads, in order."""
    return tuple([(name, facts[name]) for name in ready.reads_in_order if name in facts])


# Figures repeat the same question: many have the same weapons and the same profile.
@keep_within(MOST_KEPT // 4, lambda found: len(found.ways))
@limit_work(ROLL_WORK)
def _remembered_endings(ready: Ready, facts: tuple[tuple[str, Value], ...], names: Keys) -> Endings:
    return _Walk(ready, dict(facts), names).endings()


@keep_within(MOST_KEPT, _weight)
@limit_work(ROLL_WORK)
def _remembered(ready: Ready, facts: tuple[tuple[str, Value], ...]) -> Odds:
    return _Walk(ready, dict(facts), ready.numbers).odds()


class _Walk:
    """One enumeration. ``facts``: the values before it; ``names``: those in the current state;
    ``asked``: the names whose values each ending gives."""

    def __init__(self, ready: Ready, facts: dict[str, Value], asked: Keys) -> None:
        self.ready = ready
        self.facts = facts
        self.names = dict(facts)
        self.asked = asked
        self.bound = frozenset(find_bound_names(ready.steps))
        # The endings so far, by the total that their ways are counted over.
        self.ended: dict[int, Counter[tuple[str, State]]] = {}
        self.spreads: dict[object, tuple[Weights, int]] = {}
        self.rounds: dict[str, int] = {}

    def odds(self) -> Odds:
        """Work out the chance of each outcome and of each value of each number."""
        ways, total = self.endings()
        outcomes = Counter({outcome.key: 0 for outcome in self.ready.outcomes})
        numbers: dict[str, Counter[int]] = {name: Counter() for name in self.asked}
        for (key, values), number in ways.items():
            outcomes[key] += number
            for name, value in zip(self.asked, values, strict=True):
                assert not isinstance(value, str)
                numbers[name][self.ready.limit_loss(key, name, int(value), self.facts)] += number
        return Odds(
            {row.key: Fraction(outcomes[row.key], total) for row in self.ready.outcomes},
            {
                name: {value: Fraction(ways, total) for value, ways in sorted(found.items())}
                for name, found in numbers.items()
            },
            self.rounds,
        )

    def endings(self) -> Endings:
        """Walk all steps, and count the ways of each ending."""
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
        """End a state here, with an outcome."""
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
        """Return ``dist`` after all ``steps``. ``after``: the names that are read later; ``guard``:
        take the steps only in states where this name has at least this value."""
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
        """Whether the step is taken in the current state."""
        if guard is not None:
            most = self.names[guard[0]]
            if isinstance(most, str) or most < guard[1]:
                return False
        return step.taken(self.names)

    def stop(self, step: CompiledEnd, dist: Dist, guard: tuple[str, int] | None) -> Dist:
        """Take out the states that end here; the others keep their share of the whole."""
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
        """Return ``dist`` after a loop with a number of times, which each state sets."""
        hidden = f"{step.name}:times"
        inner = live | step.reads | {hidden}
        # Count the repetitions only if a later step or an earlier value uses their name.
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
        self.rounds[step.name] = max(most, self.rounds.get(step.name, 0))
        for time in range(1, most + 1):
            self.names[step.name] = time
            if counted:
                dist = _counted(dist, step.name, hidden, time)
            dist = self.walk(step.steps, dist, inner, (hidden, time))
        return self.reshaped(dist, step.binds, live)

    def reshaped(self, dist: Dist, binds: Iterable[str], live: frozenset[str]) -> Dist:
        """Return ``dist`` with only the names that are still live; unbound ones are 0."""
        names = tuple(sorted({*dist.names, *binds} & live))
        pick = dist.picker(names)
        weights: Weights = {}
        spend(3 * len(dist.weights) + 1)
        for state, weight in dist.weights.items():
            key = pick((*state, 0))
            weights[key] = weights.get(key, 0) + weight
        return Dist(names, weights, dist.total)

    def advance(
        self, step: CompiledStep, dist: Dist, live: frozenset[str], guard: tuple[str, int] | None
    ) -> Dist:
        """Return ``dist`` after one step."""
        wanted = tuple(name for name in step.binds if name in live)
        names = tuple(sorted({*dist.names, *wanted} & live))
        # The value of each name afterwards: bound by the step, or as it was before, or 0.
        places = {name: place for place, name in enumerate((*dist.names, *wanted))}
        after = _picker([places[name] for name in names])
        before = {name: place for place, name in enumerate(dist.names)}
        kept = [before.get(name, -1) for name in wanted]
        # The step is worked out once for all states that are the same to it.
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
        """Like ``spread``, but a step with inner steps is walked once for each value of the names
        it reads, also inside a loop.
        """
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
        """Count the ways of the ``wanted`` names that ``step`` binds, in the state ``here``."""
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
        """Count the ways of dice that are counted."""
        features = tuple(
            "successes" if name == step.name else name.rpartition(".")[2] for name in wanted
        )
        ways, total = distributions.spread_successes(throwing.counting(step, self.names), features)
        return cast(Weights, ways), total

    def sum(self, step: CompiledSum, wanted: Keys) -> tuple[Weights, int]:
        """Count the ways of a sum, thrown again where the rule says so."""
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
        # Each throw except the last is thrown again if it is bad.
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
        """Count the ways of a hand of dice."""
        ways, total = hands.hands(step.hand, *throwing.hand(step, self.names))
        spend(3 * len(ways))
        pick = _picker([0 if name == step.name else 1 for name in wanted])
        found: Weights = {}
        for (strength,), number in ways.items():
            result = pick((strength, step.hand.rank(strength)))
            found[result] = found.get(result, 0) + number
        return found, total

    def oppose(self, step: CompiledOpposed, wanted: Keys, start: Dist) -> tuple[Weights, int]:
        """Count the ways of two sides compared; ties that are thrown again do not count."""
        # Simple: no step reads the margin, and neither side depends on earlier throws.
        simple = step.name not in wanted and not start.names
        apart = _apart(step) if simple else None
        if apart is not None:
            return self.oppose_apart(step, wanted, *apart)
        sides = frozenset().union(*(part.names for part in (*step.mine, *step.theirs)))
        dist = self.walk(step.steps, start, sides | frozenset(wanted))
        found: Counter[State] = Counter()
        total = dist.total
        spend(5 * len(dist.weights))
        for state, weight in dist.weights.items():
            values = dict(zip(dist.names, state, strict=True))
            self.names.update(values)
            mine = tuple(part.number(self.names) for part in step.mine)
            theirs = tuple(part.number(self.names) for part in step.theirs)
            margin, winner = throwing.compare_pairs(mine, theirs)
            if step.again and not winner:
                total -= weight
                continue
            values |= {step.name: margin, f"{step.name}.winner": winner}
            found[tuple(values.get(name, 0) for name in wanted)] += weight
        if not total:
            raise TooMuch(_("the sides always tie, so the roll never ends"))
        return dict(found), total

    def oppose_apart(
        self, step: CompiledOpposed, wanted: Keys, *sides: tuple[CompiledStep, ...]
    ) -> tuple[Weights, int]:
        """Count the ways of two sides without a common throw, each walked by itself.

        Two hands of dice side by side would have more than MOST_STATES states.
        """
        spreads: list[dict[State, distributions.Ordered]] = []
        known: list[Keys] = []
        total = 1
        for steps, parts in zip(sides, (step.mine, step.theirs), strict=True):
            binds = {name for one in steps for name in one.binds}
            kept = tuple(name for name in wanted if name in binds)
            live = frozenset(kept).union(*(part.names for part in parts))
            dist = self.walk(steps, Dist((), {(): 1}, 1), live)
            found: dict[State, dict[tuple[int, ...], int]] = {}
            pick = dist.picker(kept)
            spend(4 * len(dist.weights))
            for state, weight in dist.weights.items():
                self.names.update(zip(dist.names, state, strict=True))
                shown = tuple([part.number(self.names) for part in parts])
                one = found.setdefault(pick((*state, 0)), {})
                one[shown] = one.get(shown, 0) + weight
            spreads.append({key: distributions.put_in_order(ways) for key, ways in found.items()})
            known.append(kept)
            total *= dist.total
        ways: Counter[State] = Counter()
        for (mine, mine_ways), (theirs, their_ways) in product(*(one.items() for one in spreads)):
            spend(5 + len(mine_ways.ways) + len(their_ways.ways))
            values = dict(zip(known[0], mine, strict=True))
            values |= zip(known[1], theirs, strict=True)
            compared = distributions.compare(mine_ways, their_ways)
            for winner, weight in zip((1, 0, -1), compared, strict=True):
                if step.again and not winner:
                    total -= weight
                elif weight:
                    values[f"{step.name}.winner"] = winner
                    ways[tuple(values[name] for name in wanted)] += weight
        if not total:
            raise TooMuch(_("the sides always tie, so the roll never ends"))
        return dict(ways), total

    def until(self, step: CompiledAgain, wanted: Keys, start: Dist) -> tuple[Weights, int]:
        """Count the ways in which a loop without a fixed end ends."""
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
                raise TooMuch(
                    say(
                        _("too complex: more than %(most)s states before the roll ends"),
                        most=MOST_UNKNOWN,
                    )
                )
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
    """States and their weights over a total; the rest of the total has ended earlier."""

    names: Keys
    weights: Weights
    total: int

    @classmethod
    def joined(cls, names: Keys, by_total: Mapping[int, Mapping[State, int]], total: int) -> Dist:
        """Join weights over several totals into weights over one. Raises TooMuch."""
        if max(map(len, by_total.values()), default=0) > MOST_STATES:
            raise TooMuch(
                say(_("too complex: more than %(most)s states at the same time"), most=MOST_STATES)
            )
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

    def picker(self, names: Keys) -> Callable[[State], State]:
        """Return a function that takes the values of these names out of a state with a 0 added;
        unbound ones are 0."""
        places = {name: place for place, name in enumerate(self.names)}
        return _picker([places.get(name, len(places)) for name in names])


def _picker(places: Sequence[int]) -> Callable[[State], State]:
    """Return a function that takes the values at these places out of a state."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda state: tuple([state[place] for place in places])


def _apart(
    step: CompiledOpposed,
) -> tuple[tuple[CompiledStep, ...], tuple[CompiledStep, ...]] | None:
    """The steps of each side, if each step belongs to one side only; else None."""
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


def _counted(dist: Dist, name: str, hidden: str, time: int) -> Dist:
    """Return ``dist`` at the next round of a loop: set ``name`` where it goes on until ``time``."""
    names = tuple(dict.fromkeys((*dist.names, name)))
    weights: Counter[State] = Counter()
    spend(3 * len(dist.weights))
    for state, weight in dist.weights.items():
        values = dict(zip(dist.names, state, strict=True))
        if cast(int, values[hidden]) >= time:
            values[name] = time
        weights[tuple([values.get(each, 0) for each in names])] += weight
    return Dist(names, dict(weights), dist.total)


def _start(step: CompiledNest, wanted: Keys, here: tuple[Keys, State]) -> Dist:
    """The state in which the inner steps begin: the values of the names that they may read before
    they bind them, or leave unbound; 0 for a name without a value."""
    values = dict(zip(*here, strict=True))
    names = tuple(sorted(step.carried | (step.unsure & {*wanted})))
    return Dist(names, {tuple([values.get(name, 0) for name in names]): 1}, 1)


def _feature(name: str, wanted: str) -> str:
    """The feature of the dice that a bound name gives: "quality.max" → "max"."""
    if wanted == name or wanted.endswith(".dice_total"):
        return "total"
    return wanted.rpartition(".")[2]


def _bound(name: str, values: Mapping[str, int], plus: int) -> dict[str, int]:
    """The names that a sum binds, with their values."""
    return {
        name: values["total"] + plus,
        f"{name}.dice_total": values["total"],
        f"{name}.max": values["max"],
        f"{name}.min": values["min"],
    }


def _added(ways: distributions.Ways, features: Keys, wanted: Keys, name: str, plus: int) -> Weights:
    """Add ``plus`` to the total, if the total is needed."""
    if not plus or name not in wanted:
        return cast(Weights, ways)
    raised = [plus if one == name else 0 for one in wanted]
    return {
        tuple(value + more for value, more in zip(result, raised, strict=True)): number
        for result, number in ways.items()
    }
