"""Options of a figure or side: actions with their costs, and rolls with each weapon."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from campaigns.table import taps as kinds
from campaigns.table.attempts.attempt import (
    Attempt,
    Who,
    figure_now,
    figure_of,
    rules_for,
    side,
    side_of,
)
from campaigns.table.attempts.effects import apply_effects
from campaigns.table.state import (
    Due,
    FigureStart,
    FollowUp,
    Start,
    TableNow,
    are_friends,
    holds,
    names_at_table,
)
from campaigns.table.taps import NONPLAYERS, AnyTap
from rules.book.evening import Caution
from rules.book.model import Rules
from rules.book.rolls import Action, Roll
from rules.book.schema import Item
from rules.engine.evening import action_cost, played_in
from rules.engine.expressions import BadExpression, Expression, Unknown, Value, parse
from rules.engine.situations import side_names
from rules.odds.chances import (
    Question,
    WeaponUse,
    find_carried,
    reads_item,
    target_uses,
    ways,
)

# The subjects that a condition may read before a target or a weapon is chosen.
KNOWN = ("by", "gang", "enemy", "table")


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
    objects, if it throws no dice; ``caution``: the question to ask before it."""

    action: Action
    cost: int
    left: int | None
    throws: tuple[RollOption, ...]
    repeated: bool = False
    weapons: tuple[WeaponUse, ...] = ()
    caution: Caution | None = None

    @property
    def affordable(self) -> bool:
        """Whether the figure can pay it, as far as points are counted."""
        return self.repeated or self.left is None or self.cost <= self.left


