"""Fights that are simulated: what figures are worth against each other, as far as dice decide.

What is assumed, and said wherever it is shown: nobody moves, there is no terrain, everybody acts
once a turn with the attack that is likeliest to put the enemy out, every circumstance is what it
usually is, and whoever begins a turn is drawn by lot. A weapon that jams is of no use for a turn.
Rolls that follow others, what befalls a whole side, and moves, are left out.
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

from rules.book import rolls as declared
from rules.book.model import Rules
from rules.bounds.work import spend
from rules.engine.compiling import Ready, find_bound_names, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import HOPELESS, Endings, endings
from rules.engine.situations import Side, Situation, names_in, side_names

# States that end with a turn at the latest.
PASSING = ("turn", "activation")
# A fight that lasts longer is a draw.
MOST_TURNS = 40
# So many situations are kept.
MOST_KEPT = 20_000
# Nothing is claimed of fewer fights.
FEWEST_CLAIMED = 1000
# A fight at about even chances lies within so many standard deviations, 95 times of 100.
CONFIDENCE = 1.96


@dataclass(frozen=True)
class Attack:
    """One way to attack: the roll, and the weapon with its mode."""

    roll: str
    item: str | None
    mode: str | None


class Duellist(NamedTuple):
    """A figure in a fight, as it stands: its ``number`` in the arena, and what it has left.

    ``lost``: weapons that are of no use any more; ``jammed``: those that are none until so many
    turns have ended.
    """

    number: int
    life: int
    states: frozenset[str] = frozenset()
    out: bool = False
    lost: frozenset[str] = frozenset()
    jammed: tuple[tuple[str, int], ...] = ()

    @property
    def useless(self) -> frozenset[str]:
        """The weapons that are of no use now."""
        return self.lost.union(item for item, _turns in self.jammed)


Pair = tuple[Duellist, Duellist]
Facts = dict[str, Value]


class TooLong(Exception):
    """There is no time to work these fights out."""


@dataclass(frozen=True)
class DuelChances[T: Hashable]:
    """What may come of something, each in so many ways, which are added up: ``up_to``."""

    results: tuple[T, ...]
    up_to: tuple[int, ...]

    @classmethod
    def of(cls, ways: Counter[T]) -> DuelChances[T]:
        """Those that are counted."""
        return cls(tuple(ways), tuple(accumulate(ways.values())))

    def drawn(self, dice: Random) -> T:
        """One of them, as likely as it is."""
        if len(self.results) == 1:
            return self.results[0]
        return self.results[bisect_right(self.up_to, dice.randrange(self.up_to[-1]))]


@dataclass(frozen=True)
class Share:
    """How often one side won: fights, wins, and draws. Half of each draw counts for either."""

    fights: int = 0
    wins: int = 0
    draws: int = 0

    def __add__(self, other: Share) -> Share:
        """Both, taken together."""
        numbers = self.fights + other.fights, self.wins + other.wins, self.draws + other.draws
        return Share(*numbers)

    @property
    def share(self) -> Fraction:
        """The part of the fights that was won."""
        return Fraction(2 * self.wins + self.draws, 2 * self.fights)

    @property
    def within(self) -> tuple[float, float]:
        """Between what the share lies 95 times of 100, by Wilson's interval."""
        number, share = self.fights, float(self.share)
        square = CONFIDENCE**2
        middle = (share + square / (2 * number)) / (1 + square / number)
        spread = CONFIDENCE * sqrt(share * (1 - share) / number + square / (4 * number**2))
        spread /= 1 + square / number
        return max(0.0, middle - spread), min(1.0, middle + spread)

    @property
    def says_something(self) -> bool:
        """Whether there were enough fights, and they were not even within what chance does."""
        low, high = self.within
        return self.fights >= FEWEST_CLAIMED and not low <= 0.5 <= high


