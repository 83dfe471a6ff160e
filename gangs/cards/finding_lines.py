"""Findings as lines of text; equal findings about several members share one line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from common.wording.sentences import ngettext, say, words_of
from gangs.engine.roster import Roster
from gangs.engine.validation import Finding
from rules.book.model import Book

# A reward in words, unlike a breach: in lists, and on the member's card.
REWARD = ngettext("Spend %(name)s’s point", "Spend %(name)s’s %(count)s points")
REWARD_ON_CARD = ngettext("%(count)s point to spend", "%(count)s points to spend")
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
    text = _text(finding, language, on_card=on_card)
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


def _text(finding: Finding, language: str, *, on_card: bool) -> str:
    values = {key: words_of(value, language) for key, value in finding.values.items()}
    if finding.sort == "reward":
        message = REWARD_ON_CARD if on_card else REWARD
        reward = say(message, name=values.get("name", ""), count=finding.values["left"])
        return reward.translated(language)
    sentence = finding.text.translated(language)
    return (NAME_FIRST.sub("", sentence) if on_card else sentence).format_map(values)


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
            name = words_of(roster.member(number).name_or_rank(book), language)
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
