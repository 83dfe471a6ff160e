"""A table as values: before the first tap, as it stands, and what expressions read of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from campaigns.table.taps import TapKey
from rules.book.model import Book, Rules
from rules.book.rolls import Lasting
from rules.book.vocabulary import Settings
from rules.engine import situations
from rules.engine.costing import price
from rules.engine.evening import member_tracks, side_tracks
from rules.engine.expressions import COUNTING, BadExpression, Unknown, Value, parse
from rules.engine.figure import Figure


@dataclass(frozen=True)
class FigureStart:
    """A figure before the first tap. ``key``: its side and what it is called among those who may
    play; ``gang`` and ``member``: whose it is there (of a hired hand, the gang that they come
    from); ``squad``: whom it acts with; ``tracks``: what it begins with; ``times``: how often it
    acts in a turn; ``worth``: what it costs as it is; ``names``: what expressions may read of it;
    ``figure``: it as the rules see it, under ``book``, which has its gang's own items."""

    key: str
    side: int
    figure: Figure
    rules: Rules
    gang: str = ""
    member: int = 0
    leads: bool = False
    squad: str = ""
    tracks: Mapping[str, int] = field(default_factory=dict)
    times: int = 1
    worth: int = 0
    names: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """A table before the first tap: the rules, the figures, what each side begins with, and the
    key of the scenario, if it is one of the rulebook's."""

    rules: Rules
    figures: tuple[FigureStart, ...]
    sides: Mapping[int, Mapping[str, int]]
    scenario: str = ""

    @property
    def book(self) -> Book:
        """The rulebook that is played by."""
        return self.rules.book

    @property
    def settings(self) -> Settings:
        """The options that are played with."""
        return self.rules.settings


@dataclass(frozen=True)
class Departure:
    """How a figure went out: in which turn, by whose hand, with which mark; ``unhurt``: it left
    the table, and nothing became of it."""

    turn: int
    by: str | None
    mark: str | None
    unhurt: bool = False


@dataclass(frozen=True)
class FigureNow:
    """A figure as it stands. ``acted``: how often it has acted in this turn; ``states`` with until
    when; ``item_states``: of its weapons, by item; ``lost``: how many of each weapon it cannot use
    again, and ``lost_for_good`` of them also in later games.

    ``did``: its actions in this turn, ``did_before``: those of the last turn in which it did any;
    ``rolled``: what it has thrown since the last of them."""

    key: str
    side: int
    tracks: Mapping[str, int]
    states: Mapping[str, Lasting]
    item_states: Mapping[str, Mapping[str, Lasting]]
    lost: Mapping[str, int]
    acted: int
    may_act: bool
    out: Departure | None
    lost_for_good: Mapping[str, int] = field(default_factory=dict)
    did: tuple[str, ...] = ()
    did_before: tuple[str, ...] = ()
    rolled: tuple[str, ...] = ()


@dataclass(frozen=True)
class SideNow:
    """A side as it stands: what it counts, its states, and how many of it stand. ``worth_lost``:
    what those who are out cost; ``asked``: how many of a sort stand, or are lost, by the name that
    expressions have for it."""

    number: int
    tracks: Mapping[str, int]
    states: Mapping[str, Lasting]
    start: int
    standing: int
    lost: int
    lost_this_turn: int
    leaders_out: int
    leaders_lost_this_turn: int
    worth_lost: int
    asked: Mapping[str, int]


@dataclass(frozen=True)
class Due:
    """Something that is to be dealt with. ``turn``: in which it fell due."""

    alarm: str
    who: str | int
    turn: int


@dataclass(frozen=True)
class FollowUp:
    """A roll that follows from another. ``who``: the figure that throws it, or the side of which
    somebody does; ``at`` and the weapons: as far as what it follows from says them; ``act``: what
    it follows from."""

    roll: str
    who: str | int
    turn: int
    act: UUID
    at: str | int | None = None
    item: str | None = None
    mode: str | None = None
    at_item: str | None = None
    at_mode: str | None = None


@dataclass(frozen=True)
class Double:
    """What only people know: whether two phones told the same attack or two.

    ``acts``: both; ``taps``: those of the second.
    """

    acts: tuple[UUID, UUID]
    by: str | int
    at: str | int | None
    turn: int
    taps: tuple[TapKey, ...]


@dataclass(frozen=True)
class Contested:
    """A tap that somebody has struck, though others' taps rest on it: those, still standing."""

    struck: TapKey
    by: TapKey
    resting: tuple[TapKey, ...]


