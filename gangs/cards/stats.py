"""A member's characteristics as plain values: the text to show, the text to read out, the boxes to
tick."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby

from common.wording.sentences import words_of
from gangs.engine.roster import Member
from rules.book.characteristics import Boxes, TwoNumbers, Value, show_value
from rules.book.schema import Characteristic
from rules.engine.profiles import Score


@dataclass(frozen=True)
class Stat:
    """One characteristic of a member.

    ``why``: the derivation of the value, "" if nothing changed it; ``parts``: the meaning of a
    value of several numbers, in words; ``boxes``: of a track, whether each of its boxes is marked.
    ``natural``: the value that points are spread on, between ``least`` and ``most``; all 0 if the
    game does not spread points on it.
    """

    key: str
    short: str
    name: str
    value: str
    why: str
    parts: str
    boxes: tuple[bool, ...]
    bought_with_points: bool
    natural: int = 0
    least: int = 0
    most: int = 0


def stat(score: Score, member: Member, language: str) -> Stat:
    """Render one characteristic in ``language``."""
    row = score.characteristic
    drawn = Stat(
        key=row.key,
        short=row.short.translated(language),
        name=row.name.translated(language),
        value=value_text(row, score.value, language),
        why=_why(score, language),
        parts=_parts(score, language),
        boxes=boxes(score) if row.kind == "track" else (),
        bought_with_points=row.kind == "number" and row.bought_with_points,
    )
    natural = score.natural
    if row.kind != "number" or not row.bought_with_points or not isinstance(natural, int):
        return drawn
    least = natural - member.points.get(row.key, 0)
    return replace(drawn, natural=natural, least=least, most=natural + max(0, score.room_to_rise))


def boxes(score: Score) -> tuple[bool, ...]:
    """The boxes that players tick off in a game: whether each is marked."""
    row, value = score.characteristic, score.value
    if row.kind == "track" and isinstance(value, Boxes):
        marked = {box.letter for box in row.boxes if box.marked}
        return tuple(letter in marked for letter in value.letters)
    return (False,) * (value if isinstance(value, int) else 0)


def value_text(row: Characteristic, value: Value, language: str) -> str:
    """The value in short form; for a track the lengths of its runs of equal boxes, "3+2"."""
    if isinstance(value, Boxes):
        return "+".join(str(len(list(run))) for _letter, run in groupby(value.letters))
    return show_value(row, value, language)


def _parts(score: Score, language: str) -> str:
    row, value = score.characteristic, score.value
    if row.kind == "pair" and isinstance(value, TwoNumbers):
        first, second = (part.translated(language) for part in row.parts)
        return f"{first} {value.first}, {second} {value.second}"
    if row.kind == "track" and isinstance(value, Boxes):
        counts = Counter(value.letters)
        named = [(counts[box.letter], box.name.translated(language)) for box in row.boxes]
        return ", ".join(f"{count} × {name}" for count, name in named if count)
    return ""


def _why(score: Score, language: str) -> str:
    if not score.changes:
        return ""
    steps = [value_text(score.characteristic, score.base, language)]
    for change in score.changes:
        # Another word is no amount.
        amount = "" if score.characteristic.kind == "word" else f"{change.amount:+d} "
        steps.append(f"{amount}{words_of(change.cause, language)}")
    return ", ".join(steps)
