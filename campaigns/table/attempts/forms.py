"""Forms of an attempt: the target, the weapons and the circumstances; and an outcome without dice.

The address contains all of the first form except the dice, with the fields of the page of odds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.actions import (
    Options,
    find_asking,
    find_caution,
    find_followed,
    find_options,
    find_rollers,
    find_targets,
    is_possible,
    may_be_target,
    target_weapons,
)
from campaigns.table.attempts.attempt import Attempt, Who, rules_for, side, side_of
from campaigns.table.attempts.entering import Unsaid, find_possible, find_unsaid
from campaigns.table.attempts.roll import FreeEnd, find_free_end
from campaigns.table.people import Names
from campaigns.table.state import Start, TableNow, are_friends
from campaigns.table.taps import NONPLAYERS
from common.forms import number
from gangs.text.formats import localize
from rules.book.evening import Caution
from rules.book.roll_effects import RollEffect
from rules.book.rolls import Action, Circumstance, Roll, RollOutcome
from rules.book.vocabulary import name_of
from rules.engine.expressions import Value, parse
from rules.odds.asking import (
    NOTHING,
    asks_of,
    circumstances,
    read_situation,
)
from rules.odds.chances import Question, WeaponUse, find_carried, reads_item, ways
from rules.odds.forms import PartForm, choice, circumstance_field, tick
from rules.odds.forms import number as number_field
from rules.odds.relevance import facts_that_matter

# Parameters of an address.
BY, AT, ITEM, AT_ITEM, ACTION, FREE = "by", "at", "item", "at-item", "action", "free"
# The side whose player chooses who rolls; and the roller and the target that a form was made for.
SIDE, WAS_BY, WAS_AT = "side", "was-by", "was-at"
# The key of the due alarm that asks for the roll, and the act that it follows from.
ALARM, CAUSE = "alarm", "cause"
# The key of the caution that the player has confirmed.
AGAIN = "again"
# The largest number that a player may enter.
MOST = 99


class NobodyHere(LookupError):
    """Raised for an address that names somebody or something that this table does not have."""


@dataclass
class AttemptForm:
    """The whole form and its attempt. ``asked``: its question about odds; ``compared``: the same
    with each weapon.

    ``situation``: the circumstances that can matter; ``more``: those that matter only with other
    answers; ``known``: those that follow from taps; ``given``: the answers to all of them that
    differ from the defaults; ``side``: the side whose player chooses who rolls; ``rebound``:
    whether the target, the roller or a choice is no longer the one that the form was made for.
    ``caution``: what speaks against the action; ``confirmed``: the player does it all the same.
    """

    roll: Roll
    whom: PartForm
    situation: PartForm
    more: PartForm
    known: PartForm
    given: tuple[tuple[str, str], ...]
    attempt: Attempt
    asked: Question
    compared: tuple[Question, ...]
    action: Action | None = None
    side: int | None = None
    rebound: bool = False
    caution: Caution | None = None
    confirmed: bool = False

    @property
    def parts(self) -> tuple[PartForm, ...]:
        """All parts of the form."""
        return self.whom, self.situation, self.more, self.known

    @property
    def is_free_above(self) -> bool:
        """Whether the tick for a free action fills the last line of the choices, two to a line."""
        return self.whom.has(FREE) and len(self.whom.fields) % 2 == 0

    @property
    def is_free_below(self) -> bool:
        """Whether that tick comes after the situation."""
        return self.whom.has(FREE) and not self.is_free_above

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The fields that the form carries along unseen, by name: among them answers that do not
        matter now, but may again."""
        made, action = self.attempt, self.action
        found = [(WAS_BY, str(made.by))]
        found += [] if made.at is None else [(WAS_AT, str(made.at))]
        found += [] if self.whom.has(BY) else [(BY, str(made.by))]
        found += [] if self.side is None else [(SIDE, str(self.side))]
        found += [] if action is None else [(ACTION, action.key)]
        found += [(ALARM, made.alarm)] if made.alarm else []
        found += [(CAUSE, str(made.cause))] if made.cause else []
        found += [(AGAIN, self.caution.key)] if self.caution and self.confirmed else []
        shown = {part.add_prefix(name) for part in self.parts for name in part.fields}
        return [*found, *((name, value) for name, value in self.given if name not in shown)]

    @property
    def valid(self) -> bool:
        """Whether every part is valid."""
        return all(part.is_valid() for part in self.parts)

    @property
    def usable(self) -> bool:
        """Whether the roll is possible in this situation."""
        return self.asked.usable and self.free_end is None

    @cached_property
    def free_end(self) -> FreeEnd | None:
        """The end of the roll, if it is impossible in this situation and costs nothing."""
        return find_free_end(self.asked) if self.asked.usable else None

    @property
    def asks_first(self) -> bool:
        """Whether the player must confirm the action before the dice."""
        return self.caution is not None and not self.confirmed

    @property
    def query(self) -> list[tuple[str, str]]:
        """The form as parameters of an address."""
        made = self.attempt
        found = [(BY, str(made.by))]
        found += [] if self.side is None else [(SIDE, str(self.side))]
        found += [] if made.at is None else [(AT, str(made.at))]
        found += [(ITEM, _used(made.item, made.mode))] if made.item else []
        if self.whom.has(AT_ITEM):
            found.append((AT_ITEM, _used(made.at_item, made.at_mode) or NOTHING))
        found += [(ACTION, self.action.key)] if self.action else []
        found += [(FREE, "1")] if self.attempt.free else []
        found += [(ALARM, made.alarm)] if made.alarm else []
        found += [(CAUSE, str(made.cause))] if made.cause else []
        found += [(AGAIN, self.caution.key)] if self.caution and self.confirmed else []
        return [*found, *self.given]


