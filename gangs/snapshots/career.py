"""A member's career: who he is, what he did in each game, and what became of him."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gangs import entries as kinds
from gangs.between_words import fate_sentence
from gangs.cards import Card
from gangs.drawing import draw_member
from gangs.entries import Entry
from gangs.fold import apply, in_force
from gangs.models import Gang
from gangs.roster import Departed, Member, Roster
from gangs.scene import Scene
from gangs.stored import read, stored_book
from gangs.stories import dated
from gangs.telling import Teller
from gangs.wording import language, shown_name, spoken
from rules.book import Book

# What is done at a desk, not in a life.
QUIET = ("noted", "reordered", "points", "squad")


@dataclass
class Chapter:
    """What happened to him at once. ``game``: the reference of the game that brought it, "" between
    games; then ``number`` (counted by the gang), ``title``, ``outcome`` and ``side`` say which.
    ``deeds``: what he did in it; ``sentences``: what came of it.
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
    """A member and his whole life in the gang, in the reader's language.

    ``card``: as he is, or as he was when he left; ``fate``: what became of him, "" while he is
    there; ``worth``: the name and the unit of what he is worth, empty in a game without ratings.
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
        """How many of the games he took part in were won."""
        return sum(one.fielded and one.side == "winner" for one in self.chapters)


def career(gang: Gang, member: int) -> Career | None:
    """The career of a member of ``gang``, past or present; None if there never was one."""
    return _Reading(gang, member).career()


class _Reading:
    """Goes through the ledger once and picks out what concerns one member."""

    def __init__(self, gang: Gang, member: int) -> None:
        self.gang = gang
        self.member = member
        self.teller = Teller(gang.first_book, Roster(), stored_book)
        self.chapters: dict[uuid.UUID, Chapter] = {}
        self.gone_at: datetime.datetime | None = None
        self.last: tuple[Book, Roster] | None = None

    def career(self) -> Career | None:
        for row, at, batch in dated(self.gang, list(self.gang.entries.live())):
            self._turn(row.number, read(row), at, batch)
        departed = self._departed(self.teller.roster)
        here = any(one.id == self.member for one in self.teller.roster.members)
        if self.last is None or not (here or departed):
            return None
        book, roster = self.last
        scene = Scene.of(book, roster)
        member = departed.member if departed else roster.member(self.member)
        return Career(
            member=member,
            name=shown_name(book, member),
            card=draw_member(scene, roster.member(self.member), language()),
            worth=(spoken(book.rating.name), spoken(book.rating.unit)) if book.rating else ("", ""),
            fate=fate_sentence(departed.fate, book) if departed else "",
            gone_at=self.gone_at,
            chapters=tuple(one for one in self.chapters.values() if one.deeds or one.sentences),
        )

    def _departed(self, roster: Roster) -> Departed | None:
        return next((gone for gone in roster.departed if gone.member.id == self.member), None)

    def _turn(self, number: int, entry: Entry, at: datetime.datetime, batch: uuid.UUID) -> None:
        before = self.teller.roster
        book = in_force(self.gang.first_book, before, stored_book)
        self.teller.book = book
        after = apply(book, before, number, entry, stored_book)
        if isinstance(entry, kinds.Played):
            self._game(entry, at, batch, after.games)
        elif self._concerns(number, entry) and (after.playing or number == self.member):
            self._chapter(at, batch).sentences.append(self.teller.tell(entry))
        self.teller.roster = after
        if self._departed(after) and not self._departed(before):
            self.gone_at = at
        elif any(one.id == self.member for one in after.members):
            self.last = in_force(self.gang.first_book, after, stored_book), after

    def _chapter(self, at: datetime.datetime, batch: uuid.UUID) -> Chapter:
        return self.chapters.setdefault(batch, Chapter(at))

    def _concerns(self, number: int, entry: Entry) -> bool:
        if entry.kind in QUIET or isinstance(entry, kinds.Hired):
            return False
        return self.member in (getattr(entry, "member", None), number)

    def _game(
        self, entry: kinds.Played, at: datetime.datetime, batch: uuid.UUID, number: int
    ) -> None:
        if all(one.id != self.member for one in self.teller.roster.members):
            return
        chapter = self._chapter(at, batch)
        chapter.game, chapter.number, chapter.title = entry.game, number, entry.title
        chapter.outcome = self.teller.outcome(entry)
        chapter.side = entry.side
        chapter.fielded = self.member in entry.fielded
        chapter.deeds += self._deeds(entry)

    def _deeds(self, entry: kinds.Played) -> Iterator[str]:
        if self.member not in entry.fielded:
            return
        marks = {row.key: row for row in self.teller.book.campaign.marks}
        count = entry.taken_out.get(self.member, 0)
        if count:
            yield ngettext(
                "Put %(count)s enemy out of action.", "Put %(count)s enemies out of action.", count
            ) % {"count": count}
        if self.member in entry.marks:
            mark = self.teller.row(marks, entry.marks[self.member])
            yield _("How the game ended for him: %(mark)s.") % {"mark": mark}
        elif not count:
            yield _("Took part.")
