"""A member's career: who they are, what they did in each game, and what became of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.language import language
from gangs.cards.render import render_member
from gangs.cards.values import Card
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import Step, in_force, steps
from gangs.engine.roster import Departed, Member, Roster
from gangs.engine.timeline import Line
from gangs.ledger.storage import stored_book
from gangs.ledger.timelines import lines
from gangs.models import Gang
from gangs.text.entries import Describer
from gangs.text.formats import fate_sentence, shown_name, spoken
from rules.book.model import Book


@dataclass
class Chapter:
    """What happened to them at once. ``game``: the reference of the game that brought it, ""
    between games; then ``number`` (counted by the gang), ``title``, ``outcome`` and ``side`` say
    which. ``deeds``: what they did in it; ``sentences``: what came of it.
    """

    at: datetime.datetime
    game: str = ""
    number: int = 0
    title: str = ""
    outcome: str = ""
    side: str = ""
    fielded: bool = False
    deeds: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Career:
    """A member and their whole life in the gang, in the reader's language.

    ``card``: as they are, or as they were when they left; ``fate``: what became of them, ""
    while they are there; ``worth``: the name and the unit of what they are worth,
    empty in a game without ratings.
    """

    member: Member
    name: str
    card: Card
    worth: tuple[str, str]
    fate: str
    gone_at: datetime.datetime | None
    chapters: tuple[Chapter, ...]

    @property
    def won(self) -> int:
        """How many of the games they took part in were won."""
        return sum(one.fielded and one.side == "winner" for one in self.chapters)


def career(gang: Gang, member: int) -> Career | None:
    """The career of a member of ``gang``, past or present; None if there never was one."""
    return _Reading(gang, member).career()


class _Reading:
    """Goes through the ledger once and picks out what concerns one member."""

    def __init__(self, gang: Gang, member: int) -> None:
        self.gang = gang
        self.member = member
        self.describer = Describer(gang.first_book, Roster(), stored_book)
        self.chapters: dict[str, Chapter] = {}
        self.gone_at: datetime.datetime | None = None
        self.last: tuple[Book, Roster] | None = None

    def career(self) -> Career | None:
        found = lines(self.gang, self.gang.entries.live())
        numbered = ((line.number, line.entry) for line in found)
        for line, step in zip(
            found, steps(self.gang.first_book, numbered, stored_book), strict=True
        ):
            self._turn(line, step)
        departed = self._departed(self.describer.roster)
        here = any(one.id == self.member for one in self.describer.roster.members)
        if self.last is None or not (here or departed):
            return None
        book, roster = self.last
        computed = ComputedGang.of(book, roster)
        member = departed.member if departed else roster.member(self.member)
        return Career(
            member=member,
            name=shown_name(book, member),
            card=render_member(computed, roster.member(self.member), language()),
            worth=(spoken(book.rating.name), spoken(book.rating.unit)) if book.rating else ("", ""),
            fate=fate_sentence(departed.fate, book) if departed else "",
            gone_at=self.gone_at,
            chapters=tuple(one for one in self.chapters.values() if one.deeds or one.sentences),
        )

    def _departed(self, roster: Roster) -> Departed | None:
        return next((gone for gone in roster.departed if gone.member.id == self.member), None)

    def _turn(self, line: Line, step: Step) -> None:
        number, entry, self.describer.book, self.describer.roster, after = step
        if isinstance(entry, kinds.Played):
            self._game(entry, line, after.games)
        elif self._concerns(number, entry) and (after.playing or number == self.member):
            self._chapter(line).sentences.append(self.describer.describe(entry))
        self.describer.roster = after
        if self._departed(after) and not self._departed(step.before):
            self.gone_at = line.at
        elif any(one.id == self.member for one in after.members):
            self.last = in_force(self.gang.first_book, after, stored_book), after

    def _chapter(self, line: Line) -> Chapter:
        return self.chapters.setdefault(line.batch, Chapter(line.at))

    def _concerns(self, number: int, entry: Entry) -> bool:
        return entry.in_career and self.member in (getattr(entry, "member", None), number)

    def _game(self, entry: kinds.Played, line: Line, number: int) -> None:
        if all(one.id != self.member for one in self.describer.roster.members):
            return
        chapter = self._chapter(line)
        chapter.game, chapter.number, chapter.title = entry.game, number, entry.title
        chapter.outcome = self.describer.outcome(entry)
        chapter.side = entry.side
        chapter.fielded = self.member in entry.fielded
        chapter.deeds += self._deeds(entry)

    def _deeds(self, entry: kinds.Played) -> Iterator[str]:
        if self.member not in entry.fielded:
            return
        marks = {row.key: row for row in self.describer.book.campaign.marks}
        count = entry.taken_out.get(self.member, 0)
        if count:
            yield ngettext(
                "Put %(count)s enemy out of action.", "Put %(count)s enemies out of action.", count
            ) % {"count": count}
        if self.member in entry.marks:
            mark = self.describer.row(marks, entry.marks[self.member])
            yield _("How the game ended for him: %(mark)s.") % {"mark": mark}
        elif not count:
            yield _("Took part.")
