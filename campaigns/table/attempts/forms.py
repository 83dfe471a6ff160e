"""Forms of an attempt: the target, the weapons and the circumstances; and an outcome without dice.

The address contains all of the first form except the dice, with the fields of the page of odds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.actions import Options, find_options, target_weapons, targets
from campaigns.table.attempts.attempt import Attempt, Who, rules_for, side, side_of
from campaigns.table.attempts.effects import find_unsaid
from campaigns.table.people import Names
from campaigns.table.state import Start, TableNow
from common.forms import number
from gangs.text.formats import localize
from rules.book.rolls import Action, Circumstance, Roll, RollEffect, RollOutcome
from rules.book.vocabulary import name_of
from rules.engine.expressions import Value, parse
from rules.odds.asking import (
    NOTHING,
    asks_of,
    circumstances,
    read_situation,
    reads_item,
)
from rules.odds.chances import Question, WeaponUse, find_carried, ways
from rules.odds.forms import PartForm, choice, circumstance_field, tick
from rules.odds.forms import number as number_field

# Parameters of an address.
BY, AT, ITEM, AT_ITEM, ACTION, FREE = "by", "at", "item", "at-item", "action", "free"
# The largest number that a player may enter.
MOST = 99


class NobodyHere(LookupError):
    """Raised for an address that names somebody or something that this table does not have."""


@dataclass
class AttemptForm:
    """The whole form and its attempt. ``asked``: its question about odds; ``compared``: the same
    with each weapon."""

    roll: Roll
    whom: PartForm
    situation: PartForm
    known: PartForm
    attempt: Attempt
    asked: Question
    compared: tuple[Question, ...]
    action: Action | None = None

    @property
    def parts(self) -> tuple[PartForm, ...]:
        """All parts of the form."""
        return self.whom, self.situation, self.known

    @property
    def valid(self) -> bool:
        """Whether every part is valid."""
        return all(part.is_valid() for part in self.parts)

    @property
    def usable(self) -> bool:
        """Whether the roll is possible in this situation."""
        return self.asked.usable

    @property
    def query(self) -> list[tuple[str, str]]:
        """The form as parameters of an address."""
        made = self.attempt
        found = [(BY, str(made.by))]
        found += [] if made.at is None else [(AT, str(made.at))]
        found += [(ITEM, _used(made.item, made.mode))] if made.item else []
        if self.whom.has(AT_ITEM):
            found.append((AT_ITEM, _used(made.at_item, made.at_mode) or NOTHING))
        found += [(ACTION, self.action.key)] if self.action else []
        found += [(FREE, "1")] if self.attempt.free else []
        return [*found, *self.situation.given, *self.known.given]


def _used(item: str | None, mode: str | None) -> str:
    return ".".join(filter(None, (item, mode)))


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
        self.data, self.start, self.now, self.names, self.roll = data, start, now, names, roll
        self.found = found
        self.fields: dict[str, forms.Field] = {}

    def read(self) -> AttemptForm:
        """Read the whole address."""
        by = self._by()
        action = self._action(by)
        uses = self._uses(by, action)
        plain = Attempt(by, self.roll.key, action=action.key if action else None)
        attempt = self._against(self._aim(self._arm(plain, uses)))
        if action is not None and isinstance(by, str):
            self.fields[FREE] = tick(_("Costs no action"))
        whom = PartForm(self.data, self._in_order(), "")
        asked = attempt.question(self.start, self.now)
        rows = circumstances(asked.rules, self.roll, asked.ready)
        known_rows = [row for row in rows if row.tapped is not None and row.key in asked.said]
        open_rows = [row for row in rows if row not in known_rows]
        open_fields = {row.key: circumstance_field(row) for row in open_rows}
        known_fields = {row.key: _known_field(row, asked.said[row.key]) for row in known_rows}
        situation = PartForm(self.data, open_fields, "is")
        known = PartForm(self.data, known_fields, "is")
        said: dict[str, Value] = {}
        for part, some in ((situation, open_rows), (known, known_rows)):
            said |= read_situation(part, asked.ready, some)
        free = bool(whom.has(FREE) and whom.value(FREE))
        attempt = replace(attempt, said=said, free=free)
        asked = attempt.question(self.start, self.now)
        compared = () if self.found else tuple(self._compare(attempt, uses))
        return AttemptForm(self.roll, whom, situation, known, attempt, asked, compared, action)

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
        if isinstance(by, int):
            mine = [one.key for one in self.start.figures if one.side == by]
            able = [key for key in mine if self.now.figures[key].out is None] or mine
            if not able:
                raise NobodyHere(str(by))
            self.fields[BY] = choice(_("Who rolls"), self._people(able), able[0])
            return able[0]
        return by

    def _people(self, keys: Iterable[str]) -> list[tuple[str, Any]]:
        """Return choices of figures, by side."""
        found: dict[str, list[tuple[str, str]]] = {}
        for key in keys:
            side = self.names.sides[side_of(key)]
            words = self.names.figures[key]
            if self.now.figures[key].out is not None:
                words = _("%(name)s (out)") % {"name": words}
            found.setdefault(side, []).append((key, words))
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
        # The roll may be about a weapon that cannot be used now, as a malfunction is: offer them
        # all.
        return fit or tuple(ways(rules_for(self.start, by).book, self._carried(by)))

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
        chosen = next((use for use in uses if use.key == self.data.get(ITEM)), uses[0])
        return replace(attempt, item=chosen.item.key, mode=chosen.mode)

    def _aim(self, attempt: Attempt) -> Attempt:
        """Return the attempt with its target, if the roll has one."""
        if self.roll.at == "nobody":
            return attempt
        chosen = self._who(self.data.get(AT))
        if self.roll.at == "side":
            others = [number for number in self.now.sides if number != side_of(attempt.by)]
            if not others:
                raise NobodyHere("side")
            names = [(str(number), self.names.sides[number]) for number in others]
            self.fields[AT] = choice(_("Against"), names, names[0][0])
            return replace(attempt, at=chosen if chosen in others else others[0])
        keys = self._targets(attempt)
        if not keys:
            raise NobodyHere("figure")
        self.fields[AT] = choice(_("Target"), self._people(keys), keys[0])
        return replace(attempt, at=chosen if chosen in keys else keys[0])

    def _targets(self, attempt: Attempt) -> list[str]:
        """Return the possible targets; all of them if the roll fits none."""
        keys = [*targets(self.start, self.now, attempt.by)]
        names = parse(self.roll.usable).names if self.roll.usable else frozenset()
        if not any(name.startswith("at.") for name in names) or reads_item(names, "at_item"):
            return keys
        fit = [
            key for key in keys if replace(attempt, at=key).question(self.start, self.now).usable
        ]
        return fit or keys

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
        chosen = self.data.get(AT_ITEM, first)
        item, _dot, mode = (chosen if chosen in names else first).partition(".")
        return replace(attempt, at_item=None if item == NOTHING else item, at_mode=mode or None)

    def _compare(self, attempt: Attempt, uses: Iterable[WeaponUse]) -> Iterator[Question]:
        """Yield the attempt with each weapon that is usable for it."""
        for use in uses:
            armed = replace(attempt, item=use.item.key, mode=use.mode)
            there = armed.question(self.start, self.now)
            if there.usable:
                yield there


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


class OutcomeForm:
    """The outcome of an attempt as a player enters it. ``choices``: the possible outcomes;
    ``outcome``: the chosen one; ``more``: its numbers, and its effects that depend on the dice."""

    def __init__(self, asked: Question, data: QueryDict | None) -> None:
        self.asked = asked
        self.data = QueryDict() if data is None else data
        rows = [outcome.declared for outcome in asked.ready.outcomes]
        self.choices = [(row.key, localize(row.name)) for row in rows]
        self.row = next((row for row in rows if row.key == self.data.get("outcome")), None)
        self.outcome = self.row.key if self.row else None
        self.name = localize(self.row.name) if self.row else ""
        self.unsaid: tuple[str, ...] = ()
        self.unsure: tuple[int, ...] = ()
        if self.row is not None:
            self.unsaid, self.unsure = find_unsaid(asked, self.row)
        elif not rows:
            self.unsaid = tuple(row.of for row in asked.roll.numbers)
        self.more = PartForm(self.data, self._fields(), "n")

    def _fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        named_numbers = {row.of: row.name for row in self.asked.roll.numbers}
        for name in self.unsaid:
            words = localize(named_numbers[name]) if name in named_numbers else self._lost(name)
            fields[name] = number_field(words, -MOST, MOST, 1)
        for place in self.unsure:
            assert self.row is not None
            fields[f"effect-{place}"] = tick(_effect(self.asked, self.row, place))
        return fields

    def _lost(self, name: str) -> str:
        """Return the name of the track that an unnamed number changes."""
        effects = self.row.effects if self.row else ()
        changes = [one for one in effects if one.kind in ("changes", "sets")]
        amounts = {one.track: getattr(one, "amount", getattr(one, "to", 0)) for one in changes}
        tracks = (track for track, amount in amounts.items() if name in parse(amount).names)
        return _track(self.asked, next(tracks, name))

    @property
    def complete(self) -> bool:
        """Whether the player has entered everything."""
        if self.choices and self.row is None:
            return False
        seen = not self.more.fields or self.data.get("said") == (self.outcome or "-")
        return seen and self.more.is_valid()

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that the player entered."""
        found = {name: self.more.value(name) for name in self.unsaid}
        return {name: int(value) for name, value in found.items() if value is not None}

    @property
    def happened(self) -> tuple[int, ...]:
        """The places of the effects that depend on the dice and happened."""
        return tuple(place for place in self.unsure if self.more.value(f"effect-{place}"))


def _effect(asked: Question, row: RollOutcome, place: int) -> str:
    """Return an effect in words."""
    effect: RollEffect = row.effects[place]
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
