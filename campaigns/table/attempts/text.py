"""Dice of an attempt in words and signs, and as a player types them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.roll import Faces, FreeEnd
from campaigns.table.state import TableNow
from campaigns.table.taps import Acted, AnyTap, Dealt, Did, Ended, Followed, Rolled
from gangs.text.formats import localize
from rules.book.rolls import IN_BRACES
from rules.engine.playing import Missing, Played, Thrown, Wanted
from rules.odds.chances import Question, hands

# A page with the actions and the due entries does not list these again.
PLAIN = (Rolled, Did, Acted, Dealt, Followed)
# Dice with so few sides may be typed without spaces between them.
ONE_DIGIT = 9
# Characters of typed dice that are read.
LONGEST = 2000


@dataclass(frozen=True)
class DiceLine:
    """Dice that are thrown together. ``words``: their number and kind; ``faces``: the faces, if
    they have fallen; ``again``: they are thrown again, next to the ``kept`` dice; ``signs``: the
    names of all faces, if they are not numbers; ``tied``: after a tie.
    """

    words: str
    faces: tuple[str, ...] = ()
    again: bool = False
    kept: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    tied: bool = False


def describe_free_end(end: FreeEnd) -> str:
    """Return the name of an end without dice, and its reason with its numbers."""
    name = localize(end.outcome.name)
    if end.outcome.text is None:
        return name
    reason = IN_BRACES.sub(
        lambda found: str(end.names.get(found[1], 0)), localize(end.outcome.text)
    )
    return _("%(name)s: %(value)s") % {"name": name, "value": reason}


def dice_lines(asked: Question, throws: Iterable[Thrown]) -> list[DiceLine]:
    """Return the dice as they fell."""
    lines = []
    for thrown in throws:
        line = describe_wanted(asked, thrown.wanted)
        faces = _shown(line.signs, thrown.faces)
        lines.append(DiceLine(line.words, faces, line.again, line.kept, line.signs, line.tied))
    return lines


def describe_wanted(asked: Question, wanted: Wanted) -> DiceLine:
    """Return the dice to throw next."""
    signs = _signs(asked, wanted.step)
    words = _("%(dice)sD%(sides)s") % {"dice": wanted.dice, "sides": wanted.sides}
    return DiceLine(words, (), wanted.again, _shown(signs, wanted.kept), signs, wanted.tied)


def _signs(asked: Question, step: str) -> tuple[str, ...]:
    """Return the names of the faces of a step's dice, the lowest first."""
    for hand in hands(asked.ready.steps):
        if hand.name == step:
            of = asked.book.hand[hand.declared.of]  # type: ignore[attr-defined]
            return tuple(localize(face) for face in of.faces)
    return ()


def _shown(signs: tuple[str, ...], faces: Iterable[int]) -> tuple[str, ...]:
    return tuple(signs[face - 1] if signs else str(face) for face in faces)


def read_dice(asked: Question, wanted: Wanted, text: str) -> tuple[int, ...] | None:
    """Read the faces that a player typed for these dice; None if the dice cannot show them."""
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
    """Dice of the table, typed in throw by throw. ``lain``: the earlier throws, as the form keeps
    them; ``wanted``: the next; ``wrong``: the dice cannot show the faces that were typed last."""

    lain: str = ""
    wanted: DiceLine | None = None
    wrong: bool = False


def type_dice(
    data: QueryDict, asked: Question, play: Callable[[Faces], Played]
) -> TypedDice | Played:
    """Return the result of the typed dice, or the dice to type next. ``play``: computes the result
    of all throws. Raises BadFaces for throws that the form did not write."""
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
    """Read the earlier throws, which the form keeps as "3 4;6"."""
    throws = [throw.split() for throw in data.get("lain", "")[:LONGEST].split(";") if throw.strip()]
    if not all(face.isascii() and face.isdecimal() for throw in throws for face in throw):
        return ()
    return tuple(tuple(int(face) for face in throw) for throw in throws)


def _write(faces: Faces) -> str:
    return ";".join(" ".join(map(str, throw)) for throw in faces)


def is_news(tap: AnyTap, before: TableNow) -> bool:
    """Whether a tap of an attempt changed the table as it was ``before``: rules may end states that
    a figure is not in."""
    if isinstance(tap, Ended) and tap.figure is not None and tap.item is None:
        there = before.figures.get(tap.figure)
        return there is not None and tap.state in there.states
    return not isinstance(tap, PLAIN)
