"""Records of a campaign: who met whom, whom to fear, who died, and who will be remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from campaigns.chronicle import called, hand, happened, honours, named, shown
from campaigns.past import Past, PastGame, PastGang
from campaigns.situation import TAKEN_OUT, SideKind
from gangs.story import Happening
from rules.book import Book
from rules.vocabulary import Text

# How many stand on a list of the best.
BEST = 10


@dataclass(frozen=True)
class Meetings:
    """How two gangs fared against each other, as one of them sees it. Where both lost against a
    third, neither beat the other: that is as good as drawn."""

    won: int = 0
    level: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """How often they met."""
        return self.won + self.level + self.lost

    def after(self, mine: SideKind, theirs: SideKind) -> Meetings:
        """With one more game."""
        if mine == theirs or "level" in (mine, theirs):
            return replace(self, level=self.level + 1)
        if mine == "winner":
            return replace(self, won=self.won + 1)
        return replace(self, lost=self.lost + 1)


@dataclass(frozen=True)
class Hero:
    """Somebody on a list of the best, and why: ``number`` of games, experience, enemies...

    ``member``: 0 if there is no career to read; ``what``: in what manner he left, if he has.
    """

    gang: str
    member: int
    name: Text | str
    of: str
    number: int
    what: Text | str = ""
    place: int = 0


@dataclass(frozen=True)
class Grave:
    """Who died, when and against whom; ``hand``: by whose hand, "" if it is not told."""

    gang: str
    member: int
    name: Text | str
    rank: Text | str
    of: str
    day: date | None
    game: str
    against: tuple[str, ...]
    hand: Text | str = ""
    hand_of: str = ""


@dataclass(frozen=True)
class Streak:
    """Games won one after the other."""

    name: str
    number: int
    first: date
    last: date


@dataclass(frozen=True)
class Famous:
    """The hall of fame."""

    legends: tuple[Hero, ...]
    most_games: tuple[Hero, ...]
    most_experience: tuple[Hero, ...]
    streaks: tuple[Streak, ...]


def meetings(past: Past) -> Mapping[tuple[str, str], Meetings]:
    """How all that met fared, by (one, the other) as ``PastSide.who``; both ways round."""
    met: dict[tuple[str, str], Meetings] = {}
    for game in past.games:
        for one in game.sides:
            for other in game.sides:
                if one is not other:
                    pair = (one.who, other.who)
                    met[pair] = met.get(pair, Meetings()).after(one.kind, other.kind)
    return met


def most_feared(past: Past) -> tuple[Hero, ...]:
    """Those who put the most enemies out of action in the games here, some of them dead by now.

    Equals stand in the order of their gangs and of their numbers, however the reports were stored.
    """
    counted: dict[tuple[str, int], int] = {}
    for _game, side in past.sides():
        for member, number in side.report.counts.get(TAKEN_OUT, {}).items():
            key = (side.gang, member)
            counted[key] = counted.get(key, 0) + number
    places = {gang.id: place for place, gang in enumerate(past.gangs)}
    heroes = []
    for gang, member in sorted(counted, key=lambda key: (places.get(key[0], len(places)), key[1])):
        number = counted[gang, member]
        known = past.gang.get(gang)
        name = called(past, known, member)
        if known is not None and name and number:
            heroes.append(Hero(gang, member, name, known.name, number))
    return _best(heroes)


def graveyard(past: Past) -> tuple[Grave, ...]:
    """Who died in this campaign, the newest grave first."""
    graves = [
        (one.at, _grave(past, gang, one))
        for gang in past.gangs
        for one in happened(past, gang)
        if one.kind == "died"
    ]
    graves.sort(key=lambda pair: pair[0], reverse=True)
    return tuple(grave for _at, grave in graves)


def famous(past: Past) -> Famous:
    """The hall of fame: those who left as legends, the best in numbers, the longest streaks."""
    fielded: dict[tuple[str, int], int] = {}
    for _game, side in past.sides():
        for member in side.report.fielded:
            fielded[side.gang, member] = fielded.get((side.gang, member), 0) + 1
    people = [(gang, person) for gang in past.gangs for person in gang.story.people]
    games, learned = [], []
    for gang, person in people:
        number = fielded.get((gang.id, person.id), 0)
        if number:
            name = shown(past.book, person.name, person.rank)
            games.append(Hero(gang.id, person.id, name, gang.name, number))
            if person.experience:
                learned.append(Hero(gang.id, person.id, name, gang.name, person.experience))
    return Famous(tuple(_legends(past)), _best(games), _best(learned), _streaks(past))


def _legends(past: Past) -> Iterator[Hero]:
    ways = honours(past.book)
    departures = {row.key: row for row in past.book.campaign.departures}
    for gang in past.gangs:
        for one in happened(past, gang):
            if one.kind == "left" and one.key in ways:
                person = gang.people.get(one.member)
                yield Hero(
                    gang.id,
                    person.id if person else 0,
                    shown(past.book, one.name, one.rank),
                    gang.name,
                    person.games if person else 0,
                    named(departures, one.key),
                )


def _grave(past: Past, gang: PastGang, one: Happening) -> Grave:
    game = past.game.get(one.game)
    struck_by = hand(past, game, gang.id, one.member)
    others = [side.name for side in game.sides if side.gang != gang.id] if game else []
    killer: Text | str = ""
    if struck_by is not None:
        killer = called(past, past.gang.get(struck_by.gang), struck_by.member)
    return Grave(
        gang=gang.id,
        member=one.member if one.member in gang.people else 0,
        name=shown(past.book, one.name, one.rank),
        rank=_rank(past.book, one),
        of=gang.name,
        day=game.day if game else one.at.date(),
        game=one.game,
        against=tuple(others),
        hand=killer,
        hand_of=past.names.get(struck_by.gang, "") if struck_by and killer else "",
    )


def _rank(book: Book, one: Happening) -> Text | str:
    """The rank of somebody who has a name besides it."""
    return named(book.rank, one.rank) if one.name else ""


def _best(heroes: Sequence[Hero]) -> tuple[Hero, ...]:
    """The best of them, equals in one place."""
    ranked = sorted(heroes, key=lambda hero: -hero.number)[:BEST]
    numbers = [hero.number for hero in ranked]
    return tuple(replace(hero, place=numbers.index(hero.number) + 1) for hero in ranked)


def _streaks(past: Past) -> tuple[Streak, ...]:
    """The longest row of games won by each that has won two at a time."""
    current: dict[str, list[PastGame]] = {}
    longest: dict[str, list[PastGame]] = {}
    for game, side in past.sides():
        row = [*current.get(side.who, ()), game] if side.kind == "winner" else []
        current[side.who] = row
        if len(row) > max(1, len(longest.get(side.who, ()))):
            longest[side.who] = row
    found = [
        Streak(past.names[who], len(row), row[0].day, row[-1].day) for who, row in longest.items()
    ]
    return tuple(sorted(found, key=lambda streak: -streak.number)[:BEST])
