"""The past of a campaign as plain values: what its standings, chronicle, charts and records are
made of. Whatever was taken back is not in it, except that it says so."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from typing import cast

from campaigns.bargaining import Terms
from campaigns.situation import Report, SideKind, Situation
from gangs.story import Moment, Person, Story
from rules.book import Book
from rules.costing import Points
from rules.vocabulary import Settings


@dataclass(frozen=True)
class PastGang:
    """A gang that plays, or played, in the campaign. ``owner``: "" once nobody owns it."""

    id: str
    name: str
    owner: str
    rating: Points
    joined_at: datetime
    left_at: datetime | None = None
    story: Story = Story()

    @cached_property
    def people(self) -> Mapping[int, Person]:
        """Those who have played for it, by their number."""
        return {person.id: person for person in self.story.people}


@dataclass(frozen=True)
class PastSide:
    """One gang in a game. ``gang``: "" once it was deleted: then its name is all that is left."""

    gang: str
    name: str
    kind: SideKind
    report: Report
    rating: Points

    @property
    def who(self) -> str:
        """What tells this gang from others: a deleted one goes by its name."""
        return self.gang or f"name:{self.name}"


@dataclass(frozen=True)
class PastGame:
    """A confirmed game, or one that was taken back. ``at``: when its result was reported;
    ``scenario_total``: what was rolled for the scenario, if dice chose it."""

    id: str
    day: date
    at: datetime
    result: str
    sides: tuple[PastSide, ...]
    scenario: str = ""
    scenario_total: int | None = None
    night: str = ""
    struck_by: str = ""
    struck_why: str = ""

    @property
    def title(self) -> str:
        """Who played."""
        return " – ".join(side.name for side in self.sides)

    def situation(self, side: PastSide) -> Situation:
        """The game as one side lived it."""
        others = [other for other in self.sides if other is not side]
        return Situation(
            game=self.id,
            title=self.title[:80],
            scenario=self.scenario or None,
            result=self.result,
            side=side.kind,
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
    """An organiser corrected the history of a gang."""

    id: str
    at: datetime
    gang: str
    by: str
    why: str


@dataclass(frozen=True, eq=False)
class Past:
    """All of it. ``games``: the confirmed ones, oldest first; ``ended_at``: when the campaign was
    archived. It never changes, so what is worked out from it is kept with it."""

    book: Book
    settings: Settings
    gangs: tuple[PastGang, ...] = ()
    games: tuple[PastGame, ...] = ()
    struck: tuple[PastGame, ...] = ()
    bargains: tuple[PastBargain, ...] = ()
    corrections: tuple[Correction, ...] = ()
    ended_at: datetime | None = None
    _made: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def once[T](self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` makes of this past, made once; ``key`` tells what it is."""
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])

    @cached_property
    def gang(self) -> Mapping[str, PastGang]:
        """The gangs that still exist, by id."""
        return {gang.id: gang for gang in self.gangs}

    @cached_property
    def game(self) -> Mapping[str, PastGame]:
        """The confirmed games, by id."""
        return {game.id: game for game in self.games}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What everybody is called, by ``PastSide.who``; a gang that exists by its present name."""
        known = {side.who: side.name for game in self.games for side in game.sides}
        return known | {gang.id: gang.name for gang in self.gangs}

    def sides(self) -> Iterator[tuple[PastGame, PastSide]]:
        """Every side of every confirmed game, oldest first."""
        for game in self.games:
            for side in game.sides:
                yield game, side

    def moments(self, gang: PastGang) -> list[Moment]:
        """How the gang stood after each of its games here."""
        return [moment for moment in gang.story.moments if moment.game in self.game]

    def rating(self, gang: PastGang) -> Points:
        """What the gang is worth in this campaign: after it has left, or the campaign has ended,
        what it was worth after its last game here."""
        if gang.left_at is None and self.ended_at is None:
            return gang.rating
        stood = self.moments(gang)
        return stood[-1].rating if stood else gang.rating
