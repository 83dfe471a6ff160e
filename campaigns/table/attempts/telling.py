"""Dice of the table, typed in one throw after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import QueryDict

from campaigns.table.attempts.outcomes import Faces
from campaigns.table.attempts.text import DiceLine, read_dice, wanted_line
from rules.engine.playing import Missing, Played
from rules.odds.chances import Question

LONGEST = 2000


@dataclass(frozen=True)
class Telling:
    """Dice so far. ``lain``: those that were typed, as the form keeps them; ``wanted``: the next;
    ``wrong``: what was typed last is nothing that they show."""

    lain: str = ""
    wanted: DiceLine | None = None
    wrong: bool = False


def tell(data: QueryDict, asked: Question, come: Callable[[Faces], Played]) -> Telling | Played:
    """What dice come to with those that a form says, or what is wanted next. ``come``: works it
    out of all throws. Raises BadFaces for what the form never wrote."""
    lain, typed = _lain(data), data.get("dice", "").strip()[:LONGEST]
    try:
        return come(lain)
    except Missing as missing:
        wanted = missing.wanted
    faces = read_dice(asked, wanted, typed)
    if faces is None:
        return Telling(_written(lain), wanted_line(asked, wanted), bool(typed))
    lain = (*lain, faces)
    try:
        return come(lain)
    except Missing as missing:
        return Telling(_written(lain), wanted_line(asked, missing.wanted))


def _lain(data: QueryDict) -> Faces:
    """The throws that were typed before, as the form keeps them: "3 4;6"."""
    throws = [throw.split() for throw in data.get("lain", "")[:LONGEST].split(";") if throw.strip()]
    if not all(face.isascii() and face.isdecimal() for throw in throws for face in throw):
        return ()
    return tuple(tuple(int(face) for face in throw) for throw in throws)


def _written(faces: Faces) -> str:
    return ";".join(" ".join(map(str, throw)) for throw in faces)
