"""A table before the first tap: the figures that take part, and what is counted of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from campaigns.table.expression_names import counts_by, side_as_it_stands, side_names, sorts_asked
from campaigns.table.state import FigureStart, Start
from rules.book.model import Book, Rules
from rules.book.vocabulary import Settings
from rules.engine.costing import price
from rules.engine.evening import member_tracks, side_tracks
from rules.engine.expressions import read
from rules.engine.figure import Figure
from rules.engine.situations import Side
from rules.engine.situations import side_names as figure_names

MOST_TIMES = 9


@dataclass(frozen=True)
class Fighter:
    """Somebody who takes part. ``book``: the rulebook with their gang's own items; ``called``: what
    they are known by among those who may play for their side; ``squad``: the name of the one they
    act with."""

    book: Book
    side: int
    called: str
    gang: str
    member: int
    figure: Figure
    squad: str = ""

    @property
    def key(self) -> str:
        """What the figure is called at the table."""
        return f"{self.side}.{self.called}"


def begin(
    rules: Rules,
    sides: Iterable[int],
    fighters: Iterable[Fighter],
    scenario: str = "",
) -> Start:
    """The table at which these fight, in this order."""
    figures = tuple(_figure(one, rules.settings, scenario) for one in fighters)
    asked = sorts_asked(rules.book)
    standing = {}
    for number in sides:
        of_side = [one for one in figures if one.side == number]
        members = [(one, None, counts_by(asked, one.names)) for one in of_side]
        standing[number] = side_as_it_stands(number, members, 1, asked, {}, {})
    tracks: Mapping[int, Mapping[str, int]] = {
        number: side_tracks(rules, scenario, side_names(standing, number, 1, rules.settings))
        for number in standing
    }
    return Start(rules, figures, tracks, scenario)


def _figure(fighter: Fighter, settings: Settings, scenario: str) -> FigureStart:
    book = fighter.book
    rules = book.under(settings)
    names = figure_names(rules, Side(fighter.figure), "by")
    rank = book.rank.get(fighter.figure.rank)
    times = read(book.activation.times).number(names) if book.activation else 1
    return FigureStart(
        key=fighter.key,
        side=fighter.side,
        figure=fighter.figure,
        book=book,
        gang=fighter.gang,
        member=fighter.member,
        leads=rank is not None and rank.leads,
        squad=fighter.squad,
        worth=int(price(rules, fighter.figure).total),
        tracks=member_tracks(rules, scenario, fighter.figure, names),
        times=max(0, min(times, MOST_TIMES)),
        names=names,
    )
