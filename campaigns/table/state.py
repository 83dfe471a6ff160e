"""A table as values: before the first tap and now, and the values that expressions read of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from campaigns.table.taps import NONPLAYERS, TapKey
from rules.book.model import Book, Rules
from rules.book.roll_effects import Lasting
from rules.book.season import Mark
from rules.book.vocabulary import Settings
from rules.engine import situations
from rules.engine.costing import price
from rules.engine.evening import member_tracks, side_tracks
from rules.engine.expressions import COUNTING, BadExpression, Unknown, Value, parse
from rules.engine.figure import Figure


@dataclass(frozen=True)
class FigureStart:
    """A figure before the first tap. ``key``: its side and its name in the crew; ``gang`` and
    ``member``: its origin (for a hired hand, the former gang); ``squad``: the group that it acts
    with; ``tracks``: their first values; ``states``: those in which it begins; ``times``: its
    activations in a turn; ``worth``: its price; ``waits``: it is not at the table before a player
    brings it in; ``may_stay_away``: nor is it one of its side before; ``names``: the values that
    expressions may read; ``figure``: as the rules see it; ``rules``: with its gang's custom items.
    """

    key: str
    side: int
    figure: Figure
    rules: Rules
    gang: str = ""
    member: int = 0
    leads: bool = False
    squad: str = ""
    tracks: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, Lasting] = field(default_factory=dict)
    times: int = 1
    worth: int = 0
    waits: bool = False
    may_stay_away: bool = False
    names: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """A table before the first tap. ``sides``: the first values of their tracks; ``scenario``: its
    key, "" if the rulebook does not have it.
    """

    rules: Rules
    figures: tuple[FigureStart, ...]
    sides: Mapping[int, Mapping[str, int]]
    scenario: str = ""

    @property
    def book(self) -> Book:
        """The rulebook at the table."""
        return self.rules.book

    @property
    def settings(self) -> Settings:
        """The options in force."""
        return self.rules.settings


def is_stopped(book: Book, states: Iterable[str]) -> bool:
    """Whether one of a figure's states stops it."""
    return any(book.state[key].stops for key in states)


@dataclass(frozen=True)
class Departure:
    """The departure of a figure. ``turn``: 0 for a figure that has not arrived yet; ``by``: the
    figure that put it out; ``unhurt``: it left the table without harm."""

    turn: int
    by: str | None
    mark: str | None
    unhurt: bool = False


# A figure that a player has yet to bring in.
NOT_HERE = Departure(0, None, None, unhurt=True)


@dataclass(frozen=True)
class FigureNow:
    """The current state of a figure. ``acted``: its activations in this turn; ``states``: with
    their durations; ``item_states``: its weapons' states, by item; ``lost``: by weapon, the number
    that it cannot use again, and ``lost_for_good``: those also lost for later games.

    ``did``: its actions in this turn; ``did_before``: those of its last turn with any; ``rolled``:
    its rolls since the last action.
    """

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
    """The current state of a side. ``start``, ``standing``, ``lost``: numbers of figures;
    ``worth_lost``: the price of the figures that are out; ``asked``: numbers of figures of a
    sort, in play or out, by their name in expressions."""

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
    """A due alarm. ``turn``: in which it fell due; ``act``: that raised it, None if the turn did.
    The same alarm may be raised by another act once that is undone."""

    alarm: str
    who: str | int
    turn: int
    act: UUID | None = field(default=None, compare=False)


@dataclass(frozen=True)
class FollowUp:
    """A roll that follows from another. ``who``: the figure that makes it, or the side of which one
    figure does; ``at`` and the weapons: as far as the first roll determines them; ``but``: the
    figure that is not its target; ``act``: the act of the first roll; ``many``: it stays due, for
    several targets."""

    roll: str
    who: str | int
    turn: int
    act: UUID
    at: str | int | None = None
    but: str | None = None
    item: str | None = None
    mode: str | None = None
    at_item: str | None = None
    at_mode: str | None = None
    many: bool = False


@dataclass(frozen=True)
class Double:
    """A question: did two phones note the same attack, or two?

    ``acts``: both; ``taps``: the taps of the second.
    """

    acts: tuple[UUID, UUID]
    by: str | int
    at: str | int | None
    turn: int
    taps: tuple[TapKey, ...]


@dataclass(frozen=True)
class Contested:
    """A struck tap (``by``), though later taps of other phones depend on it (``resting``). An
    undone act is one such question, about its first tap; rolls that followed from it depend on it,
    too."""

    struck: TapKey
    by: TapKey
    resting: tuple[TapKey, ...]


