"""Records of a campaign: meetings, the most feared members, graves, luck and the hall of fame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from campaigns.engine.league.ranking import Meetings, count_results
from campaigns.engine.report import TAKEN_OUT
from campaigns.statistics.chronicle import events_of, honours, others, slayer
from campaigns.statistics.luck import Luck, Source, Tries, What, together
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonGang
from gangs.engine.roster import name_or_rank
from gangs.engine.timeline import Event, Person
from rules.book.vocabulary import Text, name_of

# The length of a list of the best.
BEST = 10


@dataclass(frozen=True)
class Leader:
    """A member on a list of the best. ``number``: their games, experience, enemies...

    ``member``: 0 if they have no page to link to; ``what``: the name of their departure, if any.
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
    """A dead member, the day and the opponents; ``slayer``: their killer, "" if not known."""

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
    """A gang's longest run of consecutive wins."""

    name: str
    number: int
    first: date
    last: date


@dataclass(frozen=True)
class HallOfFame:
    """The season's legends, the best in numbers, and the longest streaks."""

    legends: tuple[Leader, ...]
    most_games: tuple[Leader, ...]
    most_experience: tuple[Leader, ...]
    streaks: tuple[Streak, ...]


def meetings(season: Season, games: Iterable[SeasonGame] | None = None) -> Meetings:
    """The results of all pairs of gangs that met, in both directions, by (one, the other) as
    ``SeasonSide.who``. ``games``: those that count, the fought ones if none are given."""
    return count_results(game.played for game in (season.games if games is None else games))


def most_feared(season: Season) -> tuple[Leader, ...]:
    """The members, dead ones included, who put the most enemies out of action in this campaign.

    Ties are in the order of gangs and numbers, so that the order of the reports does not matter.
    """
    counted = count_taken_out(season)
    return _best(
        _leader(season, gang, person, counted[gang.id, number])
        for gang in season.gangs
        for number, person in sorted(gang.people.items())
    )


def count_taken_out(season: Season) -> Counter[tuple[str, int]]:
    """The number of enemies that each member put out of action here, by gang and number."""
    counted: Counter[tuple[str, int]] = Counter()
    for _game, side in season.sides():
        for member, number in side.report.counts.get(TAKEN_OUT, {}).items():
            counted[side.gang, member] += number
    return counted


def count_dead(season: Season) -> Counter[str]:
    """The number of members whom each gang has lost here, by gang."""
    return Counter(grave.gang for grave in graveyard(season))


def count_games(season: Season) -> Counter[tuple[str, int]]:
    """The number of games that each member took part in here, by gang and number. A game counts
    once, even if a report names a member twice."""
    return Counter(
        (side.gang, member) for _game, side in season.sides() for member in {*side.report.fielded}
    )


def graveyard(season: Season) -> tuple[Grave, ...]:
    """The members who died in this campaign, the newest grave first."""
    dead = [
        (gang, event)
        for gang in season.gangs
        for event in events_of(season, gang)
        if event.kind == "died"
    ]
    dead.sort(key=lambda pair: pair[1].at, reverse=True)
    return tuple(_grave(season, gang, event) for gang, event in dead)


def hall_of_fame(season: Season) -> HallOfFame:
    """Work out the hall of fame."""
    fielded = count_games(season)
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
    """A gang's luck in all its games, with dice from one ``source``."""

    name: str
    what: What
    source: Source
    luck: Luck


def luckiest(season: Season) -> tuple[SeasonLuck, ...]:
    """Every gang's luck in attempts at the table and in its post-games, grouped by source, the
    luckiest first."""
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
    """The sort key of a gang's luck. Fates are feared, attempts are hoped for."""
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
        # Without a name, the rank is already shown in its place.
        rank=name_of(season.book.rank, event.rank) if event.name else "",
        gang_name=season.names[gang.id],
        day=game.day if game else event.at.date(),
        game=event.game,
        against=others(season, game, gang),
        slayer=by.name if by else "",
        slayer_gang=by.gang_name if by else "",
    )


def _best(leaders: Iterable[Leader]) -> tuple[Leader, ...]:
    """The leaders with the highest numbers above 0; ties share a place."""
    ranked = sorted(leaders, key=lambda leader: -leader.number)[:BEST]
    ranked = [leader for leader in ranked if leader.number]
    numbers = [leader.number for leader in ranked]
    return tuple(replace(leader, place=numbers.index(leader.number) + 1) for leader in ranked)


def _streaks(season: Season) -> tuple[Streak, ...]:
    """The longest run of wins of each gang that has won at least two in a row."""
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
