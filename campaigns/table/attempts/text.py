"""Dice of an attempt in words and signs, and read from what somebody types; what of it is news."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from campaigns.table.state import TableNow
from campaigns.table.taps import Acted, AnyTap, Dealt, Did, Ended, Followed, Rolled
from gangs.text.formats import localized
from rules.engine.playing import Thrown, Wanted
from rules.odds.chances import Question, hands

# What is no news on a page that says who did what, and what is due.
PLAIN = (Rolled, Did, Acted, Dealt, Followed)
# Dice with so few sides may be typed without spaces between them.
ONE_DIGIT = 9


@dataclass(frozen=True)
class DiceLine:
    """Dice that were thrown together, or are to be. ``words``: how many of which; ``faces``: what
    they show; ``again``: they were thrown again; ``signs``: what their faces are called, if not by
    numbers."""

    words: str
    faces: tuple[str, ...] = ()
    again: bool = False
    kept: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


def dice_lines(asked: Question, throws: Iterable[Thrown]) -> list[DiceLine]:
    """The dice as they fell."""
    lines = []
    for thrown in throws:
        line = wanted_line(asked, thrown.wanted)
        faces = _shown(line.signs, thrown.faces)
        lines.append(DiceLine(line.words, faces, line.again, line.kept, line.signs))
    return lines


def wanted_line(asked: Question, wanted: Wanted) -> DiceLine:
    """Dice that are to be thrown next."""
    signs = _signs(asked, wanted.step)
    words = _("%(dice)sD%(sides)s") % {"dice": wanted.dice, "sides": wanted.sides}
    return DiceLine(words, (), wanted.again, _shown(signs, wanted.kept), signs)


def _signs(asked: Question, step: str) -> tuple[str, ...]:
    """What the faces of a step's dice are called, the lowest first."""
    for hand in hands(asked.ready.steps):
        if hand.name == step:
            of = asked.book.hand[hand.declared.of]  # type: ignore[attr-defined]
            return tuple(localized(face) for face in of.faces)
    return ()


def _shown(signs: tuple[str, ...], faces: Iterable[int]) -> tuple[str, ...]:
    return tuple(signs[face - 1] if signs else str(face) for face in faces)


def read_dice(asked: Question, wanted: Wanted, text: str) -> tuple[int, ...] | None:
    """The faces that somebody typed for the dice wanted; None if they are none that these show."""
    signs = _signs(asked, wanted.step)
    words = re.findall(r"\w+", text)
    if not signs and wanted.sides <= ONE_DIGIT:
        words = [sign for word in words for sign in word]
    if signs:
        places = {sign.casefold(): place for place, sign in enumerate(signs, start=1)}
        faces = tuple(places.get(word.casefold(), 0) for word in words)
    else:
        faces = tuple(int(word) if word.isdecimal() else 0 for word in words)
    good = len(faces) == wanted.dice and all(1 <= face <= wanted.sides for face in faces)
    return faces if good else None


def is_news(tap: AnyTap, before: TableNow) -> bool:
    """Whether a tap of an attempt changes something at the table as it was ``before``: rules end
    states that somebody may not be in."""
    if isinstance(tap, Ended) and tap.figure is not None and tap.item is None:
        there = before.figures.get(tap.figure)
        return there is not None and tap.state in there.states
    return not isinstance(tap, PLAIN)