@dataclass(frozen=True)
class Asked:
    """A request to undo taps of acts whose dice the application threw.

    ``act``: the act of the request; ``strikes``: its taps that strike another, each with that tap;
    ``acts``: its taps that undo an act, each with that act; ``taps``: all taps that it is about;
    ``by``: the person who asks, signed by the server; ``actor``: their account, if they have one;
    ``agreed``: the answer, None before there is one; ``answered_by``: the account that answered;
    ``answer``: the number of the answer in the log.
    """

    act: UUID
    strikes: Mapping[TapKey, TapKey]
    by: UUID
    actor: int | None
    agreed: bool | None
    answered_by: int | None
    answer: int | None = None
    acts: Mapping[TapKey, UUID] = field(default_factory=dict)
    taps: tuple[TapKey, ...] = ()

    @property
    def keys(self) -> frozenset[TapKey]:
        """The taps of the request."""
        return frozenset((*self.strikes, *self.acts))


@dataclass(frozen=True)
class Late:
    """The number of a phone's taps that arrived after the end of their turn."""

    device: UUID
    actor: int | None
    turn: int
    number: int


@dataclass(frozen=True)
class TableNow:
    """The current state of the whole table. ``phase``: None before one has begun in this turn;
    ``tallies``: counts by tally and figure or side; ``over``: the result's key, "" if play is over
    without a result, None while it goes on; ``winner``: the winning side, if it is known;
    ``declined``: the sides that spend nothing on dice in this turn; ``runner``: the side that has
    said that it runs the non-players; ``unknown``: taps about nothing
    at this table; ``dropped``: by the tap that put a figure out, what it lost of its tracks, each
    with its number; ``asked``: open requests to undo dice."""

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
    declined: frozenset[int] = frozenset()
    runner: int | None = None
    doubles: tuple[Double, ...] = ()
    contested: tuple[Contested, ...] = ()
    late: tuple[Late, ...] = ()
    struck: frozenset[TapKey] = frozenset()
    asked: tuple[Asked, ...] = ()
    dropped: Mapping[TapKey, Mapping[str, int]] = field(default_factory=dict)


# Values that the expressions of a rulebook read: sides, figures, turn.


def find_sorts(book: Book) -> frozenset[str]:
    """Return the questions by which the evening's expressions count members, such as
    "members:by.is_rank('scout')"."""
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
    for scenario in book.scenarios:
        yield from (one.arrives for one in scenario.nonplayers if one.arrives is not None)


@dataclass(frozen=True)
class SideMember:
    """A member of a side. ``out``: their departure, if they are out; ``counts``: the questions that
    count them."""

    start: FigureStart
    out: Departure | None
    counts: frozenset[str]


def counts_by(asked: frozenset[str], names: Mapping[str, Value]) -> frozenset[str]:
    """Return the questions that count a figure, in play or out."""
    return frozenset(one for one in asked if holds(one.partition(":")[2], names))


def side_as_it_stands(
    number: int,
    members: Sequence[SideMember],
    turn: int,
    asked: frozenset[str],
    tracks: Mapping[str, int],
    states: Mapping[str, Lasting],
) -> SideNow:
    """Return a side as a value. ``asked``: the questions that count its members."""
    # Members who have not arrived yet are neither in play nor lost.
    gone = [(one.start, one.out) for one in members if one.out not in (None, NOT_HERE)]
    this_turn = [figure for figure, out in gone if out.turn == turn]
    counted = {}
    for question in asked:
        in_play = question.startswith("members:")
        counted[question] = sum(
            one.out != NOT_HERE and (one.out is None) == in_play and question in one.counts
            for one in members
        )
    return SideNow(
        number=number,
        tracks=tracks,
        states=states,
        start=sum(not one.start.may_stay_away or one.out != NOT_HERE for one in members),
        standing=sum(one.out is None for one in members),
        lost=len(gone),
        lost_this_turn=len(this_turn),
        leaders_out=sum(figure.leads for figure, _out in gone),
        leaders_lost_this_turn=sum(figure.leads for figure in this_turn),
        worth_lost=sum(figure.worth for figure, out in gone if not out.unhurt),
        asked=counted,
    )


def are_friends(book: Book, one: int, other: int) -> bool:
    """Whether two sides of a table are one: the same gang or, against the book, any two gangs."""
    return one == other or (book.who_plays.is_together and NONPLAYERS not in (one, other))


