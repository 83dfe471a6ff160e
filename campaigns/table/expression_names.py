"""What the expressions of a rulebook read of a table: its sides, its figures, its turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from campaigns.table.state import Departure, FigureNow, FigureStart, SideNow
from rules.book.model import Book
from rules.book.rolls import Lasting
from rules.book.vocabulary import Settings
from rules.engine.expressions import COUNTING, BadExpression, Unknown, Value, read


def sorts_asked(book: Book) -> frozenset[str]:
    """What the evening's expressions count members by: "members:by.is_rank('scout')"."""
    found = set()
    for formula in _formulas(book):
        for name in read(formula).names:
            subject, _dot, question = name.partition(".")
            if subject in ("gang", "enemy") and question.partition(":")[0] in COUNTING:
                found.add(question)
    return frozenset(found)


def _formulas(book: Book) -> Iterator[int | str]:
    for track in book.tracks:
        yield track.start
        if track.maximum is not None:
            yield track.maximum
    for alarm in book.alarms:
        yield alarm.given


# A member of a side, how they went if they are out, and by which of the questions they count.
Member = tuple[FigureStart, Departure | None, frozenset[str]]


def counts_by(asked: frozenset[str], names: Mapping[str, Value]) -> frozenset[str]:
    """The questions by which somebody is counted, in play or out."""
    return frozenset(one for one in asked if holds(one.partition(":")[2], names))


def side_as_it_stands(
    number: int,
    members: Sequence[Member],
    turn: int,
    asked: frozenset[str],
    tracks: Mapping[str, int],
    states: Mapping[str, Lasting],
) -> SideNow:
    """A side as a value. ``asked``: what its members are counted by."""
    gone = [(figure, out) for figure, out, _counts in members if out is not None]
    this_turn = [figure for figure, out in gone if out.turn == turn]
    counted = {}
    for question in asked:
        in_play = question.startswith("members:")
        counted[question] = sum(
            (out is None) == in_play and question in counts for _figure, out, counts in members
        )
    return SideNow(
        number=number,
        tracks=tracks,
        states=states,
        start=len(members),
        standing=len(members) - len(gone),
        lost=len(gone),
        lost_this_turn=len(this_turn),
        leaders_out=sum(figure.leads for figure, _out in gone),
        leaders_lost_this_turn=sum(figure.leads for figure in this_turn),
        worth_lost=sum(figure.worth for figure, out in gone if not out.unhurt),
        asked=counted,
    )


def side_names(
    sides: Mapping[int, SideNow], number: int, turn: int, settings: Settings
) -> dict[str, Value]:
    """What is read of a side as ``gang``, of all others together as ``enemy``, and of the table,
    with the options that are played with."""
    ours = sides[number]
    others = [side for key, side in sides.items() if key != number]
    names: dict[str, Value] = {
        "gang.standing": ours.standing,
        "gang.start": ours.start,
        "gang.lost": ours.lost,
        "gang.lost_this_turn": ours.lost_this_turn,
        "gang.lost_worth": ours.worth_lost,
        "gang.leaders_out": ours.leaders_out,
        "gang.leaders_lost_this_turn": ours.leaders_lost_this_turn,
        "enemy.standing": sum(side.standing for side in others),
        "enemy.start": sum(side.start for side in others),
        "enemy.lost": sum(side.lost for side in others),
        "enemy.leaders_out": sum(side.leaders_out for side in others),
        "table.turn": turn,
        "table.sides": len(sides),
    }
    names |= {f"table.option:{key}:{value}": 1 for key, value in settings.items()}
    for sort, number_of in ours.asked.items():
        names[f"gang.{sort}"] = number_of
        names[f"enemy.{sort}"] = sum(side.asked[sort] for side in others)
    names |= {f"gang.left:{key}": value for key, value in ours.tracks.items()}
    for key in ours.tracks:
        names[f"enemy.left:{key}"] = sum(side.tracks.get(key, 0) for side in others)
    names |= {f"gang.in_state:{key}": 1 for key in ours.states}
    names |= {f"enemy.in_state:{key}": 1 for side in others for key in side.states}
    return names


def counted_names(book: Book, figure: FigureStart, tracks: Mapping[str, int]) -> dict[str, Value]:
    """What is read of a figure, with what is counted of it as it stands."""
    names = dict(figure.names)
    for key, value in tracks.items():
        names[f"by.left:{key}"] = value
    if book.life is not None and book.life in tracks:
        names["by.life"] = tracks[book.life]
    return names


def departed_with(book: Book, out: Departure) -> str | None:
    """The mark of somebody who is out: as was said, or the first of the game's if nothing was. Who
    left unhurt has none."""
    if out.unhurt:
        return None
    declared = [row.key for row in book.campaign.marks]
    return out.mark if out.mark in declared else next(iter(declared), None)


def holds(given: str, names: Mapping[str, Value]) -> bool:
    """Whether an expression is true; it is not of a figure that lacks what is asked about."""
    try:
        return read(given).holds(names)
    except (BadExpression, Unknown):
        return False


def figure_names(book: Book, start: FigureStart, now: FigureNow) -> dict[str, Value]:
    """What is read of a figure as it stands: what is counted, its states, how often it acted."""
    names = counted_names(book, start, now.tracks)
    names |= {f"by.in_state:{key}": 1 for key in now.states}
    names |= {f"by.did:{action}": now.did.count(action) for action in now.did}
    names |= {f"by.did_before:{action}": now.did_before.count(action) for action in now.did_before}
    names["by.acted"] = now.acted
    if now.out is not None and (mark := departed_with(book, now.out)):
        names[f"by.marked:{mark}"] = 1
    return names
