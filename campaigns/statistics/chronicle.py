"""The chronicle: the events of a campaign, as data for sentences in any language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from functools import partial
from heapq import nlargest
from itertools import groupby
from typing import ClassVar, Literal, cast

from campaigns.engine.captives import PARTIES, Party
from campaigns.engine.how import FOUGHT
from campaigns.statistics.season_facts import (
    PastAdjustment,
    PastBargain,
    PastTrophyAward,
    Season,
    SeasonGame,
    SeasonGang,
    SeasonSide,
)
from gangs.engine.roster import FOLLOWED, HeldPlace, name_or_rank
from gangs.engine.timeline import Event
from rules.book.fates import TableRow
from rules.book.model import Book
from rules.book.vocabulary import Text, name_of
from rules.engine.costing import Points

# A name, as players wrote it or as the rulebook's text.
type Name = str | Text


@dataclass(frozen=True)
class Money:
    """An amount of the gangs’ money, or of another ``currency``."""

    amount: Points
    currency: str | None = None


@dataclass(frozen=True)
class Slayer:
    """The member who put somebody out of action, with the names of both member and gang."""

    gang: str
    member: int
    name: Name
    gang_name: str


# Events. Each has exactly the words of its sentences; those that a sentence can do without have a
# default. ``gang``: a gang's name; ``who``: a member's.

type GameKind = Literal[
    "won", "lost", "level", "shared", "walk-over", "no-show", "conceded", "void", "abandoned"
]


@dataclass(frozen=True)
class Battle:
    """A game that counts, fought or not. ``side``: the names of the gangs that played together,
    against the book; else ``winners`` and ``others``; ``result`` and ``scenario``: "" if they go
    without saying."""

    kind: GameKind
    side: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    result: Name = ""
    scenario: Name = ""


@dataclass(frozen=True)
class Undoing:
    """A game was undone as a whole."""

    kind: ClassVar = "taken_back"
    title: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True)
class Death:
    """A member died. ``others``: the gang's opponents; ``hand``: the member who did it; ``turn``:
    when they went out."""

    kind: ClassVar = "died"
    who: Name
    gang: str
    others: tuple[str, ...] = ()
    hand: Slayer | None = None
    turn: int | None = None


@dataclass(frozen=True)
class Injury:
    """A member has a lasting condition, ``what``. ``hand`` and ``turn``: as of a death."""

    kind: ClassVar = "hurt"
    who: Name
    gang: str
    what: Name
    hand: Slayer | None = None
    turn: int | None = None


@dataclass(frozen=True)
class Arrest:
    """A member was captured, by ``captor`` or one of the ``others``."""

    kind: ClassVar = "captured"
    who: Name
    gang: str
    captor: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A game brought a captive back. ``amount``: their ransom, None if there was none."""

    kind: ClassVar = "freed"
    who: Name
    gang: str
    amount: Money | None = None


@dataclass(frozen=True)
class Milestone:
    """A member left, was promoted, took over or advanced. ``what``: the rulebook's name of their
    departure (``honoured``: as a legend), rank or trait."""

    kind: Literal["honoured", "left", "promoted", "succeeded", "advance"]
    who: Name
    gang: str
    what: Name


@dataclass(frozen=True)
class Dismissal:
    """A gang dismissed a member."""

    kind: ClassVar = "dismissed"
    who: Name
    gang: str


@dataclass(frozen=True)
class Rise:
    """A member's characteristic, ``what``, went up for good, or down."""

    kind: ClassVar = "rose"
    who: Name
    gang: str
    what: Name
    amount: Points


@dataclass(frozen=True)
class Seizure:
    """A gang captured a holding. ``loser``: "" if it was deleted."""

    kind: ClassVar = "seized"
    gang: str
    place: Name
    loser: str = ""


@dataclass(frozen=True)
class Arrival:
    """A gang joined the campaign. ``owner``: its player, "" if its name has them already."""

    kind: ClassVar = "joined"
    gang: str
    owner: str = ""


@dataclass(frozen=True)
class Parting:
    """A gang left the campaign, or stopped playing."""

    kind: Literal["withdrew", "retired"]
    gang: str


@dataclass(frozen=True)
class Deal:
    """Two gangs came to terms about captives. ``payer``: "" without a ``ransom``."""

    kind: ClassVar = "bargain"
    giver: str
    taker: str
    freed: tuple[Name, ...]
    ransom: Money
    payer: str = ""


