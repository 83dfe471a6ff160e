"""Builders of campaigns' pasts, without a database."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from campaigns.engine.report import Credit, GameReport, Report
from campaigns.statistics.season_facts import Season, SeasonGame, SeasonGang, SeasonSide
from campaigns.statistics.standings import Row, row, totals
from gangs.engine.timeline import Event, GangTimeline, Moment, Person
from rules.book.model import Book
from rules.book.vocabulary import Settings

FIRST = date(2026, 3, 1)


def moment_of(day: int, hour: int = 20) -> datetime:
    """Return the evening of the day with this number."""
    return datetime(2026, 3, 1, hour, tzinfo=UTC) + timedelta(days=day)


def a_side(
    gang: str,
    kind: str = "winner",
    *,
    rating: int = 100,
    out: dict[int, int] | None = None,
    credits: dict[int, Credit] | None = None,
    turns: dict[int, int] | None = None,
    name: str | None = None,
) -> SeasonSide:
    """Return a side; the gang's id is its name in lower case, "" for a deleted gang."""
    report = Report(
        fielded=(1, 2),
        counts={"taken_out": out or {}},
        credits=credits or {},
        turns=turns or {},
    )
    called = name or gang.title()
    return SeasonSide(gang=gang, name=called, kind=kind, report=report, rating=rating)  # type: ignore[arg-type]


def a_game(number: int, *sides: SeasonSide, day: int | None = None, **more: str) -> SeasonGame:
    """Return a game on the day of its number, unless another day is given."""
    when = number if day is None else day
    return SeasonGame(
        id=f"g{number}",
        day=FIRST + timedelta(days=when),
        at=moment_of(when),
        result=more.pop("result", "crushing"),
        sides=sides,
        **more,  # type: ignore[arg-type]
    )


def a_gang(
    gang: str,
    *,
    ratings: dict[str, int] | None = None,
    events: tuple[Event, ...] = (),
    people: tuple[Person, ...] = (),
    joined: int = -1,
    left: int | None = None,
    retired: int | None = None,
    rating: int = 100,
) -> SeasonGang:
    """Return a gang that had these ratings after these games."""
    moments = tuple(
        Moment(game=game, place=place, at=moment_of(0), games=place, rating=value)
        for place, (game, value) in enumerate((ratings or {}).items(), start=1)
    )
    start = Moment(place=0, at=moment_of(joined), rating=100) if moments or people else None
    return SeasonGang(
        id=gang,
        name=gang.title(),
        owner=f"{gang}-player",
        rating=rating,
        joined_at=moment_of(joined),
        left_at=None if left is None else moment_of(left),
        retired_at=None if retired is None else moment_of(retired),
        timeline=GangTimeline(start=start, moments=moments, events=events, people=people),
    )


def a_happening(kind: str, number: int, member: int, **more: object) -> Event:
    """Return an event of a nameless underling, or of the member in ``more``."""
    data: dict[str, object] = {"rank": "sous_fifre", "at": moment_of(1, 22), "game": ""}
    return Event.model_validate({**data, "kind": kind, "number": number, "member": member, **more})


def a_past(
    book: Book, *games: SeasonGame, gangs: tuple[SeasonGang, ...] = (), **more: object
) -> Season:
    """Return a past under the rulebook's usual options."""
    return Season(book.usual, gangs=gangs, games=games, **more)  # type: ignore[arg-type]


def a_row(
    book: Book, settings: Settings, gang: str, name: str, rating: int, *games: GameReport
) -> Row:
    """Return a gang that has played these games, to be ranked."""
    return row(gang, name, rating, [totals(book.under(settings), game) for game in games])
