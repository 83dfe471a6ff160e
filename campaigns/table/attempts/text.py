"""Dice of an attempt as a player types them, and its taps that are news."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.table.attempts.dice_lines import DiceLine, DiceWords
from campaigns.table.attempts.roll import Faces, FreeEnd
from campaigns.table.state import TableNow
from campaigns.table.taps import Acted, AnyTap, Dealt, Did, Ended, Followed, Rolled
from common.forms import numbers
from gangs.text.formats import localize
from rules.book.rolls import IN_BRACES, RollOutcome
from rules.engine.expressions import Names as Values
from rules.engine.playing import HandChoice, Missing, Played, Thrown, Undecided, Wanted
from rules.odds.explaining import Watch

# A page with the actions and the due entries does not list these again.
PLAIN = (Rolled, Did, Acted, Dealt, Followed)
# Dice with so few sides may be typed without spaces between them.
ONE_DIGIT = 9
# Characters of typed dice that are read.
LONGEST = 2000
# Characters of a wrong face that are shown again.
MOST_SHOWN = 20


@dataclass(frozen=True)
class DieBox:
    """A field for one die. ``value``: the face that a player typed; ``wrong``: why the die cannot
    show it, "" if it can; ``is_first``: the player types here first."""

    number: int
    value: str = ""
    wrong: str = ""
    is_first: bool = False


def describe_free_end(end: FreeEnd) -> str:
    """Return the name of an end without dice, and its reason with its numbers."""
    name, reason = localize(end.outcome.name), describe_outcome(end.outcome, end.names)
    return _("%(name)s: %(value)s") % {"name": name, "value": reason} if reason else name


def describe_outcome(outcome: RollOutcome, names: Values) -> str:
    """Return the text of an outcome, with the numbers that its steps bind; "" without one."""
    if outcome.text is None:
        return ""
    return IN_BRACES.sub(lambda found: str(names.get(found[1], 0)), localize(outcome.text))


@dataclass(frozen=True)
class KeptDice:
    """A hand of which ``most`` dice may be thrown again. ``dice``: the place and sign of each die,
    and whether it is ticked to be kept; ``too_few``: fewer were kept than must be."""

    dice: tuple[tuple[int, str, bool], ...]
    most: int
    too_few: bool = False


@dataclass(frozen=True)
class TypedDice:
    """Dice of the table, typed in throw by throw. ``lain``: the earlier throws, as the form keeps
    them; ``decided``: likewise the dice kept at earlier choices; ``lines``: the throws in words;
    ``wanted``: the next dice, with a box for each die; ``choice``: the dice to keep before these
    are thrown; ``sides``: those of the dice; ``longest``: the most characters of a face; ``wrong``:
    what is wrong with the number of faces."""

    lain: str = ""
    decided: str = ""
    lines: tuple[DiceLine, ...] = ()
    wanted: DiceLine | None = None
    choice: KeptDice | None = None
    boxes: tuple[DieBox, ...] = ()
    sides: int = 0
    longest: int = 1
    wrong: str = ""


def type_dice(
    data: QueryDict,
    words: DiceWords,
    play: Callable[[Faces, Faces, Watch], Played],
    *,
    all_shown: bool = True,
    again: bool = False,
) -> TypedDice | Played:
    """Return the result of the typed dice, or the dice to type or to choose next.

    ``play``: computes the result of all throws and choices, and lets the watch take notes;
    ``all_shown``: the form contains all throws of the roll, not only those that a spend adds;
    ``again``: show the last dice as they were typed, and do not take them.
    Raises BadFaces for throws and choices that the form did not write.
    """
    lain, decided = _read_faces(data, "lain"), _read_faces(data, "decided")
    typed = [text.strip()[:LONGEST] for text in data.getlist("dice")[:LONGEST]]

    def ask(watch: Watch, wanted: Wanted, found: TypedDice) -> TypedDice:
        there = zip(watch.throws, lain, strict=False) if all_shown else ()
        lines = words.lines(watch, [Thrown(reason.wanted, told) for reason, told in there])
        return replace(
            found,
            lain=_write(lain),
            decided=_write(decided),
            lines=tuple(lines),
            wanted=words.wanted(watch, wanted),
        )

    watch = Watch()
    try:
        return play(lain, decided, watch)
    except Missing as missing:
        faces, found = _read_dice(words, missing.wanted, typed)
        if faces is None:
            return ask(watch, missing.wanted, found)
        if again:
            return ask(watch, missing.wanted, _fill_boxes(words, missing.wanted, faces))
        lain = (*lain, faces)
    except Undecided as undecided:
        choice = undecided.choice
        if "choosing" not in data:
            return ask(watch, *_ask_choice(words, choice))
        places = numbers(data, "keep")
        kept = tuple(face for place, face in enumerate(choice.faces) if place in places)
        others = Wanted(choice.step, len(choice.faces) - len(kept), choice.sides, again=True)
        # There are boxes for all dice that may be thrown again.
        typed = [text for text in typed if text]
        faces, _boxes = _read_dice(words, others, typed)
        fits = faces is not None and choice.allows(kept)
        if again or not fits:
            wanted, found = _ask_choice(words, choice, places, typed)
            return ask(watch, wanted, replace(found, wrong="") if fits else found)
        assert faces is not None
        decided = (*decided, kept)
        lain = (*lain, faces) if faces else lain
    watch = Watch()
    try:
        return play(lain, decided, watch)
    except Missing as missing:
        return ask(watch, missing.wanted, _read_dice(words, missing.wanted, [])[1])
    except Undecided as undecided:
        return ask(watch, *_ask_choice(words, undecided.choice))


def _ask_choice(
    words: DiceWords,
    choice: HandChoice,
    places: Collection[int] | None = None,
    typed: list[str] | None = None,
) -> tuple[Wanted, TypedDice]:
    """Return a choice of dice to keep, with those at ``places`` ticked, or those that the
    application proposes; ``typed``: the faces that did not fit."""
    there = range(len(choice.faces))
    if places is None:
        left, places = Counter(choice.proposed), set()
        for place, face in enumerate(choice.faces):
            if left[face]:
                left[face] -= 1
                places.add(place)
    signs = words.show(choice.step, choice.faces)
    dice = tuple((place, signs[place], place in places) for place in there)
    too_few = sum(place not in places for place in there) > choice.most
    wanted = Wanted(choice.step, choice.most, choice.sides, True, rounds=choice.rounds)
    faces, boxes = _read_dice(words, wanted, typed or [])
    if faces is not None:
        boxes = _fill_boxes(words, wanted, faces)
    wrong = ""
    if typed is not None and not too_few:
        wrong = _("Type one result for each die that you do not keep.")
    return wanted, replace(boxes, choice=KeptDice(dice, choice.most, too_few), wrong=wrong)


def _fill_boxes(words: DiceWords, wanted: Wanted, faces: tuple[int, ...]) -> TypedDice:
    """Return the boxes for these dice with the faces that a player typed."""
    shown = [DieBox(place, sign) for place, sign in enumerate(words.show(wanted.step, faces), 1)]
    return replace(_read_dice(words, wanted, [])[1], boxes=tuple(shown))


def _read_dice(
    words: DiceWords, wanted: Wanted, typed: list[str]
) -> tuple[tuple[int, ...] | None, TypedDice]:
    """Read the faces that a player typed for these dice, in a box for each or all in one; None if
    the dice cannot show them. Also returns the boxes, with what is wrong in each."""
    signs = words.signs(wanted.step)
    if len(typed) == 1 and wanted.dice != 1:
        typed = re.findall(r"\w+", typed[0])
        if not signs and wanted.sides <= ONE_DIGIT:
            typed = [sign for word in typed for sign in word]
    faces = [_read_face(signs, text) for text in typed]
    good = [1 <= face <= wanted.sides for face in faces]
    if len(faces) == wanted.dice and all(good):
        return tuple(faces), TypedDice()
    some = any(typed)
    boxes = [
        DieBox(
            place, text[:MOST_SHOWN], _wrong_face(wanted, signs, text) if some and not fine else ""
        )
        for place, (text, fine) in enumerate(zip(typed, good, strict=True), start=1)
    ][: wanted.dice]
    boxes += [DieBox(place) for place in range(len(boxes) + 1, wanted.dice + 1)]
    first = next((place for place, box in enumerate(boxes) if box.wrong), 0)
    boxes[first] = replace(boxes[first], is_first=True)
    wrong = ""
    if some and len(typed) != wanted.dice:
        wrong = _("Not possible with %(dice)s.") % {"dice": words.kind(wanted)}
    longest = max(map(len, signs)) if signs else len(str(wanted.sides))
    return None, TypedDice(boxes=tuple(boxes), sides=wanted.sides, longest=longest, wrong=wrong)


def _read_face(signs: tuple[str, ...], text: str) -> int:
    """Read the face of a die, 0 if the text is none."""
    if not signs:
        return int(text) if text.isdecimal() else 0
    names = [sign.casefold() for sign in signs]
    return names.index(text.casefold()) + 1 if text.casefold() in names else 0


def _wrong_face(wanted: Wanted, signs: tuple[str, ...], text: str) -> str:
    values = {"typed": text[:MOST_SHOWN], "sides": wanted.sides, "signs": " · ".join(signs)}
    if not text:
        return _("Missing")
    if signs:
        return _("“%(typed)s” is none of its faces: %(signs)s") % values
    return _("A D%(sides)s cannot show “%(typed)s”: 1 to %(sides)s") % values


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
