"""Records of a campaign: who met whom, whom to fear, who died, and who will be remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import permutations

from campaigns.engine.report import TAKEN_OUT, SideKind
from campaigns.statistics.chronicle import events_of, honours, others, slayer
from campaigns.statistics.luck import Luck, Source, Tries, What, together
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonGang
from gangs.engine.roster import name_or_rank
from gangs.engine.timeline import Event, Person
from rules.book.vocabulary import Text, name_of

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
class Leader:
    """Somebody on a list of the best, and why: ``number`` of games, experience, enemies...

    ``member``: 0 if there is no career to read; ``what``: in what manner they left, if they have.
    """

    gang: str
    member: int
    name: Text | str
    gang_name: str
    number: int
    what: Text | str = ""
    place: int = 0


@dataclass(frozen=True)
class Grave:
    """Who died, when and against whom; ``slayer``: who killed them, "" if no report says so."""

    gang: str
    member: int
    name: Text | str
    rank: Text | str
    gang_name: str
    day: date | None
    game: str
    against: tuple[str, ...]
    slayer: Text | str = ""
    slayer_gang: str = ""


@dataclass(frozen=True)
class Streak:
    """Games won one after the other."""

    name: str
    number: int
    first: date
    last: date


@dataclass(frozen=True)
class HallOfFame:
    """The hall of fame."""

    legends: tuple[Leader, ...]
    most_games: tuple[Leader, ...]
    most_experience: tuple[Leader, ...]
    streaks: tuple[Streak, ...]


def meetings(season: Season) -> Mapping[tuple[str, str], Meetings]:
    """How all that met fared, by (one, the other) as ``SeasonSide.who``; both ways round."""
    met: dict[tuple[str, str], Meetings] = {}
    for game in season.games:
        for side, opponent in permutations(game.sides, 2):
            pair = (side.who, opponent.who)
            met[pair] = met.get(pair, Meetings()).after(side.kind, opponent.kind)
    return met


def most_feared(season: Season) -> tuple[Leader, ...]:
    """Those who put the most enemies out of action in the games here, some of them dead by now.

    Equals stand in the order of their gangs and of their numbers, however the reports were stored.
    """
    counted = count_taken_out(season)
    return _best(
        _leader(season, gang, person, counted[gang.id, number])
        for gang in season.gangs
        for number, person in sorted(gang.people.items())
    )


def count_taken_out(season: Season) -> Counter[tuple[str, int]]:
    """How many enemies everybody put out of action in the games here, by gang and number."""
    counted: Counter[tuple[str, int]] = Counter()
    for _game, side in season.sides():
        for member, number in side.report.counts.get(TAKEN_OUT, {}).items():
            counted[side.gang, member] += number
    return counted


def graveyard(season: Season) -> tuple[Grave, ...]:
    """Who died in this campaign, the newest grave first."""
    dead = [
        (gang, event)
        for gang in season.gangs
        for event in events_of(season, gang)
        if event.kind == "died"
    ]
    dead.sort(key=lambda pair: pair[1].at, reverse=True)
    return tuple(_grave(season, gang, event) for gang, event in dead)


def hall_of_fame(season: Season) -> HallOfFame:
    """The hall of fame: those who left as legends, the best in numbers, the longest streaks."""
    fielded = Counter(
        (side.gang, member) for _game, side in season.sides() for member in side.report.fielded
    )
    most_games = [
        _leader(season, gang, person, fielded[gang.id, person.id])
        for gang in season.gangs
        for person in gang.timeline.people
    ]
    learned = [
        replace(leader, number=season.gang[leader.gang].people[leader.member].experience)
        for leader in most_games
        if leader.number
    ]
    return HallOfFame(tuple(_legends(season)), _best(most_games), _best(learned), _streaks(season))


@dataclass(frozen=True)
class SeasonLuck:
    """How lucky a gang was in all its games: what dice thrown by one ``source`` brought."""

    name: str
    what: What
    source: Source
    luck: Luck


def luckiest(season: Season) -> tuple[SeasonLuck, ...]:
    """How lucky every gang was, in attempts at the table and in the dice of its post-games; the
    luckiest first, those by dice of other sources apart."""
    thrown: dict[tuple[str, What, Source], list[Tries]] = {}
    for game in season.games:
        for tries in game.luck.tries:
            if tries.side < len(game.sides):
                key = game.sides[tries.side].who, tries.what, tries.source
                thrown.setdefault(key, []).append(tries)
    found = [
        SeasonLuck(season.names[who], what, source, together(some))
        for (who, what, source), some in thrown.items()
    ]
    return tuple(sorted(found, key=_fortune))


def _fortune(row: SeasonLuck) -> tuple[str, str, float]:
    """Where somebody stands among the lucky: fates are feared, attempts hoped for."""
    luck = row.luck
    share = luck.tail if luck.more == (row.what == "attempt") else 2 - luck.tail
    return row.what, row.source, share


def _leader(season: Season, gang: SeasonGang, person: Person, number: int) -> Leader:
    name = name_or_rank(season.book, person.name, person.rank)
    return Leader(gang.id, person.id, name, season.names[gang.id], number)


def _legends(season: Season) -> Iterator[Leader]:
    ways = honours(season.book)
    for gang in season.gangs:
        for event in events_of(season, gang):
            if event.kind == "left" and event.key in ways:
                person = gang.people.get(event.member)
                yield Leader(
                    gang.id,
                    person.id if person else 0,
                    name_or_rank(season.book, event.name, event.rank),
                    season.names[gang.id],
                    person.games if person else 0,
                    name_of(season.book.campaign.departure, event.key),
                )


def _grave(season: Season, gang: SeasonGang, event: Event) -> Grave:
    game = season.game.get(event.game)
    by = slayer(season, game, gang.id, event.member)
    return Grave(
        gang=gang.id,
        member=event.member if event.member in gang.people else 0,
        name=name_or_rank(season.book, event.name, event.rank),
        # Of somebody who has a name besides it.
        rank=name_of(season.book.rank, event.rank) if event.name else "",
        gang_name=season.names[gang.id],
        day=game.day if game else event.at.date(),
        game=event.game,
        against=others(season, game, gang),
        slayer=by.name if by else "",
        slayer_gang=by.gang_name if by else "",
    )


def _best(leaders: Iterable[Leader]) -> tuple[Leader, ...]:
    """The best of those who have anything to show, equals in one place."""
    telling = [leader for leader in leaders if leader.number]
    ranked = sorted(telling, key=lambda leader: -leader.number)[:BEST]
    numbers = [leader.number for leader in ranked]
    return tuple(replace(leader, place=numbers.index(leader.number) + 1) for leader in ranked)


def _streaks(season: Season) -> tuple[Streak, ...]:
    """The longest row of games won by each that has won two at a time."""
    current: dict[str, list[SeasonGame]] = {}
    longest: dict[str, list[SeasonGame]] = {}
    for game, side in season.sides():
        row = [*current.get(side.who, ()), game] if side.kind == "winner" else []
        current[side.who] = row
        if len(row) > max(1, len(longest.get(side.who, ()))):
            longest[side.who] = row
    found = [
        Streak(season.names[who], len(row), row[0].day, row[-1].day) for who, row in longest.items()
    ]
    return tuple(sorted(found, key=lambda streak: -streak.number)[:BEST])
