"""Simulated fights: the worth of figures against each other, as far as dice decide.

The fights assume, and every page that shows them says: nobody moves, there is no terrain, everybody
acts once a turn with the attack that is likeliest to put the enemy out, every circumstance has its
usual value, and the side that begins a turn is drawn by lot. A jammed weapon is useless for a turn.
Rolls that follow others, effects on a whole side, and moves are left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import sqrt
from random import Random
from typing import NamedTuple

from rules.book import roll_effects
from rules.book import rolls as declared
from rules.book.model import Rules
from rules.bounds.work import spend
from rules.engine.compiling import Ready, find_bound_names, names_of_effects, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure, find_given
from rules.engine.odds import HOPELESS, Endings, endings
from rules.engine.situations import Side, Situation, names_in, side_names

# States that end with a turn at the latest.
PASSING = ("turn", "activation")
# A fight that lasts longer is a draw.
MOST_TURNS = 40
# The most situations that are kept.
MOST_KEPT = 20_000
# Fewer fights prove nothing.
FEWEST_CLAIMED = 1000
# 95 % of a normal distribution is within this many standard deviations.
CONFIDENCE = 1.96


@dataclass(frozen=True)
class Attack:
    """A way to attack: the roll, and the weapon with its mode."""

    roll: str
    item: str | None
    mode: str | None


class Duellist(NamedTuple):
    """A figure's state in a fight; ``number``: its index in the arena.

    ``lost``: weapons that are useless from now on; ``jammed``: weapons that are useless for a
    number of turns.
    """

    number: int
    life: int
    states: frozenset[str] = frozenset()
    out: bool = False
    lost: frozenset[str] = frozenset()
    jammed: tuple[tuple[str, int], ...] = ()

    @property
    def useless(self) -> frozenset[str]:
        """The weapons that are useless now."""
        return self.lost.union(item for item, _turns in self.jammed)


Pair = tuple[Duellist, Duellist]
Facts = dict[str, Value]


class TooLong(Exception):
    """Raised when there is no more time to work fights out."""


@dataclass(frozen=True)
class DuelChances[T: Hashable]:
    """Results to draw from; ``up_to``: their ways, added up."""

    results: tuple[T, ...]
    up_to: tuple[int, ...]

    @classmethod
    def of(cls, ways: Counter[T]) -> DuelChances[T]:
        """Make chances from the ways of each result."""
        return cls(tuple(ways), tuple(accumulate(ways.values())))

    def drawn(self, dice: Random) -> T:
        """Draw a result by its chance."""
        if len(self.results) == 1:
            return self.results[0]
        return self.results[bisect_right(self.up_to, dice.randrange(self.up_to[-1]))]


@dataclass(frozen=True)
class Share:
    """The fights, wins and draws of one side. A draw counts as half a win."""

    fights: int = 0
    wins: int = 0
    draws: int = 0

    def __add__(self, other: Share) -> Share:
        """Add the fights of two shares."""
        return Share(self.fights + other.fights, self.wins + other.wins, self.draws + other.draws)

    @property
    def share(self) -> Fraction:
        """The share of fights won."""
        return Fraction(2 * self.wins + self.draws, 2 * self.fights)

    @property
    def within(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share, by Wilson's formula."""
        number, share = self.fights, float(self.share)
        square = CONFIDENCE**2
        middle = (share + square / (2 * number)) / (1 + square / number)
        spread = CONFIDENCE * sqrt(share * (1 - share) / number + square / (4 * number**2))
        spread /= 1 + square / number
        return max(0.0, middle - spread), min(1.0, middle + spread)

    @property
    def says_something(self) -> bool:
        """Whether there were enough fights, and the result is not even within the interval."""
        low, high = self.within
        return self.fights >= FEWEST_CLAIMED and not low <= 0.5 <= high


