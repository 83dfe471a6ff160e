"""What is kept at the table, as a part of the rules: phases, what is counted, what falls due,
states."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from pydantic.fields import FieldInfo

from rules.book.annotations import marker
from rules.book.evening import Alarm, Track
from rules.book.labels import Values
from rules.book.rolls import State
from rules.book.vocabulary import Frozen
from rules.reference_pages.pieces import (
    ColumnHead,
    PageCell,
    PageLine,
    PageTable,
    Piece,
    Section,
    fact,
    section,
)
from rules.reference_pages.words import BookWording


def evening(words: BookWording) -> Iterator[Section]:
    """What the references do not say: who acts when, what is counted, what falls due; states."""
    book = words.book
    yield from section("evening", _("At the table"), _turn(words))
    tracks = (_track(words, row) for row in book.tracks)
    yield from section("tracks", _("Trackers"), tracks, brief=True)
    alarms = (_alarm(words, row) for row in book.alarms)
    yield from section("alarms", _("Reminders"), alarms, brief=True)
    states = (_state(words, row) for row in book.states)
    yield from section("states", _("States"), states, brief=True)


def _turn(words: BookWording) -> Iterator[Piece]:
    """The phases with what is thrown in each. Where a reference goes through the turn step by step,
    their texts would say it twice."""
    book = words.book
    told = any(row.chapter == "turn" and row.numbered for row in book.references)
    name = _("Phases of a turn")
    text = words.translated(book.activation.text) if book.activation is not None else ""
    lines = tuple(
        PageLine(
            words.translated(row.name),
            (PageCell(words.named(book.roll, row.rolls) or "–"),),
            f"phase-{row.key}",
            "" if told else words.translated(row.text),
            words.terms(row.when, row.status),
            words.source(row),
        )
        for row in book.phases
    )
    if lines or text:
        grid = PageTable("", (ColumnHead(_("Thrown")),), lines, name) if lines else None
        yield Piece("phases", name, text, grid=grid)


def _track(words: BookWording, row: Track) -> Piece:
    facts = [
        *fact(_("Counted per"), _label(row, "per")),
        *fact(_("In every turn"), _label(row, "each_turn")),
    ]
    return words.piece("track", row, (), facts)


def _alarm(words: BookWording, row: Alarm) -> Piece:
    book = words.book
    facts = [
        *fact(_("Who"), _label(row, "asks")),
        *fact(_("When"), words.translated(book.phase[row.phase].name) if row.phase else ""),
        *fact(_("Thrown"), words.named(book.roll, [row.roll] if row.roll else [])),
    ]
    return words.piece("alarm", row, (), facts)


def _state(words: BookWording, row: State) -> Piece:
    marks = {mark.key: mark for mark in words.book.campaign.marks}
    facts = [
        *fact(_("Of"), "" if row.of == "figure" else _label(row, "of")),
        *fact(_("Until"), _label(row, "lasts")),
        *fact(_("Changes"), *words.effects(row.effects)),
        *fact(_("At the end of the game"), words.named(marks, [row.mark] if row.mark else [])),
    ]
    return words.piece("state", row, [_("does not act") if row.stops else ""], facts)


def _label(row: Frozen, name: str) -> str:
    """What a field's value is called."""
    info: FieldInfo = type(row).model_fields[name]
    values = marker(info, Values)
    assert values is not None
    return _(str(values.labels[getattr(row, name)]))