def side_names(
    rules: Rules, sides: Mapping[int, SideNow], number: int, turn: int
) -> dict[str, Value]:
    """Return the values of a side as ``gang``, of all others together as ``enemy``, of the table
    and of its options. Non-players are nobody's enemies, unless gangs play together against them.
    """
    ours, is_together = sides[number], rules.book.who_plays.is_together
    gangs = {key: side for key, side in sides.items() if key != NONPLAYERS}
    facing = sides if is_together else gangs
    others = [side for key, side in facing.items() if not are_friends(rules.book, key, number)]
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
        "table.sides": len(gangs),
        "table.nonplayers": sides[NONPLAYERS].standing if NONPLAYERS in sides else 0,
    }
    names |= {f"table.option:{key}:{value}": 1 for key, value in rules.settings.items()}
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
    """Return the values of a figure, with the current values of its tracks."""
    names = dict(figure.names)
    for key, value in tracks.items():
        names[f"by.left:{key}"] = value
    if book.life is not None and book.life in tracks:
        names["by.life"] = tracks[book.life]
    return names


def departure_mark(book: Book, out: Departure) -> str | None:
    """Return the mark of a departure."""
    return find_mark(book.campaign.marks, out)


def find_mark(declared: Sequence[Mark], out: Departure) -> str | None:
    """Return which of the ``declared`` marks a departure has: the usual one if it names none, but
    none for a figure that left unhurt."""
    if any(row.key == out.mark for row in declared):
        return out.mark
    return None if out.unhurt else next((row.key for row in declared if not row.stands), None)


def holds(given: str, names: Mapping[str, Value]) -> bool:
    """Whether an expression is true; not if a figure lacks something that it reads."""
    try:
        return parse(given).holds(names)
    except (BadExpression, Unknown):
        return False


def figure_names(book: Book, start: FigureStart, now: FigureNow) -> dict[str, Value]:
    """Return the current values of a figure: tracks, states, actions, departure."""
    names = track_names(book, start, now.tracks)
    names |= {f"by.in_state:{key}": 1 for key in now.states}
    names |= {f"by.did:{action}": now.did.count(action) for action in now.did}
    names |= {f"by.did_before:{action}": now.did_before.count(action) for action in now.did_before}
    names["by.acted"] = now.acted
    if now.out is not None and (mark := departure_mark(book, now.out)):
        names[f"by.marked:{mark}"] = 1
    return names


def names_at_table(start: Start, now: TableNow, figure: FigureStart) -> dict[str, Value]:
    """Return the values of a figure, its side and the table that reminders and cautions read."""
    of_side = side_names(start.rules, now.sides, figure.side, now.turn)
    return of_side | figure_names(start.book, figure, now.figures[figure.key])


# Before the first tap.

MOST_TIMES = 9


@dataclass(frozen=True)
class TableFighter:
    """A member of a crew. ``book``: the rulebook with their gang's custom items; ``called``: their
    name in the crew; ``squad``: the name of the group that they act with; ``waits``: they arrive
    later; ``may_stay_away``: perhaps in no turn."""

    book: Book
    side: int
    called: str
    gang: str
    member: int
    figure: Figure
    squad: str = ""
    waits: bool = False
    may_stay_away: bool = False

    @property
    def key(self) -> str:
        """The key of the figure at the table."""
        return f"{self.side}.{self.called}"


def begin(
    rules: Rules,
    sides: Iterable[int],
    fighters: Iterable[TableFighter],
    scenario: str = "",
) -> Start:
    """Return the table at which these people fight, in this order."""
    figures = tuple(_figure(one, rules.settings, scenario) for one in fighters)
    asked = find_sorts(rules.book)
    standing = {}
    for number in sides:
        of_side = [one for one in figures if one.side == number]
        members = [
            SideMember(one, NOT_HERE if one.waits else None, counts_by(asked, one.names))
            for one in of_side
        ]
        standing[number] = side_as_it_stands(number, members, 1, asked, {}, {})
    tracks: Mapping[int, Mapping[str, int]] = {
        number: side_tracks(rules, scenario, side_names(rules, standing, number, 1))
        if number != NONPLAYERS
        else {}
        for number in standing
    }
    return Start(rules, figures, tracks, scenario)


def _states(book: Book, scenario: str, figure: Figure) -> dict[str, Lasting]:
    """Return the states of a figure that the scenario has brought in although it was away."""
    row = book.scenario.get(scenario)
    brings = row.brings if row is not None else ()
    keys = (one.state for one in brings if one.condition in figure.conditions)
    return {key: book.state[key].lasts for key in keys if key is not None}


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
        waits=fighter.waits,
        may_stay_away=fighter.may_stay_away,
        tracks=member_tracks(rules, scenario, fighter.figure, names),
        states=_states(rules.book, scenario, fighter.figure),
        times=max(0, min(times, MOST_TIMES)),
        names=names,
    )
