"""A table as one reader sees it: the base of its pages and of the news for phones.

Each button of a page contains the taps that it sends, so one form serves all of them and the script
needs none of the page's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from accounts.models import User
from campaigns.models import Table, TableSide
from campaigns.table.access import TableSeat
from campaigns.table.fold import Folded
from campaigns.table.folded import fold_table
from campaigns.table.people import (
    NAMED,
    Names,
    Person,
    is_left_out,
    name_everybody,
    people_of,
    run_nonplayers,
)
from campaigns.table.state import FigureStart, Start, TableNow
from campaigns.table.taps import NONPLAYERS, TAPS_LIST, AnyTap, Logged, Struck, TapKey, strike_tap
from gangs.pictures.storage import SMALL, name_of
from gangs.templatetags.pictures import address
from rules.book.model import Book, Rules
from rules.book.vocabulary import Settings


@dataclass(frozen=True)
class Button:
    """A button of the page. ``taps``: the taps that it sends, as JSON."""

    words: str
    taps: str

    @classmethod
    def of(cls, words: str, *taps: AnyTap) -> Button:
        """Return the button that sends these taps."""
        return cls(
            words, TAPS_LIST.dump_json(taps, exclude_defaults=False, exclude_none=True).decode()
        )


@dataclass(frozen=True)
class Board:
    """A table with its folded log and its names. ``mine``: the sides that the reader plays;
    ``left_out``: a part of the stored table cannot be read; ``portraits``: by figure, the addresses
    of the portraits that the reader may see; ``runners``: the sides whose players run the
    scenario's non-players, empty if the players agree on it."""

    seat: TableSeat
    folded: Folded
    names: Names
    mine: frozenset[int]
    left_out: bool = False
    portraits: Mapping[str, str] = field(default_factory=dict)
    runners: frozenset[int] = frozenset()

    @property
    def start(self) -> Start:
        """The table before the first tap."""
        return self.folded.start

    @property
    def log(self) -> Sequence[Logged]:
        """The taps in the order of arrival."""
        return self.folded.log

    @property
    def now(self) -> TableNow:
        """The current state of the table."""
        return self.folded.now

    @property
    def table(self) -> Table:
        """The table."""
        return self.seat.table

    @property
    def book(self) -> Book:
        """The version of the rulebook at the table."""
        return self.start.book

    @property
    def rules(self) -> Rules:
        """The rules in force at the table."""
        return self.start.rules

    @property
    def settings(self) -> Settings:
        """The options in force at the table."""
        return self.start.settings

    @property
    def numbers(self) -> list[int]:
        """The sides, the reader's own first, then non-players that the reader runs."""
        return sorted(self.names.sides, key=lambda number: (number not in self.mine, number))

    @property
    def gangs(self) -> list[int]:
        """The sides of gangs, the reader's own first."""
        return [number for number in self.numbers if number != NONPLAYERS]

    def strike(self, key: TapKey) -> Struck:
        """Return the tap that strikes another one, as a page may show it."""
        return strike_tap(self.table.pk, key)

    @cached_property
    def figures(self) -> Mapping[str, FigureStart]:
        """The figures before the first tap, by key."""
        return {figure.key: figure for figure in self.start.figures}


def load(seat: TableSeat) -> Board:
    """Load the table for a reader. At most two queries, three with non-players, more for the first
    time in a process."""
    table = seat.table
    found = fold_table(table)
    rows = list(
        TableSide.objects.filter(table=table.pk)
        .select_related("gang__owner")
        .only(*NAMED, "gang__guest", "gang__pictures")
    )
    # An opponent may have taken their place a moment ago.
    there = [row for row in rows if row.number in found.start.sides]
    owned = [row for row in rows if row.gang and seat.owns(row.gang.owner_id, row.gang.guest_id)]
    people = people_of(table)
    mine, runners = {row.number for row in owned}, frozenset[int]()
    if NONPLAYERS in found.start.sides:
        runners = run_nonplayers(table, {row.number: row for row in rows})
        if found.now.runner is not None:
            runners = frozenset({found.now.runner})
        # Against the book, all players run them until one says so.
        everybody = runners or (mine if found.start.book.who_plays.is_together else runners)
        mine |= {NONPLAYERS} if mine & everybody else set()
    return Board(
        seat=seat,
        folded=found,
        names=name_everybody(found.start.book, people, there),
        mine=frozenset(mine),
        runners=runners,
        # People who see a campaign see its gangs; without a campaign they see only their own.
        portraits=_portraits(people, rows if table.game is not None else owned),
        left_out=is_left_out(table, found.log),
    )


def _portraits(people: Mapping[str, Person], sides: Iterable[TableSide]) -> dict[str, str]:
    """Return the addresses of the portraits of members who play for these sides' own gangs."""
    gangs = {row.number: row.gang for row in sides if row.gang is not None}
    found = {}
    for key, person in people.items():
        fighter = person.fighter
        gang = gangs.get(fighter.side)
        if gang is not None and str(gang.pk) == fighter.gang:
            picture = name_of(gang, fighter.member)
            if picture:
                found[key] = address(gang, picture, SMALL)
    return found


def actors(keys: Iterable[int | None]) -> dict[int, str]:
    """Return the names of the users with these keys. At most one query."""
    known = {key for key in keys if key is not None}
    if not known:
        return {}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=known)}
