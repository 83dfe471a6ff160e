"""Findings as lines: each in words, and those that say the same of several members as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from gangs.engine.roster import Roster
from gangs.engine.validation import Finding
from rules.book.model import Book
from rules.book.vocabulary import Text

# How a sentence of a rulebook begins that says first whom it is about.
NAME_FIRST = re.compile(r"^\{name\}\s*:\s*")


@dataclass(frozen=True)
class Concerned:
    """Those whom a finding concerns, by one name: how many, and the first of them."""

    member: int
    name: str
    count: int


@dataclass(frozen=True)
class FindingLine:
    """One finding in words, with the member that it is about, and those of whom it is true, too; or
    with ``together``, the several that it is about. ``in_checklist``: it is in the checklist of a
    gang that has not played yet; ``on_card``: it stands on the member's own card."""

    code: str
    severity: str
    text: str
    member: int | None
    also: tuple[Concerned, ...] = ()
    together: tuple[Concerned, ...] = ()
    in_checklist: bool = False
    on_card: bool = False

    @property
    def key(self) -> str:
        """What tells it from other findings of a page."""
        return f"{self.code}-{self.member or 0}-{crc32(self.text.encode()):x}"


def line(
    finding: Finding,
    language: str,
    also: tuple[Concerned, ...] = (),
    together: tuple[Concerned, ...] = (),
    *,
    playing: bool = True,
    on_card: bool = False,
) -> FindingLine:
    """One finding in ``language``, of a gang that is ``playing`` or new. ``on_card``: as it stands
    below the member's own name, which is not said again where the sentence only begins with it."""
    member = finding.members[0] if len(finding.members) == 1 else None
    values = {key: _value(value, language) for key, value in finding.values.items()}
    sentence = finding.text.translated(language)
    text = (NAME_FIRST.sub("", sentence) if on_card else sentence).format_map(values)
    if on_card:
        text = text[:1].upper() + text[1:]
    listed = finding.missing and not playing
    return FindingLine(
        finding.code,
        finding.severity,
        text,
        member,
        also,
        together,
        listed,
        finding.own is not None,
    )


def lines(
    found: Iterable[Finding], book: Book, roster: Roster, language: str
) -> tuple[FindingLine, ...]:
    """All findings in order; what differs only in whom it concerns is said once."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(found):
        alone = "name" not in finding.values or len(finding.members) != 1
        values = sorted((key, str(value)) for key, value in finding.values.items() if key != "name")
        same = (number,) if alone else (finding.code, finding.severity, finding.text, *values)
        groups.setdefault(same, []).append(finding)

    def concerned(members: Iterable[int]) -> tuple[Concerned, ...]:
        names: dict[str, list[int]] = {}
        for number in members:
            name = str(_value(roster.member(number).name_or_rank(book), language))
            names.setdefault(name, []).append(number)
        return tuple(Concerned(ids[0], name, len(ids)) for name, ids in names.items())

    return tuple(
        line(
            first,
            language,
            concerned(other.members[0] for other in others),
            concerned(first.members if len(first.members) > 1 else ()),
            playing=roster.playing,
        )
        for first, *others in groups.values()
    )


def _value(value: int | float | str | Text, language: str) -> int | float | str:
    """A value of a sentence: halves as the reader writes them."""
    if isinstance(value, Text):
        return value.translated(language)
    if isinstance(value, float) and language.startswith("fr"):
        return str(value).replace(".", ",")
    return value
