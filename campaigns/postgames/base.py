"""What a post-game is played on: the gang as it stands or, if the post-game was in its history once
before, as it stood then, so that it takes its own place again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from campaigns.engine.script_state import Playthrough
from campaigns.models import Side
from common.errors import Refusal
from gangs.engine.fold import book_now
from gangs.engine.roster import Roster
from gangs.ledger.revision import Insertion
from gangs.ledger.storage import roster_before, stored_book
from gangs.models import Gang, StoredEntry
from rules.book.model import Book


@dataclass(frozen=True)
class PostgameBase:
    """What a post-game is played on.

    ``place``: where its entries go in the gang's history, None for the end; ``numbers``: what the
    recruits of an earlier play were known by, in order; ``standing``: the entries, by ``seq``, that
    make room for the new ones.
    """

    gang: Gang
    book: Book
    roster: Roster
    place: int | None = None
    numbers: tuple[int, ...] = ()
    standing: tuple[int, ...] = ()

    def insertions(self, playthrough: Playthrough) -> list[Insertion]:
        """The entries of a play, as they go into the place of the earlier one. A recruit keeps the
        number that they were known by before."""
        assert self.place is not None
        known = set(self.numbers)
        return [
            Insertion(self.place, played.entry, played.number if played.number in known else None)
            for played in playthrough.played
        ]


def gang_of(side: Side) -> Gang:
    """The side's gang. Raises Refusal if it was deleted."""
    if side.gang is None:
        raise Refusal("gone")
    return side.gang


def base_of(side: Side) -> PostgameBase:
    """What the side's post-game is played on now."""
    gang = gang_of(side)
    rows = [] if side.batch is None else list(gang.entries.filter(batch=side.batch).order_by("seq"))
    if not rows:
        return PostgameBase(gang, gang.book, gang.roster)
    place = min(row.place for row in rows)
    roster = roster_before(gang, place)
    return PostgameBase(
        gang=gang,
        book=book_now(gang.first_book, roster, stored_book),
        roster=roster,
        place=place,
        numbers=_numbers(gang, rows),
        standing=tuple(row.seq for row in rows if row.struck_id is None),
    )


def _numbers(gang: Gang, rows: Sequence[StoredEntry]) -> tuple[int, ...]:
    """What the recruits of all plays so far were known by: the first of each play by the same
    number, and so on. Those that something else bears by now are left out."""
    numbers = dict.fromkeys(row.number for row in rows if row.kind == "recruited")
    taken = gang.entries.live().filter(number__in=numbers).exclude(batch=rows[0].batch)
    borne = set(taken.values_list("number", flat=True)) if numbers else set()
    return tuple(number for number in numbers if number not in borne)
