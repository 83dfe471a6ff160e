"""Dice of an attempt in words and signs, and as a player types them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.roll import Faces, FreeEnd
from campaigns.table.state import TableNow
from campaigns.table.taps import Acted, AnyTap, Dealt, Did, Ended, Followed, Rolled
from gangs.text.formats import localize
from rules.book.rolls import IN_BRACES
from rules.engine.playing import HandChoice, Missing, Played, Thrown, Undecided, Wanted
from rules.odds.chances import Question, hands
from rules.odds.results import name_round

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
    names of all faces, if they are not numbers; ``round``: the name of their round in a loop;
    ``tied``: after a tie.
    """

    words: str
    faces: tuple[str, ...] = ()
    again: bool = False
    kept: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    round: str = ""
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


@dataclass(frozen=True)
class KeptDice:
    """A hand of which ``most`` dice may be thrown again. ``dice``: the place and sign of each die,
    and whether it is ticked to be kept; ``too_few``: fewer were kept than must be."""

    dice: tuple[tuple[int, str, bool], ...]
    most: int
    too_few: bool = False


def dice_lines(
    asked: Question, throws: Iterable[Thrown], *, names_rounds: bool = True
) -> list[DiceLine]:
    """Return the dice as they fell. ``names_rounds``: with the names of their rounds in loops."""
    lines = []
    for thrown in throws:
        line = describe_wanted(asked, thrown.wanted)
        path = line.round if names_rounds else ""
        lines.append(replace(line, faces=_shown(line.signs, thrown.faces), round=path))
    return lines


def describe_wanted(asked: Question, wanted: Wanted) -> DiceLine:
    """Return the dice to throw next."""
    signs = _signs(asked, wanted.step)
    words = _("%(dice)sD%(sides)s") % {"dice": wanted.dice, "sides": wanted.sides}
    kept, path = _shown(signs, wanted.kept), name_round(asked, wanted.rounds)
    return DiceLine(words, (), wanted.again, kept, signs, path, wanted.tied)


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
    them; ``decided``: likewise the dice kept at earlier choices; ``wanted``: the next dice;
    ``choice``: the dice to keep before these are thrown; ``wrong``: the dice cannot show the
    ``text`` that was typed last."""

    lain: str = ""
    decided: str = ""
    wanted: DiceLine | None = None
    choice: KeptDice | None = None
    wrong: bool = False
    text: str = ""


def type_dice(
    data: QueryDict, asked: Question, play: Callable[[Faces, Faces], Played]
) -> TypedDice | Played:
    """Return the result of the typed dice, or the dice to type or to choose next.

    ``play``: computes the result of all throws and choices. Raises BadFaces for those that the form
    did not write.
    """
    lain, decided = _read_faces(data, "lain"), _read_faces(data, "decided")
    typed = data.get("dice", "").strip()[:LONGEST]
    try:
        return play(lain, decided)
    except Missing as missing:
        faces = read_dice(asked, missing.wanted, typed)
        if faces is None:
            line = describe_wanted(asked, missing.wanted)
            return TypedDice(_write(lain), _write(decided), line, wrong=bool(typed), text=typed)
        lain = (*lain, faces)
    except Undecided as undecided:
        choice = undecided.choice
        if "choosing" not in data:
            return _ask_choice(asked, choice, lain, decided)
        places = {int(place) for place in data.getlist("keep") if place.isdecimal()}
        kept = tuple(face for place, face in enumerate(choice.faces) if place in places)
        dice = len(choice.faces) - len(kept)
        faces = read_dice(asked, Wanted(choice.step, dice, choice.sides), typed)
        if faces is None or not choice.allows(kept):
            again = _ask_choice(asked, choice, lain, decided, places, wrong=True)
            return replace(again, text=typed)
        decided = (*decided, kept)
        lain = (*lain, faces) if faces else lain
    try:
        return play(lain, decided)
    except Missing as missing:
        return TypedDice(_write(lain), _write(decided), describe_wanted(asked, missing.wanted))
    except Undecided as undecided:
        return _ask_choice(asked, undecided.choice, lain, decided)


def _ask_choice(
    asked: Question,
    choice: HandChoice,
    lain: Faces,
    decided: Faces,
    places: Collection[int] | None = None,
    *,
    wrong: bool = False,
) -> TypedDice:
    """Return a choice of dice to keep, with those at ``places`` ticked, or those that the
    application proposes."""
    there = range(len(choice.faces))
    if places is None:
        left, places = Counter(choice.proposed), set()
        for place, face in enumerate(choice.faces):
            if left[face]:
                left[face] -= 1
                places.add(place)
    signs = _shown(_signs(asked, choice.step), choice.faces)
    dice = tuple((place, signs[place], place in places) for place in there)
    too_few = sum(place not in places for place in there) > choice.most
    wanted = Wanted(choice.step, choice.most, choice.sides, True, rounds=choice.rounds)
    return TypedDice(
        _write(lain),
        _write(decided),
        describe_wanted(asked, wanted),
        KeptDice(dice, choice.most, too_few),
        wrong and not too_few,
    )


def _read_faces(data: QueryDict, name: str) -> Faces:
    """Read throws or choices, which the form keeps as "3 4;6", with "-" for no dice."""
    throws = [throw.split() for throw in data.get(name, "")[:LONGEST].split(";") if throw.strip()]
    throws = [[] if throw == ["-"] else throw for throw in throws]
    if not all(face.isascii() and face.isdecimal() for throw in throws for face in throw):
        return ()
    return tuple(tuple(int(face) for face in throw) for throw in throws)


def _write(faces: Faces) -> str:
    return ";".join(" ".join(map(str, throw)) or "-" for throw in faces)


def is_news(tap: AnyTap, before: TableNow) -> bool:
    """Whether a tap of an attempt changed the table as it was ``before``: rules may end states that
    a figure is not in."""
    if isinstance(tap, Ended) and tap.figure is not None and tap.item is None:
        there = before.figures.get(tap.figure)
        return there is not None and tap.state in there.states
    return not isinstance(tap, PLAIN)