@dataclass(frozen=True)
class Asked:
    """A request to undo taps of acts whose dice the application threw.

    ``act``: the request's own; ``strikes``: its taps, each with the tap that it strikes;
    ``by``: the person who asks, as the server knows them; ``actor``: their account, if they have
    one; ``agreed``: the answer, None while there is none; ``answered_by``: the account that
    answered.
    """

    act: UUID
    strikes: Mapping[TapKey, TapKey]
    by: UUID
    actor: int | None
    agreed: bool | None
    answered_by: int | None


@dataclass(frozen=True)
class Late:
    """Taps of one phone that came in when their turn was over."""

    device: UUID
    actor: int | None
    turn: int
    number: int


@dataclass(frozen=True)
class TableNow:
    """The whole table. ``phase``: None before one has begun in this turn; ``tallies``: what was
    counted, by tally and figure or side; ``over``: the result's key, "" if play is over and nobody
    said how, None while it goes on; ``winner``: the side that has won, if one has and it was said;
    ``unknown``: taps that speak of nothing at this table; ``asked``: requests to undo dice that
    nobody has answered yet."""

    turn: int
    phase: str | None
    figures: Mapping[str, FigureNow]
    sides: Mapping[int, SideNow]
    tallies: Mapping[str, Mapping[str | int, int]]
    due: tuple[Due, ...]
    follow_ups: tuple[FollowUp, ...]
    unknown: frozenset[TapKey]
    over: str | None
    winner: int | None
    doubles: tuple[Double, ...] = ()
    contested: tuple[Contested, ...] = ()
    late: tuple[Late, ...] = ()
    struck: frozenset[TapKey] = frozenset()
    asked: tuple[Asked, ...] = ()


# What the expressions of a rulebook read of it: its sides, its figures, its turn.


def find_sorts(book: Book) -> frozenset[str]:
    """What the evening's expressions count members by: "members:by.is_rank('scout')"."""
    found = set()
    for formula in _formulas(book):
        for name in parse(formula).names:
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


def track_names(book: Book, figure: FigureStart, tracks: Mapping[str, int]) -> dict[str, Value]:
    """What is read of a figure, with what is counted of it as it stands."""
    names = dict(figure.names)
    for key, value in tracks.items():
        names[f"by.left:{key}"] = value
    if book.life is not None and book.life in tracks:
        names["by.life"] = tracks[book.life]
    return names


def departure_mark(book: Book, out: Departure) -> str | None:
    """The mark of somebody who is out: as was said, or the first of the game's if nothing was. Who
    left unhurt has none."""
    if out.unhurt:
        return None
    declared = [row.key for row in book.campaign.marks]
    return out.mark if out.mark in declared else next(iter(declared), None)


def holds(given: str, names: Mapping[str, Value]) -> bool:
    """Whether an expression is true; it is not of a figure that lacks what is asked about."""
    try:
        return parse(given).holds(names)
    except (BadExpression, Unknown):
        return False


def figure_names(book: Book, start: FigureStart, now: FigureNow) -> dict[str, Value]:
    """What is read of a figure as it stands: what is counted, its states, how often it acted."""
    names = track_names(book, start, now.tracks)
    names |= {f"by.in_state:{key}": 1 for key in now.states}
    names |= {f"by.did:{action}": now.did.count(action) for action in now.did}
    names |= {f"by.did_before:{action}": now.did_before.count(action) for action in now.did_before}
    names["by.acted"] = now.acted
    if now.out is not None and (mark := departure_mark(book, now.out)):
        names[f"by.marked:{mark}"] = 1
    return names


# Before the first tap.

MOST_TIMES = 9


@dataclass(frozen=True)
class TableFighter:
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
    fighters: Iterable[TableFighter],
    scenario: str = "",
) -> Start:
    """The table at which these fight, in this order."""
    figures = tuple(_figure(one, rules.settings, scenario) for one in fighters)
    asked = find_sorts(rules.book)
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


def _figure(fighter: TableFighter, settings: Settings, scenario: str) -> FigureStart:
    rules = fighter.book.under(settings)
    names = situations.side_names(rules, situations.Side(fighter.figure), "by")
    rank, activation = rules.book.rank.get(fighter.figure.rank), rules.book.activation
    times = parse(activation.times).number(names) if activation else 1
    return FigureStart(
        key=fighter.key,
        side=fighter.side,
        figure=fighter.figure,
        rules=rules,
        gang=fighter.gang,
        member=fighter.member,
        leads=rank is not None and rank.leads,
        squad=fighter.squad,
        worth=int(price(rules, fighter.figure).total),
        tracks=member_tracks(rules, scenario, fighter.figure, names),
        times=max(0, min(times, MOST_TIMES)),
        names=names,
    )
