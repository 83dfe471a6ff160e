"""The chronicle: the events of a campaign, as data for sentences in any language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from functools import partial
from heapq import nlargest
from itertools import groupby
from typing import Literal

from campaigns.engine.captives import PARTIES, Party
from campaigns.statistics.season_facts import (
    PastAdjustment,
    PastBargain,
    PastTrophyAward,
    Season,
    SeasonGame,
    SeasonGang,
    SeasonSide,
)
from gangs.engine.roster import HeldPlace, name_or_rank
from gangs.engine.timeline import Event
from rules.book.fates import TableRow
from rules.book.model import Book
from rules.book.vocabulary import Text, name_of
from rules.engine.costing import Points

Kind = Literal[
    "won",
    "level",
    "shared",
    "walk-over",
    "no-show",
    "conceded",
    "void",
    "abandoned",
    "taken_back",
    "died",
    "honoured",
    "left",
    "dismissed",
    "promoted",
    "succeeded",
    "hurt",
    "captured",
    "freed",
    "seized",
    "joined",
    "withdrew",
    "retired",
    "bargain",
    "corrected",
    "bonus",
    "penalty",
    "adjustment_back",
    "awarded",
]
# Lines about a game that counts, fought or not.
GAMES: tuple[Kind, ...] = ("won", "level", "shared")
GAMES += ("walk-over", "no-show", "conceded", "void", "abandoned")
# A name, a rulebook's text, an amount, or several names.
Value = str | Text | Points | tuple[str | Text, ...]


@dataclass(frozen=True)
class Line:
    """One event. ``key``: identifies it in its campaign for good; ``day``: its heading; ``at``:
    when it was recorded; ``game``, ``gang`` and ``member``: its subjects; ``slayer``: the gang and
    number of the member who did it."""

    key: str
    kind: Kind
    day: date
    at: datetime
    values: Mapping[str, Value]
    game: str = ""
    gang: str = ""
    member: int = 0
    slayer: tuple[str, int] | None = None


@dataclass(frozen=True)
class Day:
    """The lines of a day, in order; ``nights``: the campaign's nights on that day."""

    day: date
    nights: tuple[str, ...]
    lines: tuple[Line, ...]


def chronicle(season: Season, zone: tzinfo) -> tuple[Line, ...]:
    """All lines, the newest day first; within a day, the deaths, then games in order, each with its
    other events.

    ``zone``: the time zone that decides on which day an event between games happened.
    """
    lines = [*_joined(season, zone), *_games(season), *_between(season, zone)]
    return tuple(sorted(lines, key=lambda line: (line.day, line.kind == "died"), reverse=True))


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


@dataclass(frozen=True)
class Slayer:
    """The member who put somebody out of action, with the names of both member and gang."""

    gang: str
    member: int
    name: Text | str
    gang_name: str


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
    sides = game.sides if game else ()
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
        values = {"gang": season.names[gang.id], "owner": owner}
        day = at.astimezone(zone).date()
        yield Line(f"joined:{gang.id}", "joined", day, at, values, gang=gang.id)


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
        values = {"title": season.title_of(game), "by": game.struck_by, "why": game.struck_why}
        yield Line(f"struck:{game.id}", "taken_back", game.day, game.at, values, game=game.id)


def _lines(season: Season, game: SeasonGame, gangs: Sequence[SeasonGang]) -> list[Line]:
    """The game's line, then the events that it brought these gangs."""
    brought = [
        line
        for gang in gangs
        for event in gang.events.get(game.id, ())
        for line in _event_lines(season, gang, event, game, game.day)
    ]
    return [_game(season, game), *_captures(season, game), *brought]


def _game(season: Season, game: SeasonGame) -> Line:
    """The line of a game: who beat whom, who met or, without a battle, what happened instead."""
    book, winners = season.book, [side for side in game.sides if side.kind == "winner"]
    kind: Kind = "won" if winners else "level"
    if game.how == "recorded" and not winners and any(side.kind == "loser" for side in game.sides):
        winners, kind = [side for side in game.sides if side.kind == "level"], "shared"
    if game.how != "played" and game.how != "recorded":
        kind = game.how
    others = [side for side in game.sides if side not in winners]
    others.sort(key=lambda side: side.place or 0)
    plain = not game.result or (winners and book.campaign.goes_without_saying(game.result))
    values: dict[str, Value] = {
        "winners": tuple(season.called(side) for side in winners),
        "others": tuple(season.called(side) for side in others),
        "result": "" if plain else name_of(book.campaign.result, game.result),
        "scenario": scenario(book, game),
    }
    return Line(f"game:{game.id}", kind, game.day, game.at, values, game=game.id)


def _captures(season: Season, game: SeasonGame) -> Iterator[Line]:
    """The lines of the holdings that the winners of a game took."""
    for side in game.sides:
        for capture in side.report.captures:
            held = HeldPlace(id=capture.place, key=capture.holding, name=capture.name)
            losers = (season.called(one) for one in game.sides if one.gang == capture.gang)
            values: dict[str, Value] = {
                "gang": season.called(side),
                "loser": next(losers, ""),
                "place": held.own_name(season.book),
            }
            key = f"seized:{game.id}:{capture.gang}:{capture.place}"
            yield Line(key, "seized", game.day, game.at, values, game=game.id, gang=side.gang)


