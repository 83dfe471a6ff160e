"""Findings as lines of text; equal findings about several members share one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from gangs.engine.roster import Roster
from gangs.engine.validation import Finding
from rules.book.model import Book
from rules.book.vocabulary import Text

# A reward in words, unlike a breach: in lists, and on the member's card.
REWARD = Text(en="Spend {name}’s {left} points", fr="{name} : {left} points à dépenser")
REWARD_OF_ONE = Text(en="Spend {name}’s point", fr="{name} : 1 point à dépenser")
REWARD_ON_CARD = Text(en="{left} points to spend", fr="{left} points à dépenser")
REWARD_OF_ONE_ON_CARD = Text(en="1 point to spend", fr="1 point à dépenser")
# The severities of findings that are no breaches.
SHOWN_AS = {"unspent": "note", "reward": "good"}
# The beginning of a rulebook's sentence that first names its subject.
NAME_FIRST = re.compile(r"^\{name\}\s*:\s*")


@dataclass(frozen=True)
class Concerned:
    """Members of the same name whom a finding concerns: the first of them, and their ``count``."""

    member: int
    name: str
    count: int


@dataclass(frozen=True)
class FindingLine:
    """One finding as text.

    ``severity``: "error", "warning", "note", or "good" for a reward to use; ``member``: the only
    member whom it concerns; ``also``: others with an equal finding; ``together``: all members, if
    the finding concerns several; ``in_checklist``: the checklist of a new gang includes it;
    ``on_card``: the member's own card shows it.
    """

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
        """Identifies the finding on its page."""
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
    """One finding in ``language``; ``playing``: the gang is no longer new. ``on_card``: without the
    member's name at the start of the sentence, since their card shows it above."""
    member = finding.members[0] if len(finding.members) == 1 else None
    values = {key: _value(value, language) for key, value in finding.values.items()}
    sentence = _sentence(finding, on_card=on_card).translated(language)
    text = (NAME_FIRST.sub("", sentence) if on_card else sentence).format_map(values)
    if on_card:
        text = text[:1].upper() + text[1:]
    listed = finding.missing and not playing
    return FindingLine(
        finding.code,
        SHOWN_AS.get(finding.sort, finding.severity),
        text,
        member,
        also,
        together,
        listed,
        finding.own is not None,
    )


def _sentence(finding: Finding, *, on_card: bool) -> Text:
    if finding.sort != "reward":
        return finding.text
    if finding.values["left"] == 1:
        return REWARD_OF_ONE_ON_CARD if on_card else REWARD_OF_ONE
    return REWARD_ON_CARD if on_card else REWARD


def lines(
    found: Iterable[Finding], book: Book, roster: Roster, language: str
) -> tuple[FindingLine, ...]:
    """All findings in order; those that differ only in the member share one line."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(found):
        alone = "name" not in finding.values or len(finding.members) != 1
        alone = alone or finding.sort == "reward"
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
    """A value for a sentence, with fractions in the format of the language."""
    if isinstance(value, Text):
        return value.translated(language)
    if isinstance(value, float) and language.startswith("fr"):
        return str(value).replace(".", ",")
    return value
