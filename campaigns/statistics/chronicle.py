"""The chronicle: what happened in a campaign, as data that each reader is told in his language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from itertools import groupby
from typing import Literal

from campaigns.bargaining import PARTIES, Party, prisons
from campaigns.past import Past, PastBargain, PastGame, PastGang, PastSide
from campaigns.situation import Hand
from gangs.story import Happening
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Row, Text

Kind = Literal[
    "won",
    "level",
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
    "joined",
    "withdrew",
    "bargain",
    "corrected",
]
# A name, a rulebook's text, an amount, or several names.
Value = str | Text | Points | tuple[str | Text, ...]


@dataclass(frozen=True)
class Line:
    """One thing that happened. ``key`` tells it from all others of its campaign, for ever;
    ``day``: under which it is told; ``at``: when it was written down. ``game``, ``gang`` and
    ``member``: whom it is about; ``slayer``: the gang and number of whoever did it."""

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
    """What a day brought, in order; ``nights``: the campaign's nights that were held then."""

    day: date
    nights: tuple[str, ...]
    lines: tuple[Line, ...]


def chronicle(past: Past, zone: tzinfo) -> tuple[Line, ...]:
    """All lines, the newest day first; within a day, games in order, each with what it brought.

    ``zone``: what happened between games belongs to the day that it was there.
    """
    lines = [(0, line) for line in _joined(past, zone)]
    lines += [(1, line) for line in _games(past)]
    lines += [(2, line) for line in _between(past, zone)]
    lines.sort(key=lambda pair: (-pair[1].day.toordinal(), pair[0]))
    return tuple(line for _order, line in lines)


def newest(lines: Sequence[Line], most: int) -> list[Line]:
    """What was written down last, the newest first: news of an old game are news."""
    places = {line.key: place for place, line in enumerate(lines)}
    order = sorted(lines, key=lambda line: (line.at, -places[line.key]), reverse=True)
    return order[:most]


def days(past: Past, lines: Sequence[Line]) -> list[Day]:
    """Lines in the order of the chronicle, day by day."""
    nights: dict[date, list[str]] = {}
    for game in past.games:
        if game.night and game.night not in nights.setdefault(game.day, []):
            nights[game.day].append(game.night)
    return [
        Day(day, tuple(nights.get(day, ())), tuple(told))
        for day, told in groupby(lines, key=lambda line: line.day)
    ]


def scenario(book: Book, game: PastGame) -> Text | str:
    """The name of the game's scenario, from the rulebook or the row of its table that was rolled;
    "" if it has none."""
    if game.scenario in book.scenario:
        return book.scenario[game.scenario].name
    table = book.campaign.scenario_table
    if game.scenario_total is None or table is None:
        return ""
    rows = book.table[table].rows
    hits = [row.name for row in rows if row.low <= game.scenario_total <= row.high]
    return hits[0] if hits else ""


def called(past: Past, gang: PastGang | None, member: int) -> Text | str:
    """What somebody is called: his name, or his rank; "" if nobody knows."""
    person = gang.people.get(member) if gang is not None else None
    return shown(past.book, person.name, person.rank) if person is not None else ""


def shown(book: Book, name: str, rank: str) -> Text | str:
    """A name, or for want of one the rank."""
    return name or named(book.rank, rank)


def named(rows: Mapping[str, Row], key: str) -> Text | str:
    """The name of a rulebook's row; its key if the rulebook no longer has it."""
    return rows[key].name if key in rows else key


def hand(past: Past, game: PastGame | None, gang: str, member: int) -> Hand | None:
    """By whose hand somebody of a gang ended a game as he did, if that is told."""
    sides = [side for side in game.sides if side.gang == gang] if game is not None else []
    return sides[0].report.hands.get(member) if sides else None


def honours(book: Book) -> set[str]:
    """The departures of those for whom no higher rank is left: legends."""
    return {row.departure for row in book.campaign.promotions if row.to is None and row.departure}


def happened(past: Past, gang: PastGang) -> Iterator[Happening]:
    """What happened to the gang's people in this campaign: in its games, or between them while the
    gang was in it."""
    until = gang.left_at or past.ended_at
    for one in gang.story.happenings:
        if one.game:
            here = one.game in past.game
        else:
            here = one.at >= gang.joined_at and (until is None or one.at <= until)
        if here:
            yield one


def _joined(past: Past, zone: tzinfo) -> Iterator[Line]:
    for gang in past.gangs:
        at = gang.joined_at
        values = {"gang": gang.name, "owner": gang.owner}
        day = at.astimezone(zone).date()
        yield Line(f"joined:{gang.id}", "joined", day, at, values, gang=gang.id)


def _games(past: Past) -> Iterator[Line]:
    brought: dict[str, list[Line]] = {}
    for gang in past.gangs:
        for one in happened(past, gang):
            game = past.game.get(one.game)
            if game is not None:
                brought.setdefault(one.game, []).extend(_told(past, gang, one, game, game.day))
    for game in past.games:
        yield _game(past.book, game)
        yield from brought.get(game.id, ())
    for game in past.struck:
        values = {"title": game.title, "by": game.struck_by, "why": game.struck_why}
        yield Line(f"struck:{game.id}", "taken_back", game.day, game.at, values, game=game.id)