@dataclass
class Arena:
    """Fights under one set of rules. The results of an act of two figures in their states are
    worked out once, and then drawn from.

    ``is_late``: whether there is no more time to work things out.
    """

    rules: Rules
    dice: Random
    is_late: Callable[[], bool] = lambda: False
    figures: list[Figure] = field(default_factory=list)
    acts: dict[Pair, DuelChances[Pair]] = field(default_factory=dict)
    recoveries: dict[tuple[str, Duellist], DuelChances[Duellist]] = field(default_factory=dict)
    sides: dict[Hashable, Facts] = field(default_factory=dict)
    ended: dict[Hashable, Endings] = field(default_factory=dict)

    @cached_property
    def attacking(self) -> list[declared.Roll]:
        """The rolls of one figure at another that can put it out or hurt it."""
        return [
            roll
            for roll in self.rules.rolls
            if (roll.by, roll.at) == ("member", "member")
            and any(
                _harms(effect) and effect.whom == "at"
                for outcome in roll.outcomes
                for effect in outcome.effects
            )
        ]

    @cached_property
    def recovering(self) -> dict[str, declared.Roll]:
        """For each state, the roll by which a figure may end it by itself."""
        found: dict[str, declared.Roll] = {}
        for roll in self.rules.rolls:
            if (roll.by, roll.at, roll.using) != ("member", "nobody", "nothing"):
                continue
            for outcome in roll.outcomes:
                for effect in outcome.effects:
                    if effect.kind == "ends" and effect.whom == "by":
                        found.setdefault(effect.state, roll)
        return found

    def repeat_fight(self, ours: Sequence[Figure], theirs: Sequence[Figure], number: int) -> Share:
        """Fight a number of fights between two sides, each until one is out. Raises TooLong."""
        entered = [*map(self.enter, ours)], [*map(self.enter, theirs)]
        ended = Counter(self.fight(*entered) for _fight in range(number))
        return Share(number, ended[1], ended[0])

    def fight(self, ours: Sequence[Duellist], theirs: Sequence[Duellist]) -> int:
        """Fight once: 1 if ours win, -1 if theirs win, 0 for a draw."""
        sides = [*ours], [*theirs]
        for _turn in range(MOST_TURNS):
            spend(10)
            for side in sides:
                side[:] = [self.recover(one) if one.states else one for one in side]
            self.take_turn(sides)
            for side in sides:
                side[:] = [self.end_turn(one) if one.states or one.jammed else one for one in side]
            standing = [any(not one.out for one in side) for side in sides]
            if not all(standing):
                return int(standing[0]) - int(standing[1])
        return 0

    def take_turn(self, sides: tuple[list[Duellist], list[Duellist]]) -> None:
        """Let everybody act once; the sides alternate while both have somebody left to act."""
        side = self.dice.getrandbits(1)
        acted = [0, 0]
        while True:
            if acted[side] == len(sides[side]):
                side = 1 - side
            mine, theirs = sides[side], sides[1 - side]
            place = acted[side]
            target = next((at for at, enemy in enumerate(theirs) if not enemy.out), None)
            if target is None or place == len(mine):
                return
            if not mine[place].out:
                mine[place], theirs[target] = self.act(mine[place], theirs[target])
            acted[side] += 1
            side = 1 - side

    def enter(self, figure: Figure) -> Duellist:
        """Return a figure in its state at the start of a fight."""
        if figure not in self.figures:
            self.figures.append(figure)
        names = names_in(self.rules, Situation(Side(figure)))
        life = names.get("by.life", 0)
        assert not isinstance(life, str)
        return Duellist(self.figures.index(figure), int(life))

    @cached_property
    def around(self) -> Facts:
        """The names that belong to neither side, with their usual values."""
        return names_in(self.rules, Situation())

    def names_of(
        self, fighter: Duellist, subject: str, item: str | None = None, mode: str | None = None
    ) -> Facts:
        """The names of a figure in its state as ``subject``, perhaps with a weapon in use."""
        key = subject, fighter.number, fighter.states, fighter.life, item, mode
        if key not in self.sides:
            if len(self.sides) >= MOST_KEPT:
                self.sides.clear()
            states = tuple(sorted(fighter.states))
            side = Side(self.figures[fighter.number], item, mode, states, fighter.life)
            self.sides[key] = side_names(self.rules, side, subject)
        return self.sides[key]

    def recover(self, fighter: Duellist) -> Duellist:
        """Let a figure throw at the start of a turn to end its states."""
        for state in sorted(fighter.states):
            roll = self.recovering.get(state)
            if roll is None or fighter.out or state not in fighter.states:
                continue
            key = state, fighter
            if key not in self.recoveries:
                self.recoveries[key] = DuelChances.of(self.after_recovering(roll, fighter))
            fighter = self.recoveries[key].drawn(self.dice)
        return fighter

    def after_recovering(self, roll: declared.Roll, fighter: Duellist) -> Counter[Duellist]:
        """Count the ways of each state of a figure after this roll to end one."""
        names = self.around | self.names_of(fighter, "by")
        found: Counter[Duellist] = Counter()
        if roll.usable is None or parse(roll.usable).holds(names):
            with suppress(*HOPELESS):
                for (by, _at), ways in self.after(roll, names, (fighter, fighter), None).items():
                    found[by] += ways
        return found or Counter({fighter: 1})

    def act(self, actor: Duellist, enemy: Duellist) -> Pair:
        """Activate a figure: it attacks, unless a state keeps it from acting."""
        chances = self.acts.get((actor, enemy))
        if chances is None:
            if len(self.acts) >= MOST_KEPT:
                self.acts.clear()
            chances = DuelChances.of(self.after_acting(actor, enemy))
            self.acts[actor, enemy] = chances
        return chances.drawn(self.dice)

    def after_acting(self, actor: Duellist, enemy: Duellist) -> Counter[Pair]:
        """Count the ways of each state of the two after an activation."""
        stopped = any(self.rules.book.state[key].stops for key in actor.states)
        attack = None if stopped else self.best(actor, enemy)
        if attack is None:
            return Counter({(actor, enemy): 1})
        names = self.names(actor, enemy, attack)
        return self.after(self.rules.book.roll[attack.roll], names, (actor, enemy), attack.item)

    def names(self, actor: Duellist, enemy: Duellist, attack: Attack) -> Facts:
        """The names that an attack may read, for two figures in their states."""
        spend(20)
        ours = self.names_of(actor, "by", attack.item, attack.mode)
        return self.around | ours | self.names_of(enemy, "at")

    def best(self, actor: Duellist, enemy: Duellist) -> Attack | None:
        """Return the attack that is likeliest to put the enemy out, or else to hurt them, among
        those whose odds can be worked out; None if there is none. Raises TooLong."""
        rated = []
        for number, attack in enumerate(self.attacks(actor, enemy)):
            if self.is_late():
                raise TooLong
            with suppress(*HOPELESS):
                rated.append((self.rate(actor, enemy, attack), -number, attack))
        return max(rated, key=lambda each: each[:2])[2] if rated else None

    def rate(self, actor: Duellist, enemy: Duellist, attack: Attack) -> tuple[Fraction, Fraction]:
        """Rate an attack: how much likelier it puts the enemy out than the attacker, and how much
        likelier it hurts the enemy than the attacker."""
        roll, names = self.rules.book.roll[attack.roll], self.names(actor, enemy, attack)
        found, total = self.endings(roll, names)
        chances: Counter[str] = Counter()
        for (key, _values), ways in found.items():
            chances[key] += ways
        out = harm = 0
        for outcome in roll.outcomes:
            hurt = {effect.whom for effect in outcome.effects if _harms(effect)}
            put_out = {effect.whom for effect in outcome.effects if effect.kind == "out"}
            if outcome.grave and not put_out:
                put_out = hurt
            out += chances[outcome.key] * (("at" in put_out) - ("by" in put_out))
            harm += chances[outcome.key] * (("at" in hurt) - ("by" in hurt))
        return Fraction(out, total), Fraction(harm, total)

    def attacks(self, actor: Duellist, enemy: Duellist) -> Iterator[Attack]:
        """Yield every attack that a figure can make on another."""
        for roll in self.attacking:
            for item, mode in self.uses(self.figures[actor.number], roll):
                attack = Attack(roll.key, item, mode)
                if item not in actor.useless and (
                    roll.usable is None
                    or parse(roll.usable).holds(self.names(actor, enemy, attack))
                ):
                    yield attack

    def uses(self, figure: Figure, roll: declared.Roll) -> list[tuple[str | None, str | None]]:
        """The items that a figure can use for a roll, each in each of its modes."""
        if roll.using == "nothing":
            return [(None, None)]
        spend(len(self.rules.book.items) // 4)
        innate = (item.key for item in self.rules.book.items if item.innate)
        carried = dict.fromkeys(
            key
            for key in (*figure.items, *innate, *find_given(self.rules.book, figure))
            if key in self.rules.book.item
        )
        return [
            (key, mode.key if mode else None)
            for key in carried
            for mode in (None, *self.rules.book.item[key].modes)
        ]

    def endings(self, roll: declared.Roll, names: Facts) -> Endings:
        """The endings of a roll, with the values that its outcomes' effects read."""
        made = ready(self.rules, roll.key)
        key = roll.key, tuple([names.get(name) for name in made.reads_in_order])
        if key not in self.ended:
            if len(self.ended) >= MOST_KEPT:
                self.ended.clear()
            self.ended[key] = endings(made, names, _thrown_for_effects(made))
        return self.ended[key]

    def after(
        self, roll: declared.Roll, names: Facts, pair: Pair, item: str | None
    ) -> Counter[Pair]:
        """Count the ways of each state of two figures after a roll of one at the other."""
        made = ready(self.rules, roll.key)
        asked = _thrown_for_effects(made)
        effects = {outcome.key: roll.effects_of(outcome.declared) for outcome in made.outcomes}
        found: Counter[Pair] = Counter()
        for (key, values), ways in self.endings(roll, names).ways.items():
            spend(5)
            known = names | dict(zip(asked, values, strict=True))
            found[self.happen(effects.get(key, ()), known, pair, item)] += ways
        return found

    def happen(
        self, effects: Iterable[roll_effects.RollEffect], names: Facts, pair: Pair, item: str | None
    ) -> Pair:
        """Return the two figures after the effects of an outcome."""
        by, at = pair
        for effect in effects:
            if effect.given is not None and not parse(effect.given).holds(names):
                continue
            if effect.kind == "begins" and effect.whom == "item" and item is not None:
                by = self.spoil(by, item, self.rules.book.state[effect.state])
            elif effect.kind == "loses_weapon" and effect.whom == "by" and item is not None:
                by = by._replace(lost=by.lost | {item})
            elif effect.whom == "by":
                by = self.affect(by, effect, names)
            elif effect.whom == "at":
                at = self.affect(at, effect, names)
        return by, at

    def affect(self, fighter: Duellist, effect: roll_effects.RollEffect, names: Facts) -> Duellist:
        """Return a figure after an effect."""
        match effect.kind:
            case "out":
                return fighter._replace(out=True)
            case "changes" if effect.track == self.rules.book.life:
                life = fighter.life + parse(effect.amount).number(names)
                return fighter._replace(life=life)
            case "sets" if effect.track == self.rules.book.life:
                return fighter._replace(life=parse(effect.to).number(names))
            case "begins":
                return fighter._replace(states=fighter.states | {effect.state})
            case "ends":
                return fighter._replace(states=fighter.states - {effect.state})
        return fighter

    def spoil(self, fighter: Duellist, item: str, state: declared.State) -> Duellist:
        """Return a figure after its weapon has become useless by this state."""
        if state.lasts == "game":
            return fighter._replace(lost=fighter.lost | {item})
        # A state that does not end by itself is repaired in the following turn.
        turns = 1 if state.lasts in PASSING else 2
        jammed = {**dict(fighter.jammed), item: turns}
        return fighter._replace(jammed=tuple(sorted(jammed.items())))

    def end_turn(self, fighter: Duellist) -> Duellist:
        """Return a figure after the states that last a turn have ended."""
        lasting = [key for key in fighter.states if self.rules.book.state[key].lasts not in PASSING]
        jammed = tuple((item, left - 1) for item, left in fighter.jammed if left > 1)
        return fighter._replace(states=frozenset(lasting), jammed=jammed)


def _thrown_for_effects(made: Ready) -> tuple[str, ...]:
    """The names that the effects of a roll read and its dice decide."""
    found = names_of_effects(made.roll, made.outcomes, ("given", "amount", "to"))
    return tuple(sorted(found & set(find_bound_names(made.steps))))


def _harms(effect: roll_effects.RollEffect) -> bool:
    return effect.kind in ("out", "changes", "sets", "begins")