@dataclass(frozen=True)
class Correction:
    """An organiser corrected a gang's history."""

    kind: ClassVar = "corrected"
    gang: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True)
class Adjustment:
    """A bonus or penalty of a gang, or the fact that it was taken back."""

    kind: Literal["bonus", "penalty", "adjustment_back"]
    gang: str
    points: int
    why: str
    by: str = ""


@dataclass(frozen=True)
class Award:
    """A gang or one of its members, ``who``, won the trophy ``what``."""

    kind: ClassVar = "awarded"
    gang: str
    what: Name
    who: Name = ""
    why: str = ""


type Fate = Death | Injury | Arrest | Release | Milestone | Dismissal | Rise
type Happening = (
    Battle | Undoing | Fate | Seizure | Arrival | Parting | Deal | Correction | Adjustment | Award
)


@dataclass(frozen=True)
class Line:
    """One event. ``key``: identifies it in its campaign for good; ``day``: its heading; ``at``:
    when it was recorded; ``game``, ``gang`` and ``member``: the keys of its subjects."""

    key: str
    event: Happening
    day: date
    at: datetime
    game: str = ""
    gang: str = ""
    member: int = 0

    @property
    def kind(self) -> str:
        """The kind of its event."""
        return self.event.kind


@dataclass(frozen=True)
class Day:
    """The lines of a day, in order; ``nights``: the campaign's nights on that day."""

    day: date
    nights: tuple[str, ...]
    lines: tuple[Line, ...]


def list_lines(season: Season, zone: tzinfo) -> tuple[Line, ...]:
    """All lines, the newest day first; within a day, the deaths, then games in order, each with its
    other events.

    ``zone``: the time zone that decides on which day an event between games happened.
    """
    lines = [*_joined(season, zone), *_games(season), *_between(season, zone)]
    return tuple(sorted(lines, key=lambda line: (line.day, line.kind == "died"), reverse=True))


def chronicle(season: Season, zone: tzinfo) -> tuple[Line, ...]:
    """The lines of the chronicle, in the same order: all but traits and rises, which only channels
    and the members' careers tell."""
    return tuple(line for line in list_lines(season, zone) if line.kind not in ("advance", "rose"))


def newest(lines: Sequence[Line], most: int) -> list[Line]:
    """The lines recorded last, the newest first. A late report of an old game is news, too."""
    return nlargest(most, lines, key=lambda line: line.at)


def days(season: Season, lines: Sequence[Line]) -> list[Day]:
    """Lines in the order of the chronicle, day by day."""
    nights: dict[date, list[str]] = {}
    for game in season.games:
        if game.night and game.night not in nights.setdefault(game.day, []):
            nights[game.day].append(game.night)
    return [
        Day(day, tuple(nights.get(day, ())), tuple(day_lines))
        for day, day_lines in groupby(lines, key=lambda line: line.day)
    ]


def scenario(book: Book, game: SeasonGame) -> Text | str:
    """The name of the game's scenario, from the rulebook or the row rolled on its scenario table;
    "" if it has none."""
    row = book.scenario.get(game.scenario) or find_rolled_row(book, game.scenario_total)
    return row.name if row is not None else ""


def find_rolled_row(book: Book, total: int | None) -> TableRow | None:
    """The row of the scenario table that a roll of this ``total`` hits, if there is one."""
    table = book.campaign.scenario_table
    if total is None or table is None:
        return None
    rows = book.table[table].rows
    return next((row for row in rows if row.low <= total <= row.high), None)


def person_name(season: Season, gang: SeasonGang | None, member: int) -> Text | str:
    """A member's name, or their rank if they have none; "" if they are not known."""
    person = gang.people.get(member) if gang is not None else None
    return name_or_rank(season.book, person.name, person.rank) if person is not None else ""


def slayer(season: Season, game: SeasonGame | None, gang: str, member: int) -> Slayer | None:
    """The member who put a gang's member out in a game; None if the report does not say, or if
    they have no known name."""
    for side in game.sides if game is not None else ():
        if side.gang == gang and (by := side.report.credits.get(member)) is not None:
            name = person_name(season, season.gang.get(by.gang), by.member)
            gang_name = season.names.get(by.gang, "")
            return Slayer(by.gang, by.member, name, gang_name) if name else None
    return None


@dataclass(frozen=True)
class Fall:
    """A member who went out of action in a turn of a game. ``by``: the member who did it, if
    known."""

    turn: int
    name: Text | str
    gang_name: str
    by: Slayer | None