def _game(book: Book, game: PastGame) -> Line:
    """Who beat whom; where nobody won, who met."""
    winners = [side for side in game.sides if side.kind == "winner"]
    results = {row.key: row for row in book.campaign.results}
    values: dict[str, Value] = {
        "winners": _names(winners),
        "others": _names([side for side in game.sides if side.kind != "winner"]),
        "result": named(results, game.result),
        "scenario": scenario(book, game),
    }
    kind: Kind = "won" if winners else "level"
    return Line(f"game:{game.id}", kind, game.day, game.at, values, game=game.id)


def _names(sides: Sequence[PastSide]) -> tuple[str, ...]:
    return tuple(side.name for side in sides)


def _between(past: Past, zone: tzinfo) -> Iterator[Line]:
    """What happened between games."""
    for gang in past.gangs:
        for one in happened(past, gang):
            if not one.game:
                yield from _told(past, gang, one, None, one.at.astimezone(zone).date())
        if (at := gang.left_at) is not None:
            values = {"gang": gang.name}
            day = at.astimezone(zone).date()
            yield Line(f"left:{gang.id}", "withdrew", day, at, values, gang=gang.id)
    for bargain in past.bargains:
        yield _bargain(past, bargain, zone)
    for row in past.corrections:
        gang = past.gang[row.gang]
        until = gang.left_at or past.ended_at
        if row.at >= gang.joined_at and (until is None or row.at <= until):
            values = {"gang": gang.name, "by": row.by, "why": row.why}
            day = row.at.astimezone(zone).date()
            yield Line(f"corrected:{row.id}", "corrected", day, row.at, values, gang=gang.id)


def _bargain(past: Past, bargain: PastBargain, zone: tzinfo) -> Line:
    parties: dict[Party, str] = {"giver": bargain.giver, "taker": bargain.taker}
    freed = [
        called(past, past.gang.get(parties[party]), member)
        for party in PARTIES
        for member in bargain.terms.freed(party)
    ]
    payer = {"giver": bargain.giver_name, "taker": bargain.taker_name, None: ""}
    values: dict[str, Value] = {
        "giver": bargain.giver_name,
        "taker": bargain.taker_name,
        "freed": tuple(name for name in freed if name),
        "payer": payer[bargain.terms.payer] if bargain.terms.ransom else "",
        "ransom": bargain.terms.ransom,
    }
    day = bargain.at.astimezone(zone).date()
    return Line(f"bargain:{bargain.id}", "bargain", day, bargain.at, values)


def _told(
    past: Past, gang: PastGang, one: Happening, game: PastGame | None, day: date
) -> Iterator[Line]:
    """What a happening adds to the chronicle; most of them nothing."""
    kind = _kind(past, one)
    if kind is None or (kind == "dismissed" and one.member not in gang.people):
        return
    others = [side.name for side in game.sides if side.gang != gang.id] if game else []
    values: dict[str, Value] = {
        "who": shown(past.book, one.name, one.rank),
        "gang": gang.name,
        "others": tuple(others),
        "what": _what(past.book, one),
        "amount": one.amount,
        "captor": one.against,
        "hand": "",
        "hand_gang": "",
    }
    slayer = None
    struck_by = hand(past, game, gang.id, one.member) if kind in BY_HAND else None
    if struck_by is not None:
        values["hand"] = called(past, past.gang.get(struck_by.gang), struck_by.member)
        values["hand_gang"] = past.names.get(struck_by.gang, "")
        if values["hand"]:
            slayer = (struck_by.gang, struck_by.member)
    yield Line(
        f"{kind}:{gang.id}:{one.number}:{one.member}",
        kind,
        day,
        one.at,
        values,
        game=one.game,
        gang=gang.id,
        # Only of those who have played there is more to read.
        member=one.member if one.member in gang.people else 0,
        slayer=slayer,
    )


BY_HAND = ("died", "hurt", "captured")


def _kind(past: Past, one: Happening) -> Kind | None:
    """What to tell of a happening. A lasting injury is told, one of some games' time is not; a
    captive who comes back between games is told with the bargain that freed him."""
    captive = one.key in prisons(past.book, past.settings)
    match one.kind:
        case "died" | "dismissed":
            return one.kind
        case "left":
            return "honoured" if one.key in honours(past.book) else "left"
        case "promoted":
            return "succeeded" if one.how == "succession" else "promoted"
        case "gained" if one.how == "succession":
            return "succeeded"
        case "suffered" if captive:
            return "captured"
        case "suffered" if not one.amount:
            return "hurt"
        case "recovered" if captive and one.game:
            return "freed"
    return None


def _what(book: Book, one: Happening) -> Text | str:
    """What a happening is about."""
    match one.kind:
        case "left":
            return named({row.key: row for row in book.campaign.departures}, one.key)
        case "promoted":
            return named(book.rank, one.key)
        case "gained":
            return named(book.trait, one.key)
        case "suffered" | "recovered":
            return named(book.condition, one.key)
    return ""
