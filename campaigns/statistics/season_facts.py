"""The past of a campaign as plain values, from which standings, chronicle, charts and records are
made. Events that were taken back are missing, except for the fact that they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import cast
from weakref import WeakKeyDictionary

from campaigns.engine.captives import Terms, captive_steps
from campaigns.engine.how import ClubResults, Manner, SidePay
from campaigns.engine.league.ranking import Played
from campaigns.engine.league.standings_rules import BY_THE_BOOK, StandingsRules
from campaigns.engine.report import GameReport, Report, SideKind
from campaigns.statistics.luck import GameLuck
from gangs.engine.timeline import Event, GangTimeline, Moment, Person
from rules.book.model import Book, Rules
from rules.book.season import TrophyCount, name_game
from rules.engine.costing import Points


@dataclass(frozen=True, eq=False)
class SeasonGang:
    """A gang that plays, or played, in the campaign. ``owner``: "" once nobody owns it;
    ``retired_at``: when it stopped playing without leaving."""

    id: str
    name: str
    owner: str
    rating: Points
    joined_at: datetime
    left_at: datetime | None = None
    retired_at: datetime | None = None
    timeline: GangTimeline = GangTimeline()

    @cached_property
    def people(self) -> Mapping[int, Person]:
        """The members who have played for the gang, by number."""
        return {person.id: person for person in self.timeline.people}

    @cached_property
    def events(self) -> Mapping[str, Sequence[Event]]:
        """The members' events by game; "" between games."""
        found: dict[str, list[Event]] = {}
        for event in self.timeline.events:
            found.setdefault(event.game, []).append(event)
        return found


@dataclass(frozen=True)
class SeasonSide:
    """One gang in a game. ``gang``: "" if it was deleted; then only its name is left. ``place``:
    first, second … of three or more sides, if they were counted."""

    gang: str
    name: str
    kind: SideKind
    report: Report
    rating: Points
    place: int | None = None

    @property
    def who(self) -> str:
        """The gang's key in the season's figures: its id, or its name if it was deleted."""
        return self.gang or f"name:{self.name}"


@dataclass(frozen=True, eq=False)
class SeasonGame:
    """A confirmed game, or one that was taken back. ``how``: whether it was played; ``result``: ""
    if the rulebook has no such result.

    ``at``: the time of the report; ``scenario_total``: the roll for the scenario, if dice chose
    it; ``luck``: the luck of its sides, by their places; ``left_out``: some stored part of the
    game is unreadable; ``together``: its gangs were on one side, against the book.
    """

    id: str
    day: date
    at: datetime
    result: str
    sides: tuple[SeasonSide, ...]
    how: Manner = "played"
    scenario: str = ""
    scenario_total: int | None = None
    night: str = ""
    struck_by: str = ""
    struck_why: str = ""
    left_out: bool = False
    luck: GameLuck = GameLuck()
    together: bool = False

    @property
    def title(self) -> str:
        """The names of the gangs that played."""
        return name_game((side.name for side in self.sides), is_together=self.together)

    @property
    def played(self) -> Played:
        """Its gangs, as ``SeasonSide.who``, and how it ended for each; empty for a game against the
        book, in which no gang met another."""
        return [] if self.together else [(side.who, side.kind) for side in self.sides]

    def opponents(self, side: SeasonSide) -> list[SeasonSide]:
        """The sides that a side played against."""
        return [] if self.together else [other for other in self.sides if other is not side]

    def game_report(self, side: SeasonSide, pay: SidePay | None = None) -> GameReport:
        """The game from one side's point of view. ``pay``: as in ``GameReport``."""
        others = self.opponents(side)
        return GameReport(
            game=self.id,
            title=self.title[:80],
            scenario=self.scenario or None,
            result=self.result,
            how=self.how,
            side=side.kind,
            pay=pay,
            report=side.report,
            rating=side.rating,
            opponents=tuple(other.rating for other in others),
            opponent_names=tuple(other.name for other in others),
        )


@dataclass(frozen=True)
class PastBargain:
    """A bargain about captives that both gangs agreed on."""

    id: str
    at: datetime
    giver: str
    taker: str
    giver_name: str
    taker_name: str
    terms: Terms


@dataclass(frozen=True)
class Correction:
    """A correction of a gang's history by an organiser."""

    id: str
    at: datetime
    gang: str
    by: str
    why: str


@dataclass(frozen=True)
class PastAdjustment:
    """A bonus or penalty in the standings by an organiser. ``gang``: "" if it was deleted;
    ``back_at``, ``back_by``: when and by whom it was taken back."""

    id: str
    at: datetime
    gang: str
    name: str
    points: int
    by: str
    why: str
    back_at: datetime | None = None
    back_by: str = ""

    @property
    def who(self) -> str:
        """The gang's key in the season's figures, as ``SeasonSide.who``."""
        return self.gang or f"name:{self.name}"

    @property
    def counts(self) -> bool:
        """Whether it is in force."""
        return self.back_at is None

    @property
    def signed(self) -> str:
        """The points with their sign."""
        return f"{self.points:+}".replace("-", "−")


@dataclass(frozen=True)
class PastTrophy:
    """A trophy of the club's own. ``count``: what its holder has most of, "hand" if it is
    awarded."""

    id: str
    name: str
    text: str
    count: TrophyCount


