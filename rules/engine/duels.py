"""Fights that are simulated: what figures are worth against each other, as far as dice decide.

What is assumed, and said wherever it is shown: nobody moves, there is no terrain, everybody acts
once a turn with the attack that is likeliest to put the enemy out, every circumstance is what it
usually is, and whoever begins a turn is drawn by lot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import sqrt
from random import Random

from rules.book import rolls as declared
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.compiling import Ready, ready
from rules.engine.expressions import Value, read
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.playing import Played, play
from rules.engine.situations import Side, Situation, names_in

# A fight that lasts longer is a draw.
MOST_TURNS = 40
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


@dataclass
class Fighter:
    """A figure in a fight: what it has left."""

    figure: Figure
    states: frozenset[str] = frozenset()
    life: int = 0
    out: bool = False
    spoiled: frozenset[str | None] = frozenset()

    def side(self, attack: Attack | None = None) -> Side:
        """The figure as it stands, perhaps with a weapon in use."""
        return Side(
            self.figure,
            attack.item if attack else None,
            attack.mode if attack else None,
            tuple(sorted(self.states)),
            self.life,
        )


@dataclass(frozen=True)
class Share:
    """How often one side won: fights, wins, and draws. Half of each draw counts for either."""

    fights: int
    wins: int
    draws: int

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
    """Fights under the rules of one book; what was worked out for two figures is kept."""

    book: Book
    settings: Settings
    dice: Random
    names: dict[tuple[object, ...], dict[str, Value]] = field(default_factory=dict)
    chosen: dict[tuple[object, ...], Attack | None] = field(default_factory=dict)
    kept: dict[int, Figure] = field(default_factory=dict)

    @cached_property
    def attacking(self) -> list[declared.Roll]:
        """The rolls of somebody at somebody that can hurt."""
        rolls = self.book.in_force(self.book.rolls, self.settings)
        return [
            roll for roll in rolls if (roll.by, roll.at) == ("member", "member") and _attacks(roll)
        ]

    @cached_property
    def recovering(self) -> dict[str, declared.Roll]:
        """By state: the roll by which somebody may get out of it by themselves."""
        found: dict[str, declared.Roll] = {}
        for roll in self.book.in_force(self.book.rolls, self.settings):
            if (roll.by, roll.at, roll.using) != ("member", "nobody", "nothing"):
                continue
            for outcome in roll.outcomes:
                for effect in outcome.effects:
                    if effect.kind == "ends" and effect.whom == "by":
                        found.setdefault(effect.state, roll)
        return found

    def fights(self, ours: Sequence[Figure], theirs: Sequence[Figure], number: int) -> Share:
        """So many fights of two sides, until one is out."""
        wins = draws = 0
        for _fight in range(number):
            winner = self.fight(ours, theirs)
            wins += winner > 0
            draws += winner == 0
        return Share(number, wins, draws)

    def fight(self, ours: Sequence[Figure], theirs: Sequence[Figure]) -> int:
        """One fight: 1 if ours win, -1 if theirs do, 0 if nobody does."""
        sides = ([*map(self.enter, ours)], [*map(self.enter, theirs)])
        for _turn in range(MOST_TURNS):
            for fighter in (*sides[0], *sides[1]):
                self.recover(fighter)
            first = self.dice.getrandbits(1)
            waiting = ([*sides[0]], [*sides[1]])
            turn = first
            while waiting[0] or waiting[1]:
                if not waiting[turn]:
                    turn = 1 - turn
                actor = waiting[turn].pop(0)
                enemies = [enemy for enemy in sides[1 - turn] if not enemy.out]
                if not enemies:
                    break
                if not actor.out:
                    self.act(actor, enemies[0])
                turn = 1 - turn
            for fighter in (*sides[0], *sides[1]):
                self.end_turn(fighter)
            standing = [any(not one.out for one in side) for side in sides]
            if not all(standing):
                return int(standing[0]) - int(standing[1])
        return 0

    def enter(self, figure: Figure) -> Fighter:
        """A figure at the start of a fight."""
        self.kept[id(figure)] = figure
        return Fighter(figure, life=self.life_of(figure))

    def life_of(self, figure: Figure) -> int:
        """What a figure has of what is ticked off while playing."""
        key = ("whole", id(figure))
        if key not in self.names:
            self.names[key] = names_in(self.book, self.settings, Situation(Side(figure)))
        value = self.names[key].get("by.life", 0)
        assert not isinstance(value, str)
        return int(value)

    def recover(self, fighter: Fighter) -> None:
        """What a figure throws at the start of a turn to get out of a state."""
        for state in sorted(fighter.states):
            roll = self.recovering.get(state)
            if roll is None or fighter.out or state not in fighter.states:
                continue
            names = self.alone(fighter)
            if roll.usable is None or read(roll.usable).holds(names):
                prepared = ready(self.book, self.settings, roll.key)
                played = play(prepared, names, self.face)
                self.happen(prepared, played, fighter, fighter, None)

    def alone(self, fighter: Fighter) -> dict[str, Value]:
        """What is read of a figure by itself."""
        key = ("alone", id(fighter.figure), fighter.states, fighter.life)
        if key not in self.names:
            self.names[key] = names_in(self.book, self.settings, Situation(fighter.side()))
        return self.names[key]

    def act(self, actor: Fighter, enemy: Fighter) -> None:
        """What a figure does in its activation: attack, unless a state keeps it from acting."""
        if any(self.book.state[key].stops for key in actor.states):
            return
        attack = self.best(actor, enemy)
        if attack is None:
            return
        roll, names = self.situation(actor, enemy, attack)
        played = play(roll, names, self.face)
        self.happen(roll, played, actor, enemy, attack.item)

    def face(self, sides: int) -> int:
        """A die of so many sides."""
        return int(self.dice.random() * sides) + 1

    def situation(
        self, actor: Fighter, enemy: Fighter, attack: Attack
    ) -> tuple[Ready, dict[str, Value]]:
        """The roll of an attack, and what it reads, for two figures as they stand."""
        key = (
            attack, id(actor.figure), actor.states, actor.life,
            id(enemy.figure), enemy.states, enemy.life,
        )  # fmt: skip
        roll = ready(self.book, self.settings, attack.roll)
        if key not in self.names:
            at = enemy.side() if roll.roll.at == "member" else None
            situation = Situation(actor.side(attack), at)
            names = names_in(self.book, self.settings, situation)
            self.names[key] = names
        return roll, self.names[key]

    def best(self, actor: Fighter, enemy: Fighter) -> Attack | None:
        """The attack that is likeliest to put the enemy out, or else to hurt most."""
        key = (
            "best", id(actor.figure), actor.states, actor.life, actor.spoiled,
            id(enemy.figure), enemy.states, enemy.life,
        )  # fmt: skip
        if key not in self.chosen:
            rated = [
                (self.rate(actor, enemy, attack), -number, attack)
                for number, attack in enumerate(self.attacks(actor, enemy))
            ]
            self.chosen[key] = max(rated, key=lambda each: each[:2])[2] if rated else None
        return self.chosen[key]

    def rate(self, actor: Fighter, enemy: Fighter, attack: Attack) -> tuple[Fraction, Fraction]:
        """How good an attack is: how much likelier it puts the enemy out than oneself, and then how
        much likelier it hurts them at all."""
        roll, names = self.situation(actor, enemy, attack)
        found = odds(roll, names)
        out = harm = Fraction(0)
        for outcome in roll.roll.outcomes:
            chance = found.outcomes.get(outcome.key, Fraction(0))
            hurt = {effect.whom for effect in outcome.effects if _harms(effect)}
            put_out = {effect.whom for effect in outcome.effects if effect.kind == "out"}
            if outcome.grave and not put_out:
                put_out = hurt
            out += chance * (("at" in put_out) - ("by" in put_out))
            harm += chance * (("at" in hurt) - ("by" in hurt))
        return out, harm

    def attacks(self, actor: Fighter, enemy: Fighter) -> Iterable[Attack]:
        """Every attack that a figure can make on another."""
        for roll in self.attacking:
            for item, mode in self.uses(actor.figure, roll):
                attack = Attack(roll.key, item, mode)
                if item not in actor.spoiled or item is None:
                    _ready, names = self.situation(actor, enemy, attack)
                    if roll.usable is None or read(roll.usable).holds(names):
                        yield attack

    def uses(self, figure: Figure, roll: declared.Roll) -> list[tuple[str | None, str | None]]:
        """What of theirs a figure can use for a roll."""
        if roll.using == "nothing":
            return [(None, None)]
        innate = (item.key for item in self.book.items if item.innate)
        carried = dict.fromkeys(key for key in (*figure.items, *innate) if key in self.book.item)
        return [
            (key, mode.key if mode else None)
            for key in carried
            for mode in (None, *self.book.item[key].modes)
        ]

    def happen(
        self, roll: Ready, played: Played, by: Fighter, at: Fighter, item: str | None
    ) -> None:
        """What the outcome of a roll brings to the two figures."""
        outcome = next((one for one in roll.outcomes if one.key == played.outcome), None)
        for effect in outcome.declared.effects if outcome else ():
            given = getattr(effect, "given", None)
            if given is not None and not read(given).holds(played.names):
                continue
            whom = by if effect.whom == "by" else at
            match effect.kind:
                case "out":
                    whom.out = True
                case "changes" if effect.track == self.book.life:
                    whom.life += read(effect.amount).number(played.names)
                case "sets" if effect.track == self.book.life:
                    whom.life = read(effect.to).number(played.names)
                case "begins" if effect.whom in ("by", "at"):
                    whom.states |= {effect.state}
                case "begins" if effect.whom == "item":
                    by.spoiled |= {item}
                case "ends" if effect.whom in ("by", "at"):
                    whom.states -= {effect.state}
                case "loses_weapon":
                    whom.spoiled |= {item}

    def end_turn(self, fighter: Fighter) -> None:
        """States that last a turn are over."""
        if fighter.states:
            over = {
                key
                for key in fighter.states
                if self.book.state[key].lasts in ("turn", "activation")
            }
            fighter.states -= over
        if fighter.spoiled:
            # A weapon that is only jammed takes a turn to be cleared.
            fighter.spoiled = frozenset()


def _harms(effect: declared.RollEffect) -> bool:
    return effect.kind in ("out", "changes", "sets", "begins")


def _attacks(roll: declared.Roll) -> bool:
    """Whether a roll can put an enemy out or hurt them."""
    effects = (effect for outcome in roll.outcomes for effect in outcome.effects)
    return any(_harms(effect) and effect.whom == "at" for effect in effects)
