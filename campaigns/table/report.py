"""The game as its table knows it, from which the report starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.engine.claims import SideAccount
from campaigns.engine.credits import find_counted_sorts
from campaigns.engine.report import Credit, Report, SideKind
from campaigns.models import Game, Side, Table
from campaigns.table.folded import fold_table
from campaigns.table.people import unreadable
from campaigns.table.state import (
    NOT_HERE,
    FigureNow,
    FigureStart,
    Start,
    TableNow,
    are_friends,
    find_mark,
)
from campaigns.table.taps import NONPLAYERS
from rules.book.model import Book
from rules.book.season import TOGETHER, ResultType
from rules.engine.figure import picks


@dataclass(frozen=True)
class TableAccount:
    """The content of a log, which nobody has reported yet.

    ``result``: "" if it has none; ``sides``: by primary key; ``never_came``: the numbers of
    non-players who could have arrived, and did not before the game was over.
    """

    result: str
    sides: Mapping[int, SideAccount]
    never_came: frozenset[int] = frozenset()


def table_account(game: Game, sides: Sequence[Side]) -> TableAccount | None:
    """Return the account of the game's table, None if it has no taps. Corrections of the log change
    it."""
    table = Table.objects.filter(game=game, seq__gt=0).first()
    if table is None:
        return None
    found = fold_table(table)
    readable = table.sides.exclude(gang=None).exclude(number__in=unreadable(table))
    numbers = dict(readable.values_list("gang", "number"))
    seats = {numbers[side.gang_id]: side for side in sides if side.gang_id in numbers}
    gangs = {number: str(side.gang_id) for number, side in seats.items()}
    told = report_sides(found.start, found.now, gangs)
    result = game.campaign.book.campaign.result.get(found.now.over or "")
    return TableAccount(
        result=found.now.over or "",
        sides={
            side.pk: SideAccount(_kind(result, found.now.winner, number), told[number])
            for number, side in seats.items()
        },
        never_came=_find_never_came(found.start, found.now),
    )


def _find_never_came(start: Start, now: TableNow) -> frozenset[int]:
    """Return the numbers of the non-players who stayed away until the game was over."""
    if now.over is None:
        return frozenset()
    return frozenset(
        one.member
        for one in start.figures
        if one.side == NONPLAYERS and now.figures[one.key].out == NOT_HERE
    )


def _kind(result: ResultType | None, winner: int | None, number: int) -> SideKind:
    if result is not None and result.kind in TOGETHER:
        return TOGETHER[result.kind]
    if winner is None:
        return "level"
    return "winner" if number == winner else "loser"


def report_sides(start: Start, now: TableNow, gangs: Mapping[int, str]) -> dict[int, Report]:
    """Return the report of each side by number. ``gangs``: the gang of each.

    Hired hands are in no report: their gang has not played.
    """
    return {number: _report(start, now, number, gang) for number, gang in gangs.items()}


def _report(start: Start, now: TableNow, number: int, gang: str) -> Report:
    own = {one.key: one for one in start.figures if one.side == number and one.gang == gang}
    everybody = {one.key: one for one in start.figures}
    marks, credits, turns, by_nonplayers = {}, {}, {}, {}
    for key, figure in own.items():
        there = now.figures[key]
        mark = mark_of(start, there)
        if mark is None:
            continue
        marks[figure.member] = mark
        if there.out is not None:
            turns[figure.member] = there.out.turn
        stands = start.rules.mark[mark].stands
        by = None if stands else _put_out_by(start.book, there, everybody)
        if by is None:
            continue
        if by.side == NONPLAYERS:
            by_nonplayers[figure.member] = by.member
        else:
            credits[figure.member] = Credit(gang=by.gang, member=by.member)
    counts: dict[str, dict[int, int]] = {}
    tallies: dict[str, int] = {}
    for tally, counted in now.tallies.items():
        for who, amount in counted.items():
            if who == number:
                tallies[tally] = amount
            elif isinstance(who, str) and who in own and amount:
                counts.setdefault(tally, {})[own[who].member] = amount
    if start.book.who_plays.is_together:
        for sort, felled in _count_felled(start, now, own).items():
            # Players may have counted more than they tapped as put out.
            told = counts.setdefault(sort, {})
            told.update({who: max(amount, told.get(who, 0)) for who, amount in felled.items()})
    fielded = tuple(sorted(figure.member for figure in own.values()))
    lasting = [row.key for row in start.rules.tracks if row.lasts]
    tracks = {
        track: {
            figure.member: now.figures[key].tracks[track]
            for key, figure in own.items()
            if track in now.figures[key].tracks
        }
        for track in lasting
    }
    return Report(
        fielded=fielded,
        marks=marks,
        credits=credits,
        turns=turns,
        by_nonplayers=by_nonplayers,
        counts=counts,
        tallies=tallies,
        tracks={track: numbers for track, numbers in tracks.items() if numbers},
    )


def _count_felled(
    start: Start, now: TableNow, own: Mapping[str, FigureStart]
) -> dict[str, dict[int, int]]:
    """Return the non-players whom members have put out, by the tally that counts such enemies, then
    by member: against the book, these are the enemies."""
    found: dict[str, dict[int, int]] = {}
    for figure in start.figures:
        there = now.figures[figure.key]
        out, mark = there.out, mark_of(start, there)
        by = own.get(out.by or "") if out is not None and not out.unhurt else None
        if figure.side != NONPLAYERS or by is None:
            continue
        if mark is None or start.rules.mark[mark].stands:
            continue
        for key, sort in find_counted_sorts(start.rules).items():
            if sort is None or (
                (not sort.marks or mark in sort.marks) and picks(start.book, sort.of, figure.figure)
            ):
                counted = found.setdefault(key, {})
                counted[by.member] = counted.get(by.member, 0) + 1
    return found


def mark_of(start: Start, figure: FigureNow) -> str | None:
    """Return how a figure has ended the game: the mark of its departure, the game's usual mark if
    that has none, or the mark of a state that it is in. A figure that left unhurt has no mark but
    the one that its departure names.
    """
    declared = start.rules.mark
    if figure.out is not None:
        return find_mark(start.rules.marks, figure.out)
    for key in figure.states:
        mark = start.book.state[key].mark
        if mark in declared:
            return mark
    return None


def _put_out_by(
    book: Book, figure: FigureNow, everybody: Mapping[str, FigureStart]
) -> FigureStart | None:
    """Return the figure of another side that put a figure out, None if nobody is known to have done
    it."""
    if figure.out is None or figure.out.by is None:
        return None
    by = everybody.get(figure.out.by)
    return None if by is None or are_friends(book, by.side, figure.side) else by
