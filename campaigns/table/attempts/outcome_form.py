"""The form for an attempt of which only the outcome is said: which, and what it needs besides."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.outcomes import needed
from gangs.text.formats import localized
from rules.book.rolls import RollEffect, RollOutcome
from rules.book.vocabulary import named
from rules.engine.expressions import read
from rules.odds.chances import Question
from rules.odds.forms import PartForm, number, tick

MOST = 99


class OutcomeForm:
    """What somebody says came of an attempt. ``choices``: what may come of it; ``outcome``: what
    did; ``more``: the numbers that this needs, and what only people know of it."""

    def __init__(self, asked: Question, data: QueryDict | None) -> None:
        self.asked = asked
        self.data = QueryDict() if data is None else data
        rows = [outcome.declared for outcome in asked.ready.outcomes]
        self.choices = [(row.key, localized(row.name)) for row in rows]
        self.row = next((row for row in rows if row.key == self.data.get("outcome")), None)
        self.outcome = self.row.key if self.row else None
        self.name = localized(self.row.name) if self.row else ""
        self.read: tuple[str, ...] = ()
        self.unsure: tuple[int, ...] = ()
        if self.row is not None:
            self.read, self.unsure = needed(asked, self.row)
        elif not rows:
            self.read = tuple(row.of for row in asked.roll.numbers)
        self.more = PartForm(self.data, self._fields(), "n")

    def _fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = {}
        named_numbers = {row.of: row.name for row in self.asked.roll.numbers}
        for name in self.read:
            words = localized(named_numbers[name]) if name in named_numbers else self._lost(name)
            fields[name] = number(words, -MOST, MOST, 1)
        for place in self.unsure:
            assert self.row is not None
            fields[f"effect-{place}"] = tick(_effect(self.asked, self.row, place))
        return fields

    def _lost(self, name: str) -> str:
        """What a number without a name of its own changes, in words."""
        effects = self.row.effects if self.row else ()
        changes = [one for one in effects if one.kind in ("changes", "sets")]
        amounts = {one.track: getattr(one, "amount", getattr(one, "to", 0)) for one in changes}
        tracks = (track for track, amount in amounts.items() if name in read(amount).names)
        return _track(self.asked, next(tracks, name))

    @property
    def complete(self) -> bool:
        """Whether everything is said."""
        if self.choices and self.row is None:
            return False
        seen = not self.more.fields or self.data.get("said") == (self.outcome or "-")
        return seen and self.more.is_valid()

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that were said."""
        found = {name: self.more.value(name) for name in self.read}
        return {name: int(value) for name, value in found.items() if value is not None}

    @property
    def happened(self) -> tuple[int, ...]:
        """The places of those effects that happened and of which only people know."""
        return tuple(place for place in self.unsure if self.more.value(f"effect-{place}"))


def _effect(asked: Question, row: RollOutcome, place: int) -> str:
    """What an effect does, in words."""
    effect: RollEffect = row.effects[place]
    book = asked.book
    match effect.kind:
        case "then":
            return _("Next: %(roll)s") % {"roll": localized(named(book.roll, effect.roll))}
        case "begins":
            return localized(named(book.state, effect.state))
        case "ends":
            return _("Not: %(name)s") % {"name": localized(named(book.state, effect.state))}
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
    return localized(row.name)


def _track(asked: Question, key: str) -> str:
    """What is counted, in words."""
    book = asked.book
    rows = {**book.characteristic, **{tick.key: tick for tick in book.ticks}, **book.track}
    return localized(named(rows, key))