@dataclass(frozen=True)
class Options:
    """Everything that a figure may do: due alarms and rolls, actions, and rolls outside actions.
    ``stopped``: the states that keep it from the other actions and rolls."""

    due: tuple[Due, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    deeds: tuple[Deed, ...] = ()
    others: tuple[RollOption, ...] = ()
    stopped: tuple[str, ...] = ()


def find_options(start: Start, now: TableNow, who: Who) -> Options:
    """Return the options of a figure or side, in the rulebook's order.

    A figure that is out has only due entries, and the rolls that outlive it: a blast catches one
    figure after the other. A figure in a state that stops it also has the actions and rolls whose
    ``usable`` names the state. Raises KeyError for nobody at this table.
    """
    rules = rules_for(start, who)
    due = tuple(one for one in now.due if _throws(who, one.who) and _is_own(start, now, one, who))
    follow_ups = tuple(one for one in now.follow_ups if _throws(who, one.who))
    if isinstance(who, int):
        rows = played_in(start.scenario, rules.rolls)
        thrown = tuple(RollOption(row) for row in rows if row.by == "side")
        return Options(due, follow_ups, others=thrown)
    chooser = _Chooser(start, now, rules, who)
    if now.figures[who].out is not None:
        kept = (row for row in played_in(start.scenario, rules.rolls) if row.when_out == "kept")
        thrown = tuple(filter(None, map(chooser.throw, kept)))
        return Options(due, follow_ups, others=thrown)
    stopped = tuple(key for key in now.figures[who].states if start.book.state[key].stops)
    actions = [row for row in played_in(start.scenario, rules.actions) if _names(row, stopped)]
    deeds = [deed for row in actions if (deed := chooser.deed(row)) is not None]
    within = {key for row in rules.book.actions for key in row.rolls}
    loose = [
        row
        for row in played_in(start.scenario, rules.rolls)
        if row.key not in within and row.by == "member" and _names(row, stopped)
    ]
    others = [throw for row in loose if (throw := chooser.throw(row)) is not None]
    return Options(due, follow_ups, tuple(deeds), tuple(others), stopped)


def _names(row: Action | Roll, states: Iterable[str]) -> bool:
    """Whether the condition of an action or roll names all these states of the figure."""
    named = parse(row.usable).names if row.usable else frozenset()
    return all(f"by.in_state:{key}" in named for key in states)


def _throws(who: Who, asked: Who) -> bool:
    """Whether a figure or side may make a roll that is ``asked`` of a figure or side: any figure of
    a side may throw for it."""
    return asked in (who, side_of(who))


def _is_own(start: Start, now: TableNow, due: Due, who: Who) -> bool:
    """Whether a due alarm belongs on the page of a figure or side: a figure has those of its side
    only if it may make their roll."""
    if due.who == who:
        return True
    roll = start.book.roll.get(start.book.alarm[due.alarm].roll or "")
    if roll is None or roll.by != "member":
        return False
    return who in find_rollers(start, now, roll, side_of(who))


class _Chooser:
    """Chooses for one figure; its values are computed once for each weapon that it carries."""

    def __init__(self, start: Start, now: TableNow, rules: Rules, key: str) -> None:
        self.start, self.now, self.rules, self.key = start, now, rules, key
        self.figure = side(start, now, key).figure
        self.uses = tuple(ways(rules.book, find_carried(rules, self.figure)))
        self.base = dict(Attempt(key).names(start, now))
        self.named = {use.key: self._names(use) for use in self.uses}
        self.left = purse(start, now, key)
        self.targets: dict[tuple[str, str], Mapping[str, Value]] = {}
        self.cautions = find_cautions(start, now, key)

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
        rolls = played_in(self.start.scenario, filter(self.start.rules.has, known))
        throws = [throw for roll in rolls if (throw := self.throw(roll, fit)) is not None]
        if not throws and any(roll.using == "item" for roll in rolls):
            return None
        if rolls and not throws and all(roll.at != "nobody" for roll in rolls):
            # There is nobody to act on.
            return None
        weapons: tuple[WeaponUse, ...] = ()
        if not rolls and (of_items or effects_on_items):
            weapons = tuple(self._affected(row, fit))
            if not weapons:
                return None
        cost = self._cost(row, throws)
        again = is_repeated(self.now, self.key, row)
        caution = None if again else _first_caution(self.cautions, row)
        return Deed(row, cost, self.left, tuple(throws), again, weapons, caution)

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
            return RollOption(roll) if self._at_somebody(roll, asked, self.base) else None
        found = tuple(
            use
            for use in (self.uses if fit is None else fit)
            if self._at_somebody(roll, asked, self.named[use.key])
        )
        return RollOption(roll, found) if found else None

    def _at_somebody(
        self, roll: Roll, asked: Expression | None, names: Mapping[str, Value]
    ) -> bool:
        """Whether a figure or side is there at which the roll may be made."""
        if roll.at == "side":
            own = side_of(self.key)
            if not any(number not in (own, NONPLAYERS) for number in self.now.sides):
                return False
        fit = fit_targets(self.start, self.now, roll, self.key) if roll.at == "member" else ()
        if roll.at == "member" and not fit:
            return False
        if asked is None:
            return True
        subjects = {name.partition(".")[0] for name in asked.names}
        if not subjects & {"at", "at_item"}:
            return self._may(asked, names)
        of_weapon = {name for name in asked.names if name.startswith("at_item.")}
        return any(
            self._may(asked, {**names, **self._tapped(roll, asked, key), **there})
            for key in fit
            for there in self._target(key, of_weapon)
        )

    def _tapped(self, roll: Roll, asked: Expression, key: str) -> Mapping[str, Value]:
        """Return the circumstances that follow from taps and that the condition reads, as they are
        at this target."""
        rows = [row.key for row in self.rules.circumstances if row.tapped]
        if asked.names.isdisjoint(rows):
            return {}
        said = Attempt(self.key, roll.key, key).question(self.start, self.now).said
        return {name: said[name] for name in rows if name in said}

    def _target(self, key: str, of_weapon: Collection[str]) -> Iterator[Mapping[str, Value]]:
        """Yield the values of a target without a weapon, and with each of its weapons for which the
        names ``of_weapon`` may differ. It is chosen later, with the target."""
        uses: list[WeaponUse | None] = [None]
        if of_weapon:
            there = figure_now(figure_of(self.start, key), self.now.figures[key])
            rules = rules_for(self.start, key)
            every = ways(rules.book, find_carried(rules, there))
            uses += [use for use in every if _may_answer(use.item, of_weapon)]
        for use in uses:
            place = key, use.key if use else ""
            if place not in self.targets:
                item, mode = (use.item.key, use.mode) if use else (None, None)
                found = side(self.start, self.now, key, item, mode)
                self.targets[place] = side_names(self.rules, found, "at")
            yield self.targets[place]

    def _may(self, asked: Expression, names: Mapping[str, Value]) -> bool:
        """Whether the condition is true, or can be once the player has entered the numbers that it
        reads: a blade is no use at the usual distance of a shot."""
        if _may_hold(asked, names):
            return True
        entered = {
            row.key: (row.minimum, row.maximum)
            for row in self.rules.circumstances
            if row.key in asked.names and row.kind == "number" and not (row.known or row.tapped)
        }
        return bool(entered) and _may_hold(asked, names, entered)


def _may_hold(
    asked: Expression,
    names: Mapping[str, Value],
    entered: Mapping[str, tuple[int, int]] | None = None,
) -> bool:
    try:
        return asked.may_hold(names, entered or {})
    except (BadExpression, Unknown):
        # It depends on something that is not known yet.
        return True


def _may_answer(item: Item, names: Iterable[str]) -> bool:
    """Whether one of these names about a weapon may have another value with this item than without
    any: it takes time to work out all values of all weapons of all targets."""
    of_modes = ((mode.key, mode.group, *mode.tags) for mode in item.modes)
    keys = {item.row_key, item.group, *item.tags, *chain.from_iterable(of_modes)}
    for name in names:
        question, colon, key = name.partition(":")
        if not colon or question == "at_item.in_state" or key in keys:
            return True
    return False


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
    if action.alternatives:
        return False
    return roll not in there.rolled if roll else not set(action.rolls) <= set(there.rolled)


def attacks_first(deeds: Iterable[Deed]) -> list[Deed]:
    """Return attacks, then the other actions, each in the rulebook's order: moves come first."""
    return sorted(deeds, key=lambda deed: not any(is_attack(one) for one in deed.throws))


def is_attack(throw: RollOption) -> bool:
    """Whether a figure makes this roll with a weapon at another figure."""
    return throw.roll.at == "member" and throw.roll.using == "item"


def find_cautions(start: Start, now: TableNow, key: str) -> list[Caution]:
    """Return the cautions whose condition is true of a figure now."""
    rows = rules_for(start, key).cautions
    names = names_at_table(start, now, figure_of(start, key)) if rows else {}
    return [row for row in rows if holds(row.given, names)]


def find_caution(
    start: Start, now: TableNow, key: str, action: Action, roll: str
) -> Caution | None:
    """Return the question to ask before a figure throws for an action, None if there is none. The
    further rolls of an action that it is doing need no question."""
    if is_repeated(now, key, action, roll):
        return None
    return _first_caution(find_cautions(start, now, key), action)


def _first_caution(rows: Iterable[Caution], action: Action) -> Caution | None:
    return next((row for row in rows if not row.actions or action.key in row.actions), None)


def targets(start: Start, now: TableNow, by: Who) -> tuple[str, ...]:
    """Return the possible targets of a figure: enemies, then non-players, then its own side,
    figures that are out last."""
    own = side_of(by)
    others = [one for one in start.figures if one.key != by]

    def nearness(one: FigureStart) -> tuple[bool, bool, bool]:
        is_out = now.figures[one.key].out is not None
        return is_out, are_friends(start.book, one.side, own), one.side == NONPLAYERS

    return tuple(one.key for one in sorted(others, key=nearness))


def may_be_target(start: Start, now: TableNow, roll: Roll, by: Who, key: str) -> bool:
    """Whether a figure is of a side at which a figure or side may make a roll. At a table of one
    side anybody is: its enemies are not on the site, and a figure of its own stands in for them."""
    own, book = side_of(by), start.book
    if roll.sides == "anyone" or all(are_friends(book, own, number) for number in now.sides):
        return True
    return are_friends(book, side_of(key), own) == (roll.sides == "friends")


def fit_targets(start: Start, now: TableNow, roll: Roll, by: Who) -> tuple[str, ...]:
    """Return the figures at which a roll may be made now, those of the sides that it usually aims
    at first: figures in play, or out of action, as the roll says. Those that left the table unhurt
    are not there."""
    fallen = roll.targets_fallen

    def fits(key: str) -> bool:
        out = now.figures[key].out
        return fallen != "only" if out is None else fallen != "never" and not out.unhurt

    return tuple(filter(fits, _targets_of_sides(start, now, roll, by)))


def find_targets(start: Start, now: TableNow, roll: Roll, by: Who) -> tuple[str, ...]:
    """Return the targets that pages offer for a roll: those that fit, or else all figures of the
    sides at which it may be made."""
    return fit_targets(start, now, roll, by) or _targets_of_sides(start, now, roll, by)


def _targets_of_sides(start: Start, now: TableNow, roll: Roll, by: Who) -> tuple[str, ...]:
    own = side_of(by)
    keys = [key for key in targets(start, now, by) if may_be_target(start, now, roll, by, key)]

    def distance(key: str) -> tuple[bool, bool]:
        is_also_out = roll.fallen == "also" and now.figures[key].out is not None
        return is_also_out, are_friends(start.book, side_of(key), own) != roll.helps

    return tuple(sorted(keys, key=distance))


def find_rollers(start: Start, now: TableNow, roll: Roll, side: int) -> tuple[str, ...]:
    """Return the figures of a side that may make a roll: those in play that fit it, or all."""
    mine = [one.key for one in start.figures if one.side == side]
    able = [key for key in mine if now.figures[key].out is None] or mine
    names = parse(roll.usable).names if roll.usable else frozenset()
    tapped = {row.key for row in start.rules.circumstances if row.tapped}
    if not names or not all(name in tapped or name.partition(".")[0] in KNOWN for name in names):
        return tuple(able)
    fit = [key for key in able if Attempt(key, roll.key).question(start, now).usable]
    return tuple(fit or able)


def target_weapons(asked: Question, attackers: Iterable[str] = ()) -> list[WeaponUse]:
    """Return the weapons that the target carries and may use against a roll."""
    assert asked.at is not None
    book = asked.at.own_book or asked.book
    own = find_carried(book.under(asked.rules.settings), asked.at.figure)
    return target_uses(asked, own, attackers)


def is_possible(start: Start, now: TableNow, attempt: Attempt) -> bool:
    """Whether an attempt's roll may be made at its target, without a weapon of the target or with
    one."""
    asked = attempt.question(start, now)
    if asked.usable:
        return True
    names = parse(asked.roll.usable or "1").names
    if not reads_item(names, "at_item"):
        return False
    return bool(target_weapons(asked, [attempt.item] if attempt.item else ()))


def pay_action(start: Start, now: TableNow, attempt: Attempt) -> list[AnyTap]:
    """Return the taps of an attempt's action: the action itself, its cost unless it is already
    paid, and its own effects."""
    by, action, free = attempt.by, attempt.action, attempt.free
    assert isinstance(by, str) and action is not None
    rules = rules_for(start, by)
    names = attempt.names(start, now)
    effects, _follows = apply_effects(start, now, rules.book.action[action].effects, attempt, names)
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
    """Yield the taps that settle one due alarm and one following roll, a figure's own before those
    of its side."""
    if due := next(iter(find_asking(start, now, attempt)), None):
        yield kinds.Dealt(alarm=due.alarm, who=due.who, act=due.act)
    if one := next(iter(find_followed(now, attempt)), None):
        yield kinds.Dealt(roll=one.roll, who=one.who, act=one.act, stays=one.many)


def find_asking(start: Start, now: TableNow, attempt: Attempt) -> list[Due]:
    """Return the due alarms that ask for an attempt's roll, a figure's own before those of its side
    and of the table: only those of the attempt's alarm, if it has one."""
    by, found = attempt.by, start.book.alarm
    alarms = [one for one in now.due if found[one.alarm].roll == attempt.roll]
    if attempt.alarm is not None:
        alarms = [one for one in alarms if one.alarm == attempt.alarm]
    own = [one for whom in dict.fromkeys((by, side_of(by))) for one in alarms if one.who == whom]
    for_all = [one for one in alarms if found[one.alarm].asks == "table"]
    return list(dict.fromkeys([*own, *for_all]))


def find_followed(now: TableNow, attempt: Attempt) -> list[FollowUp]:
    """Return the due rolls that an attempt may be, a figure's own before those of its side: only
    those that follow from the attempt's cause, if it has one."""
    by = attempt.by
    rolls = [one for one in now.follow_ups if one.roll == attempt.roll]
    if attempt.cause is not None:
        rolls = [one for one in rolls if one.act == attempt.cause]
    return [one for whom in dict.fromkeys((by, side_of(by))) for one in rolls if one.who == whom]
