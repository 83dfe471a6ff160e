"""A member's career: who they are, what they did in each game, and what became of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.language import rules_language
from gangs.cards.render import render_member
from gangs.cards.values import Card
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.fold import Step, book_now, steps
from gangs.engine.roster import Member, Roster
from gangs.ledger.storage import stored_book
from gangs.ledger.timelines import lines
from gangs.models import Gang
from gangs.text.entries import Describer
from gangs.text.formats import fate_sentence, localize, shown_name
from rules.book.model import Book


@dataclass
class Chapter:
    """The events of one batch in a career. ``game``: the reference of the game that brought them,
    "" between games; ``number`` (counted by the gang), ``title``, ``outcome`` and ``side`` describe
    that game. ``deeds``: what the member did in it; ``sentences``: the effects on them.
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

    ``card``: their card now, or when they left; ``fate``: how they left, "" while they are in the
    gang; ``worth``: the name and unit of ratings, empty in a game without them.
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
        """The number of games that they took part in and their gang won."""
        return sum(chapter.fielded and chapter.side == "winner" for chapter in self.chapters)


def career(gang: Gang, member: int) -> Career | None:
    """The career of a present or former member of ``gang``; None if there never was such a member.

    Goes through the ledger once and picks out the entries about them.
    """
    describer = Describer(gang.first_book, Roster(), stored_book)
    chapters: dict[str, Chapter] = {}
    last: tuple[Book, Roster] | None = None
    gone_at: datetime.datetime | None = None
    found = lines(gang, gang.entries.live())
    numbered = ((line.number, line.entry) for line in found)
    for line, step in zip(found, steps(gang.first_book, numbered, stored_book), strict=True):
        describer.book, describer.roster = step.book, step.before
        was_there = _is_in(step.before, member)
        if _concerns(step, member):
            chapter = chapters.setdefault(line.batch, Chapter(line.at))
            if isinstance(step.entry, kinds.Played):
                _tell_game(chapter, step.entry, step.after.games, member, describer)
            else:
                chapter.sentences.append(describer.describe(step.entry))
        describer.roster = step.after
        if _is_in(step.after, member):
            last = book_now(gang.first_book, step.after, stored_book), step.after
        elif was_there:
            gone_at = line.at
    end = describer.roster
    departed = next((gone for gone in end.departed if gone.member.id == member), None)
    if last is None or not (departed or _is_in(end, member)):
        return None
    book, roster = last
    subject = departed.member if departed else roster.member(member)
    return Career(
        member=subject,
        name=shown_name(book, subject),
        card=render_member(ComputedGang.of(book, roster), roster.member(member), rules_language()),
        worth=(localize(book.rating.name), localize(book.rating.unit)) if book.rating else ("", ""),
        fate=fate_sentence(departed.fate, book) if departed else "",
        gone_at=gone_at,
        chapters=tuple(row for row in chapters.values() if row.deeds or row.sentences),
    )


def _is_in(roster: Roster, member: int) -> bool:
    return any(other.id == member for other in roster.members)


def _concerns(step: Step, member: int) -> bool:
    """Whether an entry belongs to the career of a member: their arrival, the games played while
    they were in the gang, and, from the first game on, everything that happened to them."""
    if isinstance(step.entry, kinds.Played):
        return _is_in(step.before, member)
    theirs = member in (getattr(step.entry, "member", None), step.number)
    return step.entry.in_career and theirs and (step.after.playing or step.number == member)


def _tell_game(
    chapter: Chapter, entry: kinds.Played, number: int, member: int, describer: Describer
) -> None:
    chapter.game, chapter.number, chapter.title = entry.game, number, entry.title
    chapter.outcome = describer.outcome(entry)
    chapter.side = entry.side
    chapter.fielded = member in entry.fielded
    if chapter.fielded:
        chapter.deeds += _deeds(entry, member, describer)


def _deeds(entry: kinds.Played, member: int, describer: Describer) -> Iterator[str]:
    marks = {row.key: row for row in describer.book.campaign.marks}
    count = entry.taken_out.get(member, 0)
    if count:
        yield ngettext(
            "Took %(count)s enemy out of action.", "Took %(count)s enemies out of action.", count
        ) % {"count": count}
    if member in entry.marks:
        mark = describer.row(marks, entry.marks[member])
        yield _("How the game ended for them: %(mark)s.") % {"mark": mark}
    elif not count:
        yield _("Took part.")