# Names of members who are missing from their gang's timeline, by gang and number: those in its
# first game, until its post-game is played.
type Newcomers = Mapping[tuple[str, int], Text | str]


def falls(season: Season, game: SeasonGame, newcomers: Newcomers) -> list[Fall]:
    """The members who went out of a game in a known turn, turn by turn. Members without a known
    name are left out."""
    found = [
        Fall(turn, name, season.called(side), _put_out_by(season, game, side, member, newcomers))
        for side in game.sides
        for member, turn in side.report.turns.items()
        if (name := _name(season, side.gang, member, newcomers))
    ]
    return sorted(found, key=lambda fall: fall.turn)


def _name(season: Season, gang: str, member: int, newcomers: Newcomers) -> Text | str:
    known = person_name(season, season.gang.get(gang), member)
    return known or newcomers.get((gang, member), "")


def _put_out_by(
    season: Season, game: SeasonGame, side: SeasonSide, member: int, newcomers: Newcomers
) -> Slayer | None:
    found = slayer(season, game, side.gang, member)
    by = side.report.credits.get(member)
    if found is None and by is not None and (name := newcomers.get((by.gang, by.member))):
        return Slayer(by.gang, by.member, name, season.names.get(by.gang, ""))
    return found


def gangs_of_newcomers(season: Season, game: SeasonGame) -> set[str]:
    """The gangs with a member in a game's falls who is missing from their timeline."""
    named = {(side.gang, fallen) for side in game.sides for fallen in side.report.turns}
    named |= {
        (by.gang, by.member)
        for side in game.sides
        for fallen, by in side.report.credits.items()
        if fallen in side.report.turns
    }
    return {
        gang for gang, member in named if not person_name(season, season.gang.get(gang), member)
    }


def turn_of(game: SeasonGame | None, gang: str, member: int) -> int | None:
    """The turn of a game in which a gang's member went out; None if the report does not say."""
    sides = game.sides if game is not None else ()
    return next((side.report.turns.get(member) for side in sides if side.gang == gang), None)


def others(season: Season, game: SeasonGame | None, gang: SeasonGang) -> tuple[str, ...]:
    """The names of a gang's opponents in a game."""
    sides = game.sides if game and not game.together else ()
    return tuple(season.called(side) for side in sides if side.gang != gang.id)


def honours(book: Book) -> set[str]:
    """The departures of members promoted beyond the highest rank: legends."""
    return {row.departure for row in book.campaign.promotions if row.to is None and row.departure}


def events_of(season: Season, gang: SeasonGang) -> Iterator[Event]:
    """The events of a gang's members in this campaign: in its games, or between games while the
    gang was in it."""
    for event in gang.timeline.events:
        if event.game in season.game if event.game else season.was_in(gang, event.at):
            yield event


def _joined(season: Season, zone: tzinfo) -> Iterator[Line]:
    for gang in season.gangs:
        at = gang.joined_at
        # A namesake's name already has its player's.
        owner = "" if gang.id in season.namesakes else gang.owner
        event = Arrival(season.names[gang.id], owner)
        day = at.astimezone(zone).date()
        yield Line(f"joined:{gang.id}", event, day, at, gang=gang.id)


def _games(season: Season) -> Iterator[Line]:
    for game in season.games:
        keys = {side.gang for side in game.sides}
        keys |= {credit.gang for side in game.sides for credit in side.report.credits.values()}
        gangs = [gang for gang in season.gangs if gang.id in keys]
        lines, state = partial(_lines, season, game, gangs), (gangs, season.namesakes)
        yield from season.cached(game, "lines", lines, state)
    for game in season.unfought:
        yield _game(season, game)
    for game in season.struck:
        event = Undoing(season.title_of(game), game.struck_by, game.struck_why)
        yield Line(f"struck:{game.id}", event, game.day, game.at, game=game.id)


def _lines(season: Season, game: SeasonGame, gangs: Sequence[SeasonGang]) -> list[Line]:
    """The game's line, then the events that it brought these gangs."""
    brought = [
        line
        for gang in gangs
        for event in gang.events.get(game.id, ())
        if (line := _event_line(season, gang, event, game, game.day)) is not None
    ]
    return [_game(season, game), *_captures(season, game), *brought]


