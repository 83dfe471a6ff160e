"""Options of a figure or side: actions with their costs, and rolls with each weapon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from campaigns.table import taps as kinds
from campaigns.table.attempts.attempt import Attempt, Who, figure_of, rules_for, side, side_of
from campaigns.table.attempts.effects import apply_effects
from campaigns.table.state import Due, FigureStart, FollowUp, Start, TableNow
from campaigns.table.taps import NONPLAYERS, AnyTap
from rules.book.model import Rules
from rules.book.rolls import Action, Roll
from rules.engine.evening import action_cost, played_in
from rules.engine.expressions import BadExpression, Expression, Unknown, Value, parse
from rules.engine.situations import side_names
from rules.odds.chances import Question, WeaponUse, find_carried, target_uses, ways


@dataclass(frozen=True)
class RollOption:
    """A roll that may be made. ``uses``: the weapons, each with its ways; none if the roll needs no
    weapon."""

    roll: Roll
    uses: tuple[WeaponUse, ...] = ()


@dataclass(frozen=True)
class Deed:
    """An action that may be done now. ``left``: the points left to pay it, None where nothing is
    paid; ``repeated``: the figure is already doing it, and need not pay again; ``weapons``: its
    objects, if it throws no dice."""

    action: Action
    cost: int
    left: int | None
    throws: tuple[RollOption, ...]
    repeated: bool = False
    weapons: tuple[WeaponUse, ...] = ()

    @property
    def affordable(self) -> bool:
        """Whether the figure can pay it, as far as points are counted."""
        return self.repeated or self.left is None or self.cost <= self.left


@dataclass(frozen=True)
class Options:
    """Everything that a figure may do: due alarms and rolls, actions, and rolls outside actions."""

    due: tuple[Due, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    deeds: tuple[Deed, ...] = ()
    others: tuple[RollOption, ...] = ()


def find_options(start: Start, now: TableNow, who: Who) -> Options:
    """Return the options of a figure or side, in the rulebook's order.

    A figure that is out has only due entries. Raises KeyError for nobody at this table.
    """
    rules = rules_for(start, who)
    due = tuple(one for one in now.due if one.who == who)
    ours = who if isinstance(who, int) else None
    follow_ups = tuple(
        one for one in now.follow_ups if one.who == who or one.who == ours or _of(one, who)
    )
    if isinstance(who, int):
        thrown = tuple(RollOption(row) for row in rules.rolls if row.by == "side")
        return Options(due, follow_ups, others=thrown)
    if now.figures[who].out is not None:
        return Options(due, follow_ups)
    chooser = _Chooser(start, now, rules, who)
    actions = played_in(start.scenario, rules.actions)
    deeds = [deed for row in actions if (deed := chooser.deed(row)) is not None]
    within = {key for row in rules.book.actions for key in row.rolls}
    loose = [row for row in rules.rolls if row.key not in within and row.by == "member"]
    others = [throw for row in loose if (throw := chooser.throw(row)) is not None]
    return Options(due, follow_ups, tuple(deeds), tuple(others))


def _of(follow_up: FollowUp, who: Who) -> bool:
    """Whether a side is to throw, and this figure belongs to it."""
    return isinstance(follow_up.who, int) and side_of(who) == follow_up.who


class _Chooser:
    """Chooses for one figure; its values are computed once for each weapon that it carries."""

    def __init__(self, start: Start, now: TableNow, rules: Rules, key: str) -> None:
        self.start, self.now, self.rules, self.key = start, now, rules, key
        self.figure = side(start, now, key).figure
        self.uses = tuple(ways(rules.book, find_carried(rules, self.figure)))
        self.base = dict(Attempt(key).names(start, now))
        self.named = {use.key: self._names(use) for use in self.uses}
        self.left = purse(start, now, key)
        self.targets: list[dict[str, Value]] | None = None

    def _names(self, use: WeaponUse) -> dict[str, Value]:
        there = side(self.start, self.now, self.key, use.item.key, use.mode)
        found = side_names(self.rules, there, "by")
        return {**self.base, **found}

    def deed(self, row: Action) -> Deed | None:
        """Return the action if the figure may do it."""
        asked = parse(row.usable) if row.usable else None
        of_items = asked is not None and any(name.startswith("item.") for name in asked.names)
        effects_on_items = any(effect.whom == "item" for effect in row.effects)
        fit = self.uses
        if asked is not None and of_items:
            fit = tuple(use for use in self.uses if self._may(asked, self.named[use.key]))
            if not fit:
                return None
        elif asked is not None and not self._may(asked, self.base):
            return None
        known = (self.rules.book.roll[key] for key in row.rolls)
        rolls = [roll for roll in known if self.start.rules.has(roll)]
        throws = [throw for roll in rolls if (throw := self.throw(roll, fit)) is not None]
        if not throws and any(roll.using == "item" for roll in rolls):
            return None
        weapons: tuple[WeaponUse, ...] = ()
        if not rolls and (of_items or effects_on_items):
            weapons = tuple(self._affected(row, fit))
            if not weapons:
                return None
        cost = self._cost(row, throws)
        again = is_repeated(self.now, self.key, row)
        return Deed(row, cost, self.left, tuple(throws), again, weapons)

    def _affected(self, row: Action, fit: Iterable[WeaponUse]) -> Iterator[WeaponUse]:
        """Return the weapons in a state that the action ends, or all if it ends none."""
        ended = {effect.state for effect in row.effects if effect.kind == "ends"}
        states = self.now.figures[self.key].item_states
        for use in fit:
            if use.mode is None and (not ended or ended & set(states.get(use.item.key, ()))):
                yield use

    def _cost(self, row: Action, throws: Sequence[RollOption]) -> int:
        """Return the cost with the cheapest weapon."""
        uses = [use for throw in throws for use in throw.uses]
        names = [self.named[use.key] for use in uses] or [self.base]
        return min(_cost(self.rules, row.key, one) for one in names)

    def throw(self, roll: Roll, fit: Iterable[WeaponUse] | None = None) -> RollOption | None:
        """Return the roll if the figure may make it at any target with any weapon."""
        asked = parse(roll.usable) if roll.usable else None
        if roll.using != "item":
            return (
                RollOption(roll) if asked is None or self._at_somebody(asked, self.base) else None
            )
        found = tuple(
            use
            for use in (self.uses if fit is None else fit)
            if asked is None or self._at_somebody(asked, self.named[use.key])
        )
        return RollOption(roll, found) if found else None

    def _at_somebody(self, asked: Expression, names: Mapping[str, Value]) -> bool:
        if not any(name.startswith(("at.", "at_item.")) for name in asked.names):
            return self._may(asked, names)
        if any(name.startswith("at_item.") for name in asked.names):
            # The target's weapon is chosen later, with the target.
            return True
        if self.targets is None:
            self.targets = [
                side_names(self.rules, side(self.start, self.now, key), "at")
                for key in targets(self.start, self.now, self.key)
            ]
        return any(self._may(asked, {**names, **at}) for at in self.targets)

    def _may(self, asked: Expression, names: Mapping[str, Value]) -> bool:
        try:
            return asked.holds(names)
        except (BadExpression, Unknown):
            # It depends on something that is not known yet.
            return True


def _cost(rules: Rules, action: str, names: Mapping[str, Value]) -> int:
    try:
        return action_cost(rules, action, names)
    except (BadExpression, Unknown):
        return 0


def purse(start: Start, now: TableNow, key: str) -> int | None:
    """Return the points left to pay a figure's actions: of a track, or of the total that the
    actions of an activation may cost. None where the game counts neither."""
    track, there = _track(start), now.figures[key]
    for tracks in (there.tracks, now.sides[side_of(key)].tracks):
        if track in tracks:
            return tracks[track]
    points = start.book.activation.points if start.book.activation else None
    if points is None or not start.book.rolls:
        return None
    names = Attempt(key).names(start, now)
    spent = sum(_cost(start.rules, done, names) for done in there.did)
    # A figure with several activations in a turn has the points for each of them.
    times = min(there.acted + 1, max(1, figure_of(start, key).times))
    return max(0, parse(points).number(names) * times - spent)


def _track(start: Start) -> str:
    return (start.book.activation.track if start.book.activation else None) or ""


def is_repeated(now: TableNow, key: str, action: Action, roll: str | None = None) -> bool:
    """Whether a figure has begun this action, its last one, and has not made all of its rolls yet,
    or not this ``roll``."""
    there = now.figures[key]
    if not there.did or there.did[-1] != action.key or len(action.rolls) < 2:
        return False
    return roll not in there.rolled if roll else not set(action.rolls) <= set(there.rolled)


def targets(start: Start, now: TableNow, by: Who) -> tuple[str, ...]:
    """Return the possible targets of a figure: enemies, then non-players, then its own side,
    figures that are out last."""
    own = side_of(by)
    others = [one for one in start.figures if one.key != by]

    def nearness(one: FigureStart) -> tuple[bool, bool, bool]:
        is_out = now.figures[one.key].out is not None
        return is_out, one.side == own, one.side == NONPLAYERS

    return tuple(one.key for one in sorted(others, key=nearness))


def target_weapons(asked: Question, attackers: Iterable[str] = ()) -> list[WeaponUse]:
    """Return the weapons that the target carries and may use against a roll."""
    assert asked.at is not None
    book = asked.at.own_book or asked.book
    own = find_carried(book.under(asked.rules.settings), asked.at.figure)
    return target_uses(asked, own, attackers)


def pay_action(start: Start, now: TableNow, attempt: Attempt) -> list[AnyTap]:
    """Return the taps of an attempt's action: the action itself, its cost unless it is already
    paid, and its own effects."""
    by, action, free = attempt.by, attempt.action, attempt.free
    assert isinstance(by, str) and action is not None
    rules = rules_for(start, by)
    names = attempt.names(start, now)
    effects, _follows = apply_effects(now, rules.book.action[action].effects, attempt, names)
    cost = 0 if free else _cost(rules, action, names)
    track = _track(start)
    left = purse(start, now, by)
    of_side = track in now.sides[side_of(by)].tracks
    if left is None:
        # Without points, an action that costs something is the whole activation.
        if cost:
            return [*effects, kinds.Acted(figure=by, action=action)]
        return [kinds.Did(figure=by, action=action), *effects] if not free else effects
    found: list[AnyTap] = [] if free else [kinds.Did(figure=by, action=action)]
    if cost and track in now.figures[by].tracks:
        found.append(kinds.Counted(figure=by, track=track, by=-cost))
    elif cost and of_side:
        found.append(kinds.Counted(side=side_of(by), track=track, by=-cost))
    found += effects
    if cost and not of_side and left - cost <= 0:
        found.append(kinds.Acted(figure=by))
    return found


def begin_attempt(start: Start, now: TableNow, attempt: Attempt) -> list[AnyTap]:
    """Return the taps that an attempt always makes: its action, and the due entries that it
    settles."""
    found: list[AnyTap] = []
    if attempt.action is not None and isinstance(attempt.by, str):
        found += pay_action(start, now, attempt)
    return [*found, *_deal(start, now, attempt)]


def _deal(start: Start, now: TableNow, attempt: Attempt) -> Iterator[AnyTap]:
    by = attempt.by
    for due in now.due:
        if start.book.alarm[due.alarm].roll == attempt.roll and due.who == by:
            yield kinds.Dealt(alarm=due.alarm, who=due.who)
            break
    for follow_up in now.follow_ups:
        if follow_up.roll == attempt.roll and follow_up.who in (by, side_of(by)):
            yield kinds.Dealt(roll=follow_up.roll, who=follow_up.who)
            break
