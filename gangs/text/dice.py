"""Faces of dice, and errors in faces typed in, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs.text.formats import localize
from rules.book.fates import DiceTable
from rules.engine.dice import BadFaces, DiceRoll


def face_names(table: DiceTable | None) -> list[str]:
    """The names of the sides of a table's die; [] if they are numbers."""
    return [localize(face) for face in table.faces] if table else []


def shown_faces(roll: DiceRoll, table: DiceTable | None) -> list[str]:
    """The faces of a roll: numbers, or names if the table has them."""
    names = face_names(table)
    return [names[face - 1] if face <= len(names) else str(face) for face in roll.faces]


def bad_faces_sentence(bad: BadFaces, dice: str, table: DiceTable | None = None) -> str:
    """The sentence about the expected faces, after wrong ones were typed in."""
    if names := ", ".join(face_names(table)):
        return _("Type what the die shows, one of these: %(faces)s.") % {"faces": names}
    return ngettext(
        "%(dice)s: type one number from 1 to %(sides)s.",
        "%(dice)s: type %(count)s numbers from 1 to %(sides)s, one for each die.",
        bad.count,
    ) % {"dice": dice.upper(), "count": bad.count, "sides": bad.sides}