def _used(item: str | None, mode: str | None) -> str:
    return ".".join(filter(None, (item, mode)))


class _Described(NamedTuple):
    """An attempt with its circumstances, and their parts of the form."""

    attempt: Attempt
    situation: PartForm
    more: PartForm
    known: PartForm
    given: tuple[tuple[str, str], ...]


class _Reader:
    """Reads an address for one roll at one table, part by part."""

    def __init__(
        self,
        data: QueryDict,
        start: Start,
        now: TableNow,
        names: Names,
        roll: Roll,
        found: Options | None,
    ) -> None:
        self.data, self.start, self.now, self.names, self.roll = (
            data.copy(),
            start,
            now,
            names,
            roll,
        )
        self.found = found
        self.fields: dict[str, forms.Field] = {}
        self.side: int | None = None
        self.rebound = False

    def read(self) -> AttemptForm:
        """Read the whole address."""
        by = self._by()
        changes = self._changed(WAS_BY, by)
        if changes:
            # The weapons were the other figure's.
            self.data.pop(ITEM, None)
        action = self._action(by)
        uses = self._uses(by, action)
        plain = Attempt(by, self.roll.key, action=action.key if action else None)
        aimed = self._aim(self._arm(plain, uses))
        changes |= self._changed(WAS_AT, aimed.at)
        if changes:
            self.data.pop(AT_ITEM, None)
        attempt = self._because(self._against(aimed))
        if action is not None and isinstance(by, str):
            self.fields[FREE] = tick(_("Costs no action"))
        whom = PartForm(self.data, self._in_order(), "")
        free = bool(whom.has(FREE) and whom.value(FREE))
        described = self._describe(replace(attempt, free=free), changes)
        made = described.attempt
        asked = made.question(self.start, self.now)
        compared = () if self.found else tuple(self._compare(made, uses))
        caution = None
        if action is not None and isinstance(by, str) and not (free or self.found):
            caution = find_caution(self.start, self.now, by, action, self.roll.key)
        return AttemptForm(
            roll=self.roll,
            whom=whom,
            situation=described.situation,
            more=described.more,
            known=described.known,
            given=described.given,
            attempt=made,
            asked=asked,
            compared=compared,
            action=action,
            side=self.side,
            rebound=self.rebound,
            caution=caution,
            confirmed=caution is not None and self.data.get(AGAIN) == caution.key,
        )

    def _because(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the alarm and the cause that the address names, also if they are
        due no longer, or else with the first that ask for its roll."""
        alarm, cause = self.data.get(ALARM), _read_act(self.data.get(CAUSE, ""))
        row = self.start.book.alarm.get(alarm or "")
        if row is None or row.roll != self.roll.key:
            due = find_asking(self.start, self.now, attempt)
            alarm = due[0].alarm if due else None
        if cause is None:
            rolls = find_followed(self.now, attempt)
            cause = rolls[0].act if rolls else None
        return replace(attempt, alarm=alarm, cause=cause)

    def _describe(self, attempt: Attempt, changes: bool) -> _Described:
        """Return the attempt with its circumstances. ``changes``: another figure takes part than
        before."""
        asked = attempt.question(self.start, self.now)
        rows = circumstances(asked.rules, self.roll, asked.ready)
        tapped = [row for row in rows if row.tapped is not None and row.key in asked.said]
        fields = {row.key: circumstance_field(row) for row in rows if row not in tapped}
        fields |= {row.key: _known_field(row, asked.said[row.key]) for row in tapped}
        if changes:
            # The players' corrections were about the other figures.
            for row in tapped:
                self.data.pop(f"is-{row.key}", None)
        whole = PartForm(self.data, fields, "is")
        made = replace(attempt, said=read_situation(whole, asked.ready, rows))

        def part(keys: Collection[str]) -> PartForm:
            chosen = {row.key: fields[row.key] for row in rows if row.key in keys}
            return PartForm(self.data, chosen, "is")

        shown, more, known = self._divide(made, rows, {row.key for row in tapped}, whole)
        return _Described(made, part(shown), part(more), part(known), tuple(whole.given))

    def _divide(
        self, attempt: Attempt, rows: Sequence[Circumstance], tapped: set[str], whole: PartForm
    ) -> tuple[set[str], set[str], set[str]]:
        """Return the keys of the circumstances to ask for, to fold away, and to show as known."""
        if self.found:
            # Nobody sees this form.
            return {row.key for row in rows} - tapped, set(), tapped
        asked = attempt.question(self.start, self.now)
        matter = facts_that_matter(asked, [row for row in rows if row.key not in tapped])
        answered = {name.removeprefix("is-") for name, _value in whole.given}
        shown = {
            row.key
            for row in rows
            if row.key in matter and (row.key in answered or _asks_first(row, asked.names))
        }
        return shown, set(matter) - shown, tapped

    def _changed(self, name: str, now: Who | None) -> bool:
        """Whether the form was made for another roller or target than the one chosen now."""
        was = self.data.get(name)
        changes = was is not None and now is not None and was != str(now)
        self.rebound |= changes
        return changes

    def _chosen(self, name: str, offered: Collection[str], start: str) -> str:
        """Return the choice that the address names. If it is not offered (now), forget it and
        return ``start``."""
        chosen = self.data.get(name) or start
        if chosen in offered:
            return chosen
        self.rebound = True
        self.data.pop(name, None)
        return start

    def _in_order(self) -> dict[str, forms.Field]:
        order = (BY, ITEM, AT, AT_ITEM, FREE)
        return {key: self.fields[key] for key in order if key in self.fields}

    def _who(self, text: str | None) -> Who | None:
        """Return the figure or side that an address names."""
        if text in self.now.figures:
            return text
        side = number(text)
        return side if side in self.now.sides else None

    def _by(self) -> Who:
        """Return the figure or side that throws: as the address names it, or one of a side's
        figures."""
        by = self._who(self.data.get(BY))
        if by is None:
            raise NobodyHere(self.data.get(BY))
        if self.roll.by == "side":
            return side_of(by)
        side = by if isinstance(by, int) else number(self.data.get(SIDE))
        if side is None or side != side_of(by):
            return by
        able = find_rollers(self.start, self.now, self.roll, side)
        if not able:
            raise NobodyHere(str(by))
        self.side = side
        self.fields[BY] = choice(_("Who rolls"), self._people(able, side), able[0])
        if by == side:
            self.data.pop(BY)
        return self._chosen(BY, able, able[0])

    def _people(self, keys: Iterable[str], *first: int) -> list[tuple[str, Any]]:
        """Return choices of figures: those of the sides to name ``first`` by side, then others."""
        found: dict[str, list[tuple[str, str]]] = {}
        for key in keys:
            side = side_of(key)
            heading = self.names.sides[side] if side in first else _("Others")
            words = self.names.figures[key]
            if self.now.figures[key].out is not None:
                words = _("%(name)s (out)") % {"name": words}
            found.setdefault(heading, []).append((key, words))
        return [*found.items()]

    def _action(self, by: Who) -> Action | None:
        """Return the action that the address names, if the roll is part of it."""
        row = self.start.book.action.get(self.data.get(ACTION, ""))
        makes = row is not None and self.roll.key in row.rolls and isinstance(by, str)
        return row if makes else None

    def _uses(self, by: Who, action: Action | None) -> tuple[WeaponUse, ...]:
        """Return the weapons for the roll."""
        if self.roll.using != "item" or not isinstance(by, str):
            return ()
        found = self.found or find_options(self.start, self.now, by)
        throws = [throw for deed in found.deeds if deed.action == action for throw in deed.throws]
        throws += [*found.others, *(throw for deed in found.deeds for throw in deed.throws)]
        fit = next((throw.uses for throw in throws if throw.roll == self.roll), ())
        fit = (*fit, *self._followed(by, fit))
        # The roll may be about a weapon that cannot be used now, as a malfunction is: offer them
        # all.
        return fit or tuple(ways(rules_for(self.start, by).book, self._carried(by)))

    def _followed(self, by: str, uses: Iterable[WeaponUse]) -> Iterator[WeaponUse]:
        """Yield the weapons of due rolls that are not among these ``uses``: the figure may have
        lost them since, as one that explodes."""
        due = find_followed(self.now, Attempt(by, self.roll.key))
        items = [one.item for one in due if one.item is not None]
        named = {_used(one.item, one.mode) for one in due} - {use.key for use in uses}
        book = rules_for(self.start, by).book
        yield from (use for use in ways(book, items) if use.key in named)

    def _carried(self, key: str) -> tuple[str, ...]:
        figure = side(self.start, self.now, key).figure
        return find_carried(rules_for(self.start, key), figure)

    def _arm(self, attempt: Attempt, uses: tuple[WeaponUse, ...]) -> Attempt:
        """Return the attempt with the weapon that the address names, or with the first."""
        if self.roll.using != "item":
            return attempt
        if not uses:
            raise NobodyHere(ITEM)
        names = [(use.key, localize(use.name)) for use in uses]
        self.fields[ITEM] = choice(_("Weapon"), names, uses[0].key)
        offered = {use.key: use for use in uses}
        chosen = offered[self._chosen(ITEM, offered, uses[0].key)]
        return replace(attempt, item=chosen.item.key, mode=chosen.mode)

    def _aim(self, attempt: Attempt) -> Attempt:
        """Return the attempt with its target, if the roll has one."""
        if self.roll.at == "nobody":
            return attempt
        if self.roll.at == "side":
            gangs = [number for number in self.now.sides if number != NONPLAYERS]
            sides = {str(number): number for number in gangs if number != side_of(attempt.by)}
            if not sides:
                raise NobodyHere("side")
            names = [(key, self.names.sides[side]) for key, side in sides.items()]
            self.fields[AT] = choice(_("Against"), names, names[0][0])
            return replace(attempt, at=sides[self._chosen(AT, sides, names[0][0])])
        keys = self._targets(attempt)
        if not keys:
            raise NobodyHere("figure")
        own, book = side_of(attempt.by), self.start.book
        first = [one for one in self.now.sides if are_friends(book, one, own) == self.roll.helps]
        self.fields[AT] = choice(_("Target"), self._people(keys, *first), keys[0])
        return replace(attempt, at=self._chosen(AT, keys, keys[0]))

    def _targets(self, attempt: Attempt) -> list[str]:
        """Return the possible targets, and the one that the address names."""
        keys = [*find_targets(self.start, self.now, self.roll, attempt.by)]
        names = parse(self.roll.usable).names if self.roll.usable else frozenset()
        cause = _read_act(self.data.get(CAUSE, ""))
        followed = find_followed(self.now, replace(attempt, cause=cause))
        missed = followed[0].but if followed else None
        keys = [key for key in keys if key != missed] or keys
        if any(name.startswith(("at.", "at_item.")) for name in names):
            made = {key: replace(attempt, at=key) for key in keys}
            fit = [key for key in keys if is_possible(self.start, self.now, made[key])]
            keys = fit or keys
        named = self.data.get(AT, "")
        is_new = named in self.now.figures and named not in (attempt.by, missed, *keys)
        if is_new and may_be_target(self.start, self.now, self.roll, attempt.by, named):
            # They may have gone out since.
            keys.append(named)
        return keys

    def _against(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the target's weapon."""
        there = attempt.question(self.start, self.now)
        reads = asks_of(self.roll, there.ready)
        if not isinstance(attempt.at, str) or not reads_item(reads, AT_ITEM.replace("-", "_")):
            return attempt
        fit = target_weapons(there, [attempt.item] if attempt.item else ())
        names = {use.key: localize(use.name) for use in fit} | {NOTHING: "–"}
        first = next(iter(names))
        self.fields[AT_ITEM] = choice(_("Target’s weapon"), [*names.items()], first)
        item, _dot, mode = self._chosen(AT_ITEM, names, first).partition(".")
        return replace(attempt, at_item=None if item == NOTHING else item, at_mode=mode or None)

    def _compare(self, attempt: Attempt, uses: Iterable[WeaponUse]) -> Iterator[Question]:
        """Yield the attempt with each weapon that is usable for it."""
        for use in uses:
            armed = replace(attempt, item=use.item.key, mode=use.mode)
            there = armed.question(self.start, self.now)
            if there.usable:
                yield there


def _read_act(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _asks_first(row: Circumstance, names: Mapping[str, Value]) -> bool:
    """Whether a circumstance is asked for before the reader unfolds more."""
    return not row.known and (row.given is None or parse(row.given).holds(names))


def _known_field(row: Circumstance, value: Value) -> forms.Field:
    """Return the field of a circumstance that follows from taps; players may correct it."""
    field = circumstance_field(row if row.kind == "choice" else _starting(row, value))
    if row.kind == "choice":
        field.initial = str(value)
    return field


def _starting(row: Circumstance, value: Value) -> Circumstance:
    return row.model_copy(update={"start": int(value)})


def read_form(
    data: QueryDict,
    start: Start,
    now: TableNow,
    names: Names,
    roll: str,
    found: Options | None = None,
) -> AttemptForm:
    """Read the form of a roll from an address. ``found``: the options of the figure, if the caller
    asks about all of them; then no weapons are compared. Raises NobodyHere for a roll or figure
    that this table does not have."""
    row = start.book.roll.get(roll)
    if row is None or not start.rules.has(row):
        raise NobodyHere(roll)
    return _Reader(data, start, now, names, row, found).read()


# Outcomes without dice.


# Posted by a page that asks for what each outcome needs, beside it.
SAID_ALL = "*"


@dataclass(frozen=True)
class OutcomeWay:
    """One way to enter a result. ``row``: its outcome, None for a roll that has only numbers;
    ``unsaid``: what it leaves open; ``more``: the fields for that."""

    row: RollOutcome | None
    name: str
    unsaid: Unsaid
    more: PartForm
    is_chosen: bool

    @property
    def key(self) -> str:
        """The key of the outcome, "" if there is none."""
        return self.row.key if self.row else ""


class OutcomeForm:
    """The outcome of an attempt as a player enters it. ``ways``: the possible outcomes, each with
    what it needs; ``wrong``: what is missing, in words.

    A player's word counts: an outcome that a page offered is accepted, even if it is no longer
    possible in this situation.
    """

    def __init__(self, asked: Question, data: QueryDict | None) -> None:
        self.asked = asked
        self.is_bound = data is not None
        self.data = QueryDict() if data is None else data
        # Nobody enters a result that costs nothing and changes nothing.
        declared = [outcome.declared for outcome in asked.ready.outcomes]
        kept = find_possible(asked) | {self.data.get("outcome")}
        rows = [row for row in declared if not row.free and row.key in kept]
        self.ways = [self._way(row) for row in rows] or [self._way(None)]
        self.way = next((way for way in self.ways if way.is_chosen), None)
        self.outcome = (self.way.key or None) if self.way else None
        self.wrong = ""
        if self.is_bound and self.way is None:
            self.wrong = _("What happened? Choose one of these.")

    def _way(self, row: RollOutcome | None) -> OutcomeWay:
        unsaid = find_unsaid(self.asked, row)
        # A page from before asks for one outcome at a time, under names without its key.
        of_all = row is not None and self.data.get("said", SAID_ALL) == SAID_ALL
        more = PartForm(
            self.data,
            self._fields(row, unsaid),
            f"n-{row.key}" if row is not None and of_all else "n",
        )
        chosen = row is None or row.key == self.data.get("outcome")
        return OutcomeWay(row, localize(row.name) if row else "", unsaid, more, chosen)

    def _fields(self, row: RollOutcome | None, unsaid: Unsaid) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        named_numbers = {number.of: number.name for number in self.asked.roll.numbers}
        for name, least in unsaid.numbers.items():
            named = named_numbers.get(name)
            words = localize(named) if named is not None else self._lost(row, name)
            is_tick = name in unsaid.ticks
            fields[name] = tick(words) if is_tick else number_field(words, -MOST, MOST, least)
        for place in unsaid.effects:
            assert row is not None
            fields[f"effect-{place}"] = tick(_effect(self.asked, row, place))
        return fields

    def _lost(self, row: RollOutcome | None, name: str) -> str:
        """Return the name of the track that an unnamed number changes."""
        effects = self.asked.roll.effects_of(row) if row else ()
        changes = [one for one in effects if one.kind in ("changes", "sets")]
        amounts = {one.track: getattr(one, "amount", getattr(one, "to", 0)) for one in changes}
        tracks = (track for track, amount in amounts.items() if name in parse(amount).names)
        return _track(self.asked, next(tracks, name))

    @property
    def complete(self) -> bool:
        """Whether the player has entered everything, and has seen what there was to enter."""
        if self.way is None:
            return False
        more, said = self.way.more, self.data.get("said")
        return (not more.fields or said in (SAID_ALL, self.outcome or "-")) and more.is_valid()

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that the player entered."""
        if self.way is None:
            return {}
        found = {name: self.way.more.value(name) for name in self.way.unsaid.numbers}
        return {name: int(value) for name, value in found.items() if value is not None}

    @property
    def happened(self) -> tuple[int, ...]:
        """The places of the effects that depend on the dice and happened."""
        if self.way is None:
            return ()
        more = self.way.more
        return tuple(place for place in self.way.unsaid.effects if more.value(f"effect-{place}"))


def _effect(asked: Question, row: RollOutcome, place: int) -> str:
    """Return an effect in words."""
    effect: RollEffect = asked.roll.effects_of(row)[place]
    book = asked.book
    match effect.kind:
        case "then":
            return _("Next: %(roll)s") % {"roll": localize(name_of(book.roll, effect.roll))}
        case "begins":
            return localize(name_of(book.state, effect.state))
        case "ends":
            return _("Not: %(name)s") % {"name": localize(name_of(book.state, effect.state))}
        case "out":
            return _("Out of the game")
        case "back":
            return _("Back in the game")
        case "loses_weapon":
            return _("The weapon is lost")
        case "ends_activation":
            return _("The activation ends")
        case "changes" | "sets":
            return _track(asked, effect.track)
        case "counts":
            return localize(name_of(book.campaign.tally, effect.tally))
    return localize(row.name)


def _track(asked: Question, key: str) -> str:
    """Return the name of a track."""
    book = asked.book
    rows = {**book.characteristic, **{tick.key: tick for tick in book.ticks}, **book.track}
    return localize(name_of(rows, key))