@dataclass
class Arena:
    """Fights under the rules of one book. What can come of an act of two figures as they stand is
    worked out once, and drawn from then on.

    ``late`` tells when there is no time to work out more.
    """

    rules: Rules
    dice: Random
    late: Callable[[], bool] = lambda: False
    figures: list[Figure] = field(default_factory=list)
    acts: dict[Pair, DuelChances[Pair]] = field(default_factory=dict)
    recoveries: dict[tuple[str, Duellist], DuelChances[Duellist]] = field(default_factory=dict)
    sides: dict[Hashable, Facts] = field(default_factory=dict)
    ended: dict[Hashable, Endings] = field(default_factory=dict)

    @cached_property
    def attacking(self) -> list[declared.Roll]:
        """The rolls of somebody at somebody that can hurt."""
        return [
            roll
            for roll in self.rules.rolls
            if (roll.by, roll.at) == ("member", "member") and _attacks(roll)
        ]

    @cached_property
    def recovering(self) -> dict[str, declared.Roll]:
        """By state: the roll by which somebody may get out of it by themselves."""
        found: dict[str, declared.Roll] = {}
        for roll in self.rules.rolls:
            if (roll.by, roll.at, roll.using) != ("member", "nobody", "nothing"):
                continue
            for outcome in roll.outcomes:
                for effect in outcome.effects:
                    if effect.kind == "ends" and effect.whom == "by":
                        found.setdefault(effect.state, roll)
        return found

    def fights(self, ours: Sequence[Figure], theirs: Sequence[Figure], number: int) -> Share:
        """So many fights of two sides, until one is out. Raises TooLong."""
        entered = [*map(self.enter, ours)], [*map(self.enter, theirs)]
        ended = Counter(self.fight(*entered) for _fight in range(number))
        return Share(number, ended[1], ended[0])

    def fight(self, ours: Sequence[Duellist], theirs: Sequence[Duellist]) -> int:
        """One fight: 1 if ours win, -1 if theirs do, 0 if nobody does."""
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
        """Everybody acts once, the sides in turn as long as both have somebody to act."""
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
        """A figure at the start of a fight."""
        if figure not in self.figures:
            self.figures.append(figure)
        names = names_in(self.rules, Situation(Side(figure)))
        life = names.get("by.life", 0)
        assert not isinstance(life, str)
        return Duellist(self.figures.index(figure), int(life))

    @cached_property
    def around(self) -> Facts:
        """What is read of neither side: circumstances are what they usually are."""
        return names_in(self.rules, Situation())

    def told(
        self, fighter: Duellist, subject: str, item: str | None = None, mode: str | None = None
    ) -> Facts:
        """What is read of a figure as it stands, as ``subject``, perhaps with a weapon in use."""
        key = subject, fighter.number, fighter.states, fighter.life, item, mode
        if key not in self.sides:
            if len(self.sides) >= MOST_KEPT:
                self.sides.clear()
            states = tuple(sorted(fighter.states))
            side = Side(self.figures[fighter.number], item, mode, states, fighter.life)
            self.sides[key] = side_names(self.rules, side, subject)
        return self.sides[key]

    def recover(self, fighter: Duellist) -> Duellist:
        """What comes of what a figure throws at the start of a turn to get out of its states."""
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
        """How a figure stands after trying to get out of a state, each in so many ways."""
        names = self.around | self.told(fighter, "by")
        found: Counter[Duellist] = Counter()
        if roll.usable is None or parse(roll.usable).holds(names):
            with suppress(*HOPELESS):
                for (by, _at), ways in self.after(roll, names, (fighter, fighter), None).items():
                    found[by] += ways
        return found or Counter({fighter: 1})

    def act(self, actor: Duellist, enemy: Duellist) -> Pair:
        """What comes of a figure's activation: an attack, unless a state keeps it from acting."""
        chances = self.acts.get((actor, enemy))
        if chances is None:
            if len(self.acts) >= MOST_KEPT:
                self.acts.clear()
            chances = DuelChances.of(self.after_acting(actor, enemy))
            self.acts[actor, enemy] = chances
        return chances.drawn(self.dice)

    def after_acting(self, actor: Duellist, enemy: Duellist) -> Counter[Pair]:
        """How the two stand after an activation, each in so many ways."""
        stopped = any(self.rules.book.state[key].stops for key in actor.states)
        attack = None if stopped else self.best(actor, enemy)
        if attack is None:
            return Counter({(actor, enemy): 1})
        names = self.names(actor, enemy, attack)
        return self.after(self.rules.book.roll[attack.roll], names, (actor, enemy), attack.item)

    def names(self, actor: Duellist, enemy: Duellist, attack: Attack) -> Facts:
        """What an attack reads, for two figures as they stand."""
        spend(20)
        ours = self.told(actor, "by", attack.item, attack.mode)
        return self.around | ours | self.told(enemy, "at")

    def best(self, actor: Duellist, enemy: Duellist) -> Attack | None:
        """The attack that is likeliest to put the enemy out, or else to hurt most; of those whose
        odds can be worked out. Raises TooLong."""
        rated = []
        for number, attack in enumerate(self.attacks(actor, enemy)):
            if self.late():
                raise TooLong
            with suppress(*HOPELESS):
                rated.append((self.rate(actor, enemy, attack), -number, attack))
        return max(rated, key=lambda each: each[:2])[2] if rated else None

    def rate(self, actor: Duellist, enemy: Duellist, attack: Attack) -> tuple[Fraction, Fraction]:
        """How good an attack is: how much likelier it puts the enemy out than oneself, and then how
        much likelier it hurts them at all."""
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
        """Every attack that a figure can make on another."""
        for roll in self.attacking:
            for item, mode in self.uses(self.figures[actor.number], roll):
                attack = Attack(roll.key, item, mode)
                if item not in actor.useless and (
                    roll.usable is None
                    or parse(roll.usable).holds(self.names(actor, enemy, attack))
                ):
                    yield attack

    def uses(self, figure: Figure, roll: declared.Roll) -> list[tuple[str | None, str | None]]:
        """What of theirs a figure can use for a roll."""
        if roll.using == "nothing":
            return [(None, None)]
        spend(len(self.rules.book.items) // 4)
        innate = (item.key for item in self.rules.book.items if item.innate)
        carried = dict.fromkeys(
            key for key in (*figure.items, *innate) if key in self.rules.book.item
        )
        return [
            (key, mode.key if mode else None)
            for key in carried
            for mode in (None, *self.rules.book.item[key].modes)
        ]

    def endings(self, roll: declared.Roll, names: Facts) -> Endings:
        """How a roll may end, with the values that its outcomes' effects read."""
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
        """How two figures stand after a roll of one at the other, each in so many ways."""
        made = ready(self.rules, roll.key)
        asked = _thrown_for_effects(made)
        effects = {outcome.key: outcome.declared.effects for outcome in made.outcomes}
        found: Counter[Pair] = Counter()
        for (key, values), ways in self.endings(roll, names).ways.items():
            spend(5)
            known = names | dict(zip(asked, values, strict=True))
            found[self.happen(effects.get(key, ()), known, pair, item)] += ways
        return found

    def happen(
        self, effects: Iterable[declared.RollEffect], names: Facts, pair: Pair, item: str | None
    ) -> Pair:
        """What the outcome of a roll brings to the two figures."""
        by, at = pair
        for effect in effects:
            if effect.given is not None and not parse(effect.given).holds(names):
                continue
            if effect.kind == "begins" and effect.whom == "item" and item is not None:
                by = self.spoil(by, item, self.rules.book.state[effect.state])
            elif effect.kind == "loses_weapon" and effect.whom == "by" and item is not None:
                by = by._replace(lost=by.lost | {item})
            elif effect.whom == "by":
                by = self.changed(by, effect, names)
            elif effect.whom == "at":
                at = self.changed(at, effect, names)
        return by, at

    def changed(self, fighter: Duellist, effect: declared.RollEffect, names: Facts) -> Duellist:
        """A figure after what a roll brings to it."""
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
        """A figure whose weapon is in a state that keeps it from being used."""
        if state.lasts == "game":
            return fighter._replace(lost=fighter.lost | {item})
        # What does not end by itself is seen to in the turn that follows.
        turns = 1 if state.lasts in PASSING else 2
        jammed = {**dict(fighter.jammed), item: turns}
        return fighter._replace(jammed=tuple(sorted(jammed.items())))

    def end_turn(self, fighter: Duellist) -> Duellist:
        """A figure when the states that last a turn are over."""
        lasting = [key for key in fighter.states if self.rules.book.state[key].lasts not in PASSING]
        jammed = tuple((item, left - 1) for item, left in fighter.jammed if left > 1)
        return fighter._replace(states=frozenset(lasting), jammed=jammed)


def _thrown_for_effects(made: Ready) -> tuple[str, ...]:
    """The names that the effects of a roll read and its dice decide."""
    found: set[str] = set()
    for outcome in made.outcomes:
        for effect in outcome.declared.effects:
            for formula in ("given", "amount", "to"):
                if (written := getattr(effect, formula, None)) is not None:
                    found |= parse(written).names
    return tuple(sorted(found & set(find_bound_names(made.steps))))


def _harms(effect: declared.RollEffect) -> bool:
    return effect.kind in ("out", "changes", "sets", "begins")


def _attacks(roll: declared.Roll) -> bool:
    """Whether a roll can put an enemy out or hurt them."""
    effects = (effect for outcome in roll.outcomes for effect in outcome.effects)
    return any(_harms(effect) and effect.whom == "at" for effect in effects)