def _between(season: Season, zone: tzinfo) -> Iterator[Line]:
    """The lines of events between games."""
    for gang in season.gangs:
        lines = partial(_of_gang, season, gang, zone)
        yield from season.cached(gang, "lines", lines, (season.ended_at, zone, season.namesakes))
        if (at := gang.left_at) is not None:
            values = {"gang": season.names[gang.id]}
            day = at.astimezone(zone).date()
            yield Line(f"left:{gang.id}", "withdrew", day, at, values, gang=gang.id)
        elif (at := gang.retired_at) is not None:
            values = {"gang": season.names[gang.id]}
            day = at.astimezone(zone).date()
            yield Line(f"retired:{gang.id}", "retired", day, at, values, gang=gang.id)
    for bargain in season.bargains:
        yield _bargain(season, bargain, zone)
    for row in season.corrections:
        gang = season.gang[row.gang]
        if season.was_in(gang, row.at):
            values = {"gang": season.names[gang.id], "by": row.by, "why": row.why}
            day = row.at.astimezone(zone).date()
            yield Line(f"corrected:{row.id}", "corrected", day, row.at, values, gang=gang.id)
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
        for line in _event_lines(season, gang, event, None, event.at.astimezone(zone).date())
    ]


def _adjustment(season: Season, adjustment: PastAdjustment, zone: tzinfo) -> Line:
    """The line of a bonus or penalty, or of the fact that it was taken back."""
    kind: Kind = "bonus" if adjustment.points > 0 else "penalty"
    at, by = adjustment.at, adjustment.by
    if adjustment.back_at is not None:
        kind, at, by = "adjustment_back", adjustment.back_at, adjustment.back_by
    values: dict[str, Value] = {
        "gang": season.names.get(adjustment.who, adjustment.name),
        "points": str(abs(adjustment.points)),
        "by": by,
        "why": adjustment.why,
    }
    day = at.astimezone(zone).date()
    gang = adjustment.gang if adjustment.gang in season.gang else ""
    return Line(f"{kind}:{adjustment.id}", kind, day, at, values, gang=gang)


def _award(season: Season, award: PastTrophyAward, zone: tzinfo) -> Line:
    own = {trophy.id: trophy.name for trophy in season.trophies}
    books = season.book.campaign.trophy
    what = own.get(award.trophy, "") if award.own else name_of(books, award.trophy)
    gang = season.gang.get(award.gang)
    values: dict[str, Value] = {
        "who": person_name(season, gang, award.member) or award.member_name,
        "gang": season.names.get(award.who, award.gang_name),
        "what": what,
        "why": award.why,
    }
    day = award.at.astimezone(zone).date()
    known = award.member if gang is not None and award.member in gang.people else 0
    key = gang.id if gang is not None else ""
    return Line(f"awarded:{award.id}", "awarded", day, award.at, values, gang=key, member=known)


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
    values: dict[str, Value] = {
        "giver": giver,
        "taker": taker,
        "freed": tuple(name for name in freed if name),
        "payer": payer[bargain.terms.payer] if bargain.terms.ransom else "",
        "ransom": bargain.terms.ransom,
    }
    day = bargain.at.astimezone(zone).date()
    return Line(f"bargain:{bargain.id}", "bargain", day, bargain.at, values)


def _event_lines(
    season: Season, gang: SeasonGang, event: Event, game: SeasonGame | None, day: date
) -> Iterator[Line]:
    """The line of an event, if it is worth one; most events are not."""
    kind = _kind(season, event)
    if kind is None or (kind == "dismissed" and event.member not in gang.people):
        return
    by = slayer(season, game, gang.id, event.member) if kind in BY_HAND else None
    turn = turn_of(game, gang.id, event.member) if kind in BY_HAND else None
    values: dict[str, Value] = {
        "who": name_or_rank(season.book, event.name, event.rank),
        "gang": season.names[gang.id],
        "others": others(season, game, gang),
        "what": _what(season.book, event),
        "amount": event.amount,
        "captor": event.against,
        "hand": by.name if by else "",
        "hand_gang": by.gang_name if by else "",
        "turn": str(turn or ""),
    }
    yield Line(
        f"{kind}:{gang.id}:{event.number}:{event.member}",
        kind,
        day,
        event.at,
        values,
        game=event.game,
        gang=gang.id,
        # Only members who have played have a page to link to.
        member=event.member if event.member in gang.people else 0,
        slayer=(by.gang, by.member) if by else None,
    )


BY_HAND = ("died", "hurt", "captured")


def _kind(season: Season, event: Event) -> Kind | None:
    """The kind of line for an event; None for no line. A lasting injury gets one, a temporary one
    does not; a captive freed between games appears in the line of the bargain."""
    captive = event.key in season.captivity
    match event.kind:
        case "died" | "dismissed":
            return event.kind
        case "left":
            return "honoured" if event.key in honours(season.book) else "left"
        case "promoted":
            return "succeeded" if event.how == "succession" else "promoted"
        case "gained" if event.how == "succession":
            return "succeeded"
        case "suffered" if captive:
            return "captured"
        case "suffered" if not event.amount:
            return "hurt"
        case "recovered" if captive and event.game:
            return "freed"
    return None


def _what(book: Book, event: Event) -> Text | str:
    """The name of an event's departure, rank, trait or condition; "" if it has none."""
    match event.kind:
        case "left":
            return name_of(book.campaign.departure, event.key)
        case "promoted":
            return name_of(book.rank, event.key)
        case "gained":
            return name_of(book.trait, event.key)
        case "suffered" | "recovered":
            return name_of(book.condition, event.key)
    return ""
