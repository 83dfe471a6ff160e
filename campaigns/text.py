"""Telling: games, sides and post-games put into words and links, ready to be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.aftermath import situation_of
from campaigns.models import Game, Side
from campaigns.results import may_report
from campaigns.situation import Situation
from campaigns.standings import Record
from gangs.models import Gang
from gangs.wording import spoken
from rules.book import Book


@dataclass(frozen=True)
class Awaited:
    """What a game waits for: in words, with a link for the one who can do it."""

    text: str
    url: str = ""


@dataclass(frozen=True)
class GameLine:
    """A game in a list. ``outcome``: the result, and who won."""

    url: str
    title: str
    day: str
    iso: str
    status: str
    scenario: str
    outcome: str
    awaits: tuple[Awaited, ...]


def game_line(book: Book, game: Game, sides: Sequence[Side], user: User, url: str) -> GameLine:
    """A game as the user sees it; ``url``: where its page is."""
    outcome = []
    if game.result:
        winners = [side.name for side in sides if side.side == Side.Kind.WINNER]
        outcome = [result_name(book, game), *(_("%(name)s won") % {"name": n} for n in winners)]
    return GameLine(
        url=url,
        title=" – ".join(side.name for side in sides),
        day=date_format(game.played_on, "j N Y"),
        iso=game.played_on.isoformat(),
        status=game.status,
        scenario=scenario_name(book, game),
        outcome=" · ".join(outcome),
        awaits=tuple(awaited(game, sides, user, url)),
    )


def told_apart(lines: Sequence[GameLine]) -> list[GameLine]:
    """The same games, in the same order; those of one day between the same gangs with a number.

    ``lines``: the oldest first.
    """
    bearers = Counter((line.iso, line.title) for line in lines)
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for line in lines:
        key = (line.iso, line.title)
        seen[key] += 1
        title = f"{line.title} ({seen[key]})" if bearers[key] > 1 else line.title
        found.append(replace(line, title=title))
    return found


def is_open(game: Game, sides: Sequence[Side]) -> bool:
    """Whether the game still waits for somebody."""
    if game.status != Game.Status.CONFIRMED:
        return True
    return any(side.gang is not None and not side.done for side in sides)


def scenario_name(book: Book, game: Game) -> str:
    """The scenario's name: from the rulebook, or from the row of its table that was rolled."""
    row = book.scenario.get(game.scenario)
    if row is not None:
        return spoken(row.name)
    hit = rolled_row(book, game)
    return spoken(hit.name) if hit is not None else ""


def rolled_row(book: Book, game: Game) -> Any:
    """The row of the scenario table that the game's roll hit, if there was one."""
    roll, table = game.roll, book.campaign.scenario_table
    if roll is None or table is None:
        return None
    rows = book.table[table].rows
    return next((row for row in rows if row.low <= roll.total <= row.high), None)


def result_name(book: Book, game: Game) -> str:
    """The result's name; empty while there is none."""
    names = {row.key: row.name for row in book.campaign.results}
    return spoken(names[game.result]) if game.result in names else ""


def outcome_name(book: Book, side: Side) -> str:
    """What the game ended in for this side; empty while there is no result."""
    return spoken(book.campaign.outcome(side.game.result, side.kind))


def awaited(game: Game, sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    """What the game waits for, the reader's own duties with a link. ``page``: the game's address,
    which theirs begin with."""
    match game.status:
        case Game.Status.PLANNED:
            if game.played_on > timezone.localdate():
                yield Awaited(_("Still to be played"))
            elif may_report(game, user, sides):
                yield Awaited(_("Played? Report the result"), f"{page}report/")
            else:
                yield Awaited(_("Waiting for a result"))
        case Game.Status.REPORTED:
            yield from _unconfirmed(sides, user, page)
        case Game.Status.DISPUTED:
            yield from _disputed(game, sides, user, page)
        case Game.Status.CONFIRMED:
            for side in sides:
                if side.gang is not None and (side.correcting or not side.done):
                    yield _postgame(side, user, page)


def _unconfirmed(sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    for name in dict.fromkeys(owner_name(side) for side in sides if not side.verdict):
        if name == user.username:
            yield Awaited(_("Is that right? Confirm or dispute"), f"{page}#verdict")
        else:
            yield Awaited(_("Waiting for %(name)s to confirm") % {"name": name})


def _disputed(game: Game, sides: Sequence[Side], user: User, page: str) -> Iterable[Awaited]:
    """The players can still agree; an organiser can decide. Both find it on the game's page."""
    link = f"{page}#verdict" if may_report(game, user, sides) else ""
    objecting = [side for side in sides if side.verdict == Side.Verdict.DISPUTED]
    for name in dict.fromkeys(owner_name(side) for side in objecting):
        own = name == user.username
        words = _("You tell it differently") if own else _("%(name)s tells it differently")
        yield Awaited(words % {"name": name}, link)


def _postgame(side: Side, user: User, page: str) -> Awaited:
    values = {"gang": side.name, "name": owner_name(side)}
    if side.is_of(user):
        told = _("%(gang)s: your post-game awaits")
        if side.correcting:
            told = _("%(gang)s: your post-game is to be played again")
        return Awaited(told % values, f"{page}postgame/{side.pk}/")
    return Awaited(_("Waiting for %(name)s’s post-game (%(gang)s)") % values)


def owner_name(side: Side) -> str:
    """Who plays a side."""
    if side.gang is None or side.gang.owner is None:
        return side.name
    return str(side.gang.owner)


def side_names(sides: Sequence[Side]) -> dict[int, str]:
    """What the sides of a game are called in it, by their primary keys: gangs that bear the same
    name are told apart by their players. The sides come with their gangs and owners."""
    bearers = Counter(side.name for side in sides)
    return {
        side.pk: f"{side.name} ({side.gang.owner})"
        if bearers[side.name] > 1 and side.gang is not None and side.gang.owner is not None
        else side.name
        for side in sides
    }


def records(gangs: Sequence[Gang], games: Mapping[Game, Sequence[Side]]) -> list[Record]:
    """What standings are made of, from the confirmed games among ``games``."""
    by_gang: dict[object, list[Situation]] = {gang.pk: [] for gang in gangs}
    for game, sides in games.items():
        if game.status == Game.Status.CONFIRMED:
            for side in sides:
                if side.gang_id in by_gang:
                    by_gang[side.gang_id].append(situation_of(side, sides))
    return [
        Record(
            gang=str(gang.pk),
            name=gang.name,
            rating=gang.rating,
            situations=tuple(by_gang[gang.pk]),
        )
        for gang in gangs
    ]