def _game(season: Season, game: SeasonGame) -> Line:
    """The line of a game: who beat whom, who met or, without a battle, what happened instead."""
    if game.together:
        return _game_together(season, game)
    book, winners = season.book, [side for side in game.sides if side.kind == "winner"]
    kind: GameKind = "won" if winners else "level"
    if game.how == "recorded" and not winners and any(side.kind == "loser" for side in game.sides):
        winners, kind = [side for side in game.sides if side.kind == "level"], "shared"
    if game.how != "played" and game.how != "recorded":
        kind = game.how
    others = [side for side in game.sides if side not in winners]
    others.sort(key=lambda side: side.place or 0)
    plain = not game.result or (winners and book.campaign.goes_without_saying(game.result))
    event = Battle(
        kind,
        winners=tuple(season.called(side) for side in winners),
        others=tuple(season.called(side) for side in others),
        result="" if plain else name_of(book.campaign.result, game.result),
        scenario=scenario(book, game),
    )
    return Line(f"game:{game.id}", event, game.day, game.at, game=game.id)


def _game_together(season: Season, game: SeasonGame) -> Line:
    """The line of a game of gangs on one side: whether they won, and how."""
    campaign, ended = season.book.campaign, game.sides[0].kind if game.sides else "level"
    kinds: Mapping[str, GameKind] = {"winner": "won", "loser": "lost", "level": "level"}
    is_plain = not game.result or campaign.goes_without_saying(game.result)
    event = Battle(
        kinds[ended] if game.how in FOUGHT else cast(GameKind, game.how),
        side=tuple(season.called(side) for side in game.sides),
        result="" if is_plain else name_of(campaign.result, game.result),
        scenario=scenario(season.book, game),
    )
    return Line(f"game:{game.id}", event, game.day, game.at, game=game.id)


def _captures(season: Season, game: SeasonGame) -> Iterator[Line]:
    """The lines of the holdings that the winners of a game took."""
    for side in game.sides:
        for capture in side.report.captures:
            held = HeldPlace(id=capture.place, key=capture.holding, name=capture.name)
            losers = (season.called(one) for one in game.sides if one.gang == capture.gang)
            event = Seizure(season.called(side), held.own_name(season.book), next(losers, ""))
            key = f"seized:{game.id}:{capture.gang}:{capture.place}"
            yield Line(key, event, game.day, game.at, game=game.id, gang=side.gang)


def _between(season: Season, zone: tzinfo) -> Iterator[Line]:
    """The lines of events between games."""
    for gang in season.gangs:
        lines = partial(_of_gang, season, gang, zone)
        yield from season.cached(gang, "lines", lines, (season.ended_at, zone, season.namesakes))
        if (at := gang.left_at) is not None:
            event = Parting("withdrew", season.names[gang.id])
            yield Line(f"left:{gang.id}", event, at.astimezone(zone).date(), at, gang=gang.id)
        elif (at := gang.retired_at) is not None:
            event = Parting("retired", season.names[gang.id])
            yield Line(f"retired:{gang.id}", event, at.astimezone(zone).date(), at, gang=gang.id)
    for bargain in season.bargains:
        yield _bargain(season, bargain, zone)
    for row in season.corrections:
        gang = season.gang[row.gang]
        if season.was_in(gang, row.at):
            told = Correction(season.names[gang.id], row.by, row.why)
            day = row.at.astimezone(zone).date()
            yield Line(f"corrected:{row.id}", told, day, row.at, gang=gang.id)
    for adjustment in season.adjustments:
        yield _adjustment(season, adjustment, zone)
    for award in season.awards:
        yield _award(season, award, zone)


def _of_gang(season: Season, gang: SeasonGang, zone: tzinfo) -> list[Line]:
    """The lines of one gang's events between games."""
    return [
        line
        for event in events_of(season, gang)
        if not event.game
        and (line := _event_line(season, gang, event, None, event.at.astimezone(zone).date()))
    ]


def _adjustment(season: Season, adjustment: PastAdjustment, zone: tzinfo) -> Line:
    """The line of a bonus or penalty, or of the fact that it was taken back."""
    kind: Literal["bonus", "penalty", "adjustment_back"]
    kind = "bonus" if adjustment.points > 0 else "penalty"
    at, by = adjustment.at, adjustment.by
    if adjustment.back_at is not None:
        kind, at, by = "adjustment_back", adjustment.back_at, adjustment.back_by
    name = season.names.get(adjustment.who, adjustment.name)
    event = Adjustment(kind, name, abs(adjustment.points), adjustment.why, by)
    gang = adjustment.gang if adjustment.gang in season.gang else ""
    return Line(f"{kind}:{adjustment.id}", event, at.astimezone(zone).date(), at, gang=gang)


