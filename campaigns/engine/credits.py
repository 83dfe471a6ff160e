"""Who put out whom: what follows from it for what is counted of members and gangs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from campaigns.engine.report import TAKEN_OUT, Credit, tallies
from gangs.engine.roster import Member, Roster
from rules.book.model import Book, Rules
from rules.book.season import Tally
from rules.engine.figure import picks


@dataclass(frozen=True)
class Losses:
    """One gang's part: how its members ended, and who put them out where that is known."""

    gang: str
    roster: Roster
    members: Sequence[Member]
    marks: Mapping[int, str]
    credits: Mapping[int, Credit]


@dataclass
class Deeds:
    """What follows for one gang: ``counts`` per tally and member, ``tallies`` of the gang."""

    counts: dict[str, Counter[int]] = field(default_factory=dict)
    tallies: Counter[str] = field(default_factory=Counter)


def deeds(rules: Rules, gangs: Sequence[Losses]) -> dict[str, Deeds]:
    """What every gang can count, by the gang: for its members from those they put out, and for
    itself from those whom any of them put out, or of two gangs simply the other's fallen.
    """
    found = {gang.gang: Deeds() for gang in gangs}
    sorts = find_counted_sorts(rules)
    of_gangs = [row for row in tallies(rules, "gang") if row.marks]
    for gang in gangs:
        others = [other.gang for other in gangs if other.gang != gang.gang]
        for member, mark, credit in _losses(gang):
            who = credit.gang if credit else others[0] if len(others) == 1 else ""
            if who not in others:
                continue
            for row in of_gangs:
                if _counts(rules.book, gang.roster, row, member, mark):
                    found[who].tallies[row.key] += 1
            if credit is None:
                continue
            for key, sort in sorts.items():
                if sort is None or _counts(rules.book, gang.roster, sort, member, mark):
                    found[who].counts.setdefault(key, Counter())[credit.member] += 1
    return found


def find_counted_sorts(rules: Rules) -> dict[str, Tally | None]:
    """What is counted of members who put enemies out: the sorts that the rulebook tells apart, or
    all of them as one."""
    rows = tallies(rules, "member")
    sorts: dict[str, Tally | None] = {row.key: row for row in rows if row.takes_out}
    if not sorts:
        sorts[TAKEN_OUT] = next((row for row in rows if row.key == TAKEN_OUT), None)
    return sorts


def _losses(gang: Losses) -> Iterator[tuple[Member, str, Credit | None]]:
    for member in gang.members:
        if mark := gang.marks.get(member.id):
            yield member, mark, gang.credits.get(member.id)


def _counts(book: Book, roster: Roster, row: Tally, member: Member, mark: str) -> bool:
    """Whether the tally counts this enemy, who ended so."""
    if row.marks and mark not in row.marks:
        return False
    return picks(book, row.of, roster.figure(book, member))