@dataclass(frozen=True)
class PastTrophyAward:
    """A trophy awarded by an organiser: the rulebook's, by its key, or the club's ``own``, by its
    number. ``gang``: "" if it was deleted; ``member``: 0 for the whole gang."""

    id: str
    at: datetime
    trophy: str
    own: bool
    gang: str
    gang_name: str
    member: int
    member_name: str
    by: str
    why: str

    @property
    def who(self) -> str:
        """The gang's key in the season's figures, as ``SeasonSide.who``."""
        return self.gang or f"name:{self.gang_name}"


@dataclass(frozen=True, eq=False)
class Season:
    """The past of one campaign. ``games``: the confirmed ones that were fought, oldest first;
    ``unfought``: the confirmed ones without a battle; ``table``, ``club``: the club's rules for the
    standings and for results; ``ended_at``: when the campaign was archived.

    A game without a battle counts in the standings only: nobody met, and no gang changed.

    A season never changes, so results computed from it are kept in ``facts``. Results that depend
    only on one game or gang are passed on to the next season, as long as the rules are the same.
    """

    rules: Rules
    gangs: tuple[SeasonGang, ...] = ()
    games: tuple[SeasonGame, ...] = ()
    unfought: tuple[SeasonGame, ...] = ()
    struck: tuple[SeasonGame, ...] = ()
    bargains: tuple[PastBargain, ...] = ()
    corrections: tuple[Correction, ...] = ()
    adjustments: tuple[PastAdjustment, ...] = ()
    trophies: tuple[PastTrophy, ...] = ()
    awards: tuple[PastTrophyAward, ...] = ()
    table: StandingsRules = BY_THE_BOOK
    ended_at: datetime | None = None
    club: ClubResults = ClubResults()
    facts: WeakKeyDictionary[object, dict[Hashable, tuple[object, object]]] = field(
        default_factory=WeakKeyDictionary, repr=False
    )

    @property
    def book(self) -> Book:
        """The rulebook that the campaign uses."""
        return self.rules.book

    def cached[T](
        self, about: object, key: Hashable, make: Callable[[], T], state: object = None
    ) -> T:
        """Return the result of ``make``, computed once.

        ``about``: this season, or one of its games or gangs; ``key``: names the result; ``state``:
        everything else, apart from the rules, on which the result depends.
        """
        made = self.facts.setdefault(about, {})
        if key not in made or made[key][0] != state:
            made[key] = state, make()
        return cast(T, made[key][1])

    @cached_property
    def gang(self) -> Mapping[str, SeasonGang]:
        """The gangs that still exist, by id."""
        return {gang.id: gang for gang in self.gangs}

    @cached_property
    def captivity(self) -> Collection[str]:
        """The conditions of members held captive by another gang."""
        return captive_steps(self.rules).keys()

    @cached_property
    def game(self) -> Mapping[str, SeasonGame]:
        """The fought games, by id."""
        return {game.id: game for game in self.games}

    @cached_property
    def confirmed(self) -> Mapping[str, SeasonGame]:
        """All confirmed games, fought or not, by id."""
        return {game.id: game for game in self.counted}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of all gangs, by ``SeasonSide.who``. An existing gang has its current name,
        with its player's if another gang has the same."""
        games = (*self.unfought, *self.games)
        known = {side.who: side.name for game in games for side in game.sides}
        return {**known, **{gang.id: gang.name for gang in self.gangs}, **self.namesakes}

    @cached_property
    def namesakes(self) -> Mapping[str, str]:
        """Distinct names for the gangs that share their name with another, by id."""
        bearers = Counter(gang.name for gang in self.gangs)
        return {
            gang.id: f"{gang.name} ({gang.owner})"
            for gang in self.gangs
            if bearers[gang.name] > 1 and gang.owner
        }

    def called(self, side: SeasonSide) -> str:
        """The name of a side at the time of the game, with its player's if another gang has the
        same."""
        gang = self.gang.get(side.gang)
        if gang is None or gang.name != side.name:
            return side.name
        return self.namesakes.get(gang.id, side.name)

    def title_of(self, game: SeasonGame) -> str:
        """The names of the gangs that played, as ``called``."""
        return self.book.who_plays.title(self.called(side) for side in game.sides)

    @cached_property
    def counted(self) -> Sequence[SeasonGame]:
        """All confirmed games, fought or not, oldest first."""
        if not self.unfought:
            return self.games
        return sorted((*self.games, *self.unfought), key=lambda game: (game.day, game.at))

    def sides(self) -> Iterator[tuple[SeasonGame, SeasonSide]]:
        """Every side of every fought game, oldest first."""
        for game in self.games:
            for side in game.sides:
                yield game, side

    def was_in(self, gang: SeasonGang, at: datetime) -> bool:
        """Whether the gang was in the campaign at this time, and the campaign was not over."""
        until = gang.left_at or self.ended_at
        return at >= gang.joined_at and (until is None or at <= until)

    def moments(self, gang: SeasonGang) -> list[Moment]:
        """The gang's state after each of its games here."""
        return [moment for moment in gang.timeline.moments if moment.game in self.game]

    def rating(self, gang: SeasonGang) -> Points:
        """The gang's rating in this campaign: its current one, or the one after its last game here
        if the gang has left or the campaign has ended."""
        is_over = gang.left_at is not None or self.ended_at is not None
        moments = self.moments(gang) if is_over else []
        return moments[-1].rating if moments else gang.rating
