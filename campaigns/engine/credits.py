"""Credits for members put out of action, and the counts of members and gangs that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from campaigns.engine.report import TAKEN_OUT, Credit, tallies
from gangs.engine.roster import Member, Roster
from rules.book.model import Book, Rules
from rules.book.season import Tally
from rules.engine.figure import picks


@dataclass(frozen=True)
class Losses:
    """One gang's losses: how its members ended, and who put them out if that is known."""

    gang: str
    roster: Roster
    members: Sequence[Member]
    marks: Mapping[int, str]
    credits: Mapping[int, Credit]


@dataclass
class Deeds:
    """One gang's credits: ``counts`` by tally, then by member, and the gang's own ``tallies``."""

    counts: dict[str, Counter[int]] = field(default_factory=dict)
    tallies: Counter[str] = field(default_factory=Counter)


def deeds(rules: Rules, gangs: Sequence[Losses]) -> dict[str, Deeds]:
    """Credit every gang, by gang key, with the enemies that it put out.

    A member counts the enemies that they put out themselves. A gang counts those of all its
    members; if only two gangs play, it counts all of the other's losses. Gangs that play together,
    against the book, have no credit for each other's losses.
    """
    found = {gang.gang: Deeds() for gang in gangs}
    if rules.book.who_plays.is_together:
        return found
    sorts = find_counted_sorts(rules)
    of_gangs = [row for row in tallies(rules, "gang") if row.marks]
    for gang in gangs:
        others = [other.gang for other in gangs if other.gang != gang.gang]
        for member in gang.members:
            mark, credit = gang.marks.get(member.id, ""), gang.credits.get(member.id)
            who = credit.gang if credit else others[0] if len(others) == 1 else ""
            if not mark or who not in others:
                continue
            for row in of_gangs:
                if _counts(rules.book, gang.roster, row, member, mark):
                    found[who].tallies[row.key] += 1
            # Nobody took out a member who stands.
            if credit is None or (mark in rules.mark and rules.mark[mark].stands):
                continue
            for key, sort in sorts.items():
                if sort is None or _counts(rules.book, gang.roster, sort, member, mark):
                    found[who].counts.setdefault(key, Counter())[credit.member] += 1
    return found


def find_counted_sorts(rules: Rules) -> dict[str, Tally | None]:
    """The tallies of enemies that a member put out: one for each sort that the rulebook
    distinguishes, or one for all enemies (None: the rulebook rewards none)."""
    rows = tallies(rules, "member")
    sorts: dict[str, Tally | None] = {row.key: row for row in rows if row.takes_out}
    if not sorts:
        sorts[TAKEN_OUT] = next((row for row in rows if row.key == TAKEN_OUT), None)
    return sorts


def _counts(book: Book, roster: Roster, row: Tally, member: Member, mark: str) -> bool:
    """Whether the tally counts this enemy, who ended the game with ``mark``."""
    return (not row.marks or mark in row.marks) and picks(book, row.of, roster.figure(book, member))
