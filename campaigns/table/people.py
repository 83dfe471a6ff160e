"""What everything at a table is called, in the reader's language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from django.utils.translation import gettext as _

from campaigns.table.storage import Person
from gangs.text.formats import localized, rank_name, shown_name
from rules.book.model import Book
from rules.book.vocabulary import named


@dataclass(frozen=True)
class Names:
    """The names at one table. ``figures`` by what taps call them, ``sides`` by number."""

    book: Book
    people: Mapping[str, Person]
    figures: Mapping[str, str]
    sides: Mapping[int, str]

    def who(self, who: str | int) -> str:
        """A figure or a side; its key if it is not at this table."""
        if isinstance(who, int):
            return self.sides.get(who, str(who))
        return self.figures.get(who, who)

    def rank(self, figure: str) -> str:
        """What a figure is, unless they are called that for want of a name."""
        person = self.people[figure]
        return rank_name(person.fighter.book, person.member) if person.member.name else ""

    def track(self, key: str) -> str:
        """Something that is counted: life, boxes, a purse."""
        row = self.book.characteristic.get(key)
        if row is not None:
            return localized(row.name)
        counted = {tick.key: tick.name for tick in self.book.ticks} | {
            track.key: track.name for track in self.book.tracks
        }
        return localized(counted.get(key, key))

    def track_sign(self, key: str) -> str:
        """The same as short as it gets."""
        row = self.book.characteristic.get(key)
        return localized(row.short) if row is not None else self.track(key)

    def state(self, key: str) -> str:
        """A state."""
        return localized(named(self.book.state, key))

    def mark(self, key: str) -> str:
        """How somebody has ended the game."""
        return localized(named(self.book.campaign.mark, key))

    def tally(self, key: str) -> str:
        """Something that is counted after the game."""
        return localized(named(self.book.campaign.tally, key))

    def alarm(self, key: str) -> str:
        """Something that falls due."""
        return localized(named(self.book.alarm, key))

    def phase(self, key: str) -> str:
        """A part of a turn."""
        return localized(named(self.book.phase, key))

    def action(self, key: str) -> str:
        """What somebody does when they act."""
        return localized(named(self.book.action, key))

    def result(self, key: str) -> str:
        """How the game has ended."""
        return localized(named(self.book.campaign.result, key))

    def roll(self, key: str) -> str:
        """A roll of the rules."""
        return localized(named(self.book.roll, key))

    def outcome(self, roll: str, key: str) -> str:
        """What came of a roll."""
        row = self.book.roll.get(roll)
        outcomes = row.outcomes if row is not None else ()
        return localized(next((one.name for one in outcomes if one.key == key), key))

    def item(self, figure: str | int | None, key: str) -> str:
        """A weapon or item; a gang's own ones by the names that it gave them."""
        person = self.people.get(figure) if isinstance(figure, str) else None
        return localized(named((person.fighter.book if person else self.book).item, key))


def names_of(book: Book, people: Mapping[str, Person], sides: Mapping[int, str]) -> Names:
    """The names at a table. Who bears the same name as somebody else of their side is told apart
    by a number."""
    plain = {key: shown_name(one.fighter.book, one.member) for key, one in people.items()}
    bearers = Counter((people[key].fighter.side, name) for key, name in plain.items())
    numbers: defaultdict[tuple[int, str], count[int]] = defaultdict(lambda: count(1))
    figures = {}
    for key, name in plain.items():
        bearer = people[key].fighter.side, name
        if bearers[bearer] > 1:
            values = {"name": name, "number": next(numbers[bearer])}
            name = _("%(name)s %(number)s") % values
        figures[key] = name
    return Names(book, people, figures, sides)