def _award(season: Season, award: PastTrophyAward, zone: tzinfo) -> Line:
    own = {trophy.id: trophy.name for trophy in season.trophies}
    books = season.book.campaign.trophy
    what = own.get(award.trophy, "") if award.own else name_of(books, award.trophy)
    gang = season.gang.get(award.gang)
    event = Award(
        who=person_name(season, gang, award.member) or award.member_name,
        gang=season.names.get(award.who, award.gang_name),
        what=what,
        why=award.why,
    )
    day = award.at.astimezone(zone).date()
    known = award.member if gang is not None and award.member in gang.people else 0
    key = gang.id if gang is not None else ""
    return Line(f"awarded:{award.id}", event, day, award.at, gang=key, member=known)


def _bargain(season: Season, bargain: PastBargain, zone: tzinfo) -> Line:
    parties: dict[Party, str] = {"giver": bargain.giver, "taker": bargain.taker}
    freed = [
        person_name(season, season.gang.get(parties[party]), member)
        for party in PARTIES
        for member in bargain.terms.freed(party)
    ]
    giver = season.names.get(bargain.giver, bargain.giver_name)
    taker = season.names.get(bargain.taker, bargain.taker_name)
    payer = {"giver": giver, "taker": taker, None: ""}
    event = Deal(
        giver,
        taker,
        freed=tuple(name for name in freed if name),
        payer=payer[bargain.terms.payer] if bargain.terms.ransom else "",
        ransom=Money(bargain.terms.ransom, bargain.terms.currency),
    )
    day = bargain.at.astimezone(zone).date()
    return Line(f"bargain:{bargain.id}", event, day, bargain.at)


def _event_line(
    season: Season, gang: SeasonGang, event: Event, game: SeasonGame | None, day: date
) -> Line | None:
    """The line of an event, if it is worth one; most events are not."""
    fate = _fate(season, gang, event, game)
    if fate is None:
        return None
    return Line(
        f"{fate.kind}:{gang.id}:{event.number}:{event.member}",
        fate,
        day,
        event.at,
        game=event.game,
        gang=gang.id,
        # Only members who have played have a page to link to.
        member=event.member if event.member in gang.people else 0,
    )


def _fate(season: Season, gang: SeasonGang, event: Event, game: SeasonGame | None) -> Fate | None:
    """The content of an event's line; None for no line. A lasting injury gets one, a temporary one
    does not; a captive freed between games appears in the line of the bargain."""
    book, name = season.book, season.names[gang.id]
    who, is_captive = name_or_rank(book, event.name, event.rank), event.key in season.captivity
    match event.kind:
        case "died":
            return Death(who, name, others(season, game, gang), *_blow(season, game, gang, event))
        case "dismissed" if event.member in gang.people:
            return Dismissal(who, name)
        case "left" if event.key != FOLLOWED:
            is_legend = event.key in honours(book)
            what = name_of(book.campaign.departure, event.key)
            return Milestone("honoured" if is_legend else "left", who, name, what)
        case "promoted":
            succeeds = event.how == "succession"
            what = name_of(book.rank, event.key)
            return Milestone("succeeded" if succeeds else "promoted", who, name, what)
        case "gained" if event.how == "succession":
            return Milestone("succeeded", who, name, name_of(book.trait, event.key))
        case "advance":
            return Milestone("advance", who, name, name_of(book.trait, event.key))
        case "rose":
            return Rise(who, name, name_of(book.characteristic, event.key), event.amount)
        case "suffered" if is_captive:
            return Arrest(who, name, event.against, others(season, game, gang))
        case "suffered" if not event.amount:
            what = name_of(book.condition, event.key)
            return Injury(who, name, what, *_blow(season, game, gang, event))
        case "recovered" if is_captive and event.game:
            return Release(who, name, _find_payment(event))
    return None


def _find_payment(event: Event) -> Money | None:
    """The payment that an event was for; None if there was none."""
    if event.amount:
        return Money(event.amount)
    paid = ((amount, key) for key, amount in event.costs.items() if amount)
    return next((Money(amount, key) for amount, key in paid), None)


def _blow(
    season: Season, game: SeasonGame | None, gang: SeasonGang, event: Event
) -> tuple[Slayer | None, int | None]:
    """The member who put an event's member out in a game, and the turn, as far as known."""
    return slayer(season, game, gang.id, event.member), turn_of(game, gang.id, event.member)
