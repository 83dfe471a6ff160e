"""The news of a post-game: who died or left the gang, who was hurt, and who rose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from campaigns.models import Side
from gangs.engine.timeline import Event
from gangs.ledger.timelines import load_timelines
from gangs.text.formats import fate_name, localize, shown_name
from rules.book.model import Book
from rules.book.vocabulary import name_of

# In the order of their weight.
type Sort = Literal["gone", "hurt", "rose"]
SORTS: tuple[Sort, ...] = ("gone", "hurt", "rose")


@dataclass(frozen=True)
class News:
    """The news of one member. ``words``: a phrase after their ``name``; ``is_dead``: they are
    dead."""

    sort: Sort
    member: int
    name: str
    words: str
    is_dead: bool


def find_news(side: Side, sides: Sequence[Side]) -> list[News]:
    """The news of a side's post-game, the gravest first; one line for a member and a sort.

    ``sides``: all of the game, with their gangs, who may have the member that did it. One query.
    """
    if side.gang is None:
        return []
    book, gang = side.gang.book, load_timelines([side.gang])[side.gang.pk]
    events = [event for event in gang.events if event.game == str(side.game_id)]
    found: dict[tuple[Sort, int], list[str]] = {}
    for event in events:
        for sort, words in _tell(book, event):
            found.setdefault((sort, event.member), []).append(words)
    names = {event.member: _name(book, event) for event in events}
    dead = {event.member for event in events if event.kind == "died"}
    return [
        News(
            sort=sort,
            member=member,
            name=names[member],
            words=", ".join(_with_cause(told, side, sides, member, by_hand=sort != "rose")),
            is_dead=sort == "gone" and member in dead,
        )
        for (sort, member), told in sorted(found.items(), key=lambda row: SORTS.index(row[0][0]))
    ]


def _tell(book: Book, event: Event) -> Iterator[tuple[Sort, str]]:
    """Yield the phrase of an event, if it is news."""
    match event.kind:
        case "died" | "dismissed" | "left":
            fate = {"died": "dead"}.get(event.kind, event.key or "dismissed")
            yield "gone", fate_name(fate, book)
        case "suffered":
            yield "hurt", localize(name_of(book.condition, event.key))
        case "promoted":
            yield "rose", localize(name_of(book.rank, event.key))
        case "advance" | "gained":
            yield "rose", localize(name_of(book.trait, event.key))
        case "rose":
            name = localize(name_of(book.characteristic, event.key))
            words = f"{name} {event.amount:+}".replace("-", "\N{MINUS SIGN}")
            # A characteristic that falls for good is a wound.
            yield "rose" if event.amount > 0 else "hurt", words


def _name(book: Book, event: Event) -> str:
    return event.name or localize(name_of(book.rank, event.rank))


def _with_cause(
    told: Iterable[str], side: Side, sides: Sequence[Side], member: int, *, by_hand: bool
) -> Iterator[str]:
    """Yield the phrases, and by whose hand the member fell, if the report says so."""
    yield from told
    credit = side.parsed_report.credits.get(member) if by_hand else None
    for other in sides:
        if credit is not None and other.gang is not None and str(other.gang_id) == credit.gang:
            for enemy in other.gang.roster.everyone():
                if enemy.id == credit.member:
                    names = {"name": shown_name(other.gang.book, enemy), "gang": other.name}
                    yield _("by the hand of %(name)s (%(gang)s)") % names
