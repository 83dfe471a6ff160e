"""Dice of an attempt in words and signs, and as somebody types them; what of it is news."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.roll import Faces
from campaigns.table.state import TableNow
from campaigns.table.taps import Acted, AnyTap, Dealt, Did, Ended, Followed, Rolled
from gangs.text.formats import localize
from rules.engine.playing import Missing, Played, Thrown, Wanted
from rules.odds.chances import Question, hands

# What is no news on a page that says who did what, and what is due.
PLAIN = (Rolled, Did, Acted, Dealt, Followed)
# Dice with so few sides may be typed without spaces between them.
ONE_DIGIT = 9
# Of what somebody types.
LONGEST = 2000


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
        line = describe_wanted(asked, thrown.wanted)
        faces = _shown(line.signs, thrown.faces)
        lines.append(DiceLine(line.words, faces, line.again, line.kept, line.signs))
    return lines


def describe_wanted(asked: Question, wanted: Wanted) -> DiceLine:
    """Dice that are to be thrown next."""
    signs = _signs(asked, wanted.step)
    words = _("%(dice)sD%(sides)s") % {"dice": wanted.dice, "sides": wanted.sides}
    return DiceLine(words, (), wanted.again, _shown(signs, wanted.kept), signs)


def _signs(asked: Question, step: str) -> tuple[str, ...]:
    """What the faces of a step's dice are called, the lowest first."""
    for hand in hands(asked.ready.steps):
        if hand.name == step:
            of = asked.book.hand[hand.declared.of]  # type: ignore[attr-defined]
            return tuple(localize(face) for face in of.faces)
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


@dataclass(frozen=True)
class TypedDice:
    """Dice of the table so far, typed in one throw after the other. ``lain``: those that were typed
    before, as the form keeps them; ``wanted``: the next; ``wrong``: what was typed last is nothing
    that they show."""

    lain: str = ""
    wanted: DiceLine | None = None
    wrong: bool = False


def type_dice(
    data: QueryDict, asked: Question, play: Callable[[Faces], Played]
) -> TypedDice | Played:
    """What dice come to with those that a form says, or what is wanted next. ``play``: works it
    out of all throws. Raises BadFaces for what the form never wrote."""
    lain, typed = _read_lain(data), data.get("dice", "").strip()[:LONGEST]
    try:
        return play(lain)
    except Missing as missing:
        wanted = missing.wanted
    faces = read_dice(asked, wanted, typed)
    if faces is None:
        return TypedDice(_write(lain), describe_wanted(asked, wanted), bool(typed))
    lain = (*lain, faces)
    try:
        return play(lain)
    except Missing as missing:
        return TypedDice(_write(lain), describe_wanted(asked, missing.wanted))


def _read_lain(data: QueryDict) -> Faces:
    """The throws that were typed before, as the form keeps them: "3 4;6"."""
    throws = [throw.split() for throw in data.get("lain", "")[:LONGEST].split(";") if throw.strip()]
    if not all(face.isascii() and face.isdecimal() for throw in throws for face in throw):
        return ()
    return tuple(tuple(int(face) for face in throw) for throw in throws)


def _write(faces: Faces) -> str:
    return ";".join(" ".join(map(str, throw)) for throw in faces)


def is_news(tap: AnyTap, before: TableNow) -> bool:
    """Whether a tap of an attempt changes something at the table as it was ``before``: rules end
    states that somebody may not be in."""
    if isinstance(tap, Ended) and tap.figure is not None and tap.item is None:
        there = before.figures.get(tap.figure)
        return there is not None and tap.state in there.states
    return not isinstance(tap, PLAIN)
