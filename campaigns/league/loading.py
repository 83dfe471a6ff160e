"""A stage as pages need it: its rows, and the values from which tables and draws are made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from campaigns.engine.league.bracket import BracketState, follow_bracket
from campaigns.engine.league.facts import Entered, Match, Outcome
from campaigns.engine.league.ladder import ladder_order
from campaigns.engine.league.tables import TableLine, stage_table
from campaigns.fixtures import standing_game, with_games
from campaigns.models import Entrant, Fixture, Game, Round, Stage
from gangs.models import Gang


@dataclass(frozen=True, eq=False)
class LoadedStage:
    """A stage with its entrants, rounds and fixtures, in their order."""

    stage: Stage
    entrants: Sequence[Entrant]
    rounds: Sequence[Round]
    fixtures: Sequence[Fixture]

    @cached_property
    def gangs(self) -> Mapping[str, Gang]:
        """The gangs that still exist, by key."""
        return {str(one.gang_id): one.gang for one in self.entrants if one.gang is not None}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The entrants' names by key; gangs of the same name get their player's, too."""
        called = {
            key_of(one.gang, one.name): one.gang.name if one.gang is not None else one.name
            for one in self.entrants
        }
        for fixture in self.fixtures:
            # A gang may have changed its name between entering and being deleted.
            called.setdefault(key_of(fixture.home, fixture.home_name), str(fixture.home_name))
            called.setdefault(key_of(fixture.away, fixture.away_name), str(fixture.away_name))
        bearers = Counter(called.values())
        return {
            key: f"{name} ({gang.owner})"
            if bearers[name] > 1 and (gang := self.gangs.get(key)) is not None and gang.owner
            else name
            for key, name in called.items()
        }

    @cached_property
    def entered(self) -> list[Entered]:
        """The entrants as values."""
        return [
            Entered(
                gang=key_of(one.gang, one.name),
                seed=one.seed,
                rating=one.gang.rating if one.gang is not None else 0,
                owner=str(one.gang.owner_id) if one.gang and one.gang.owner_id else None,
                has_left=one.left_at is not None or one.gang is None,
            )
            for one in self.entrants
        ]

    @property
    def playing(self) -> list[Gang]:
        """The gangs that play on, in the order of their seeds."""
        return [one.gang for one in self.entrants if one.gang is not None and one.left_at is None]

    @cached_property
    def matches(self) -> list[Match]:
        """The fixtures as values."""
        return [as_match(fixture) for fixture in self.fixtures]

    @cached_property
    def table(self) -> list[TableLine]:
        """The table of the stage, the best gang first."""
        return stage_table(self.entered, self.matches, self.stage.rules)

    @cached_property
    def ladder(self) -> list[str]:
        """The gangs of a ladder, from the top down."""
        return ladder_order(self.entered, self.matches, self.stage.rules)

    @cached_property
    def bracket(self) -> BracketState:
        """The consequences of the results of a knock-out so far; empty for other formats."""
        if self.stage.format != Stage.Format.KNOCK_OUT:
            return BracketState()
        return follow_bracket(self.entered, self.matches, third=self.stage.rules.third)

    @cached_property
    def outdated(self) -> list[Fixture]:
        """Fixtures of a knock-out whose gangs no longer follow from the results before them, since
        one of those was corrected."""
        keys = {place.match.key for place in self.bracket.outdated if place.match is not None}
        return [fixture for fixture in self.fixtures if fixture.pk in keys]

    def of_round(self, number: int) -> list[Fixture]:
        """The fixtures of a round."""
        return [fixture for fixture in self.fixtures if fixture.round.number == number]

    @property
    def current(self) -> Round | None:
        """The first round that has begun and is not played; else the newest that has begun."""
        begun = [one for one in self.rounds if one.is_open]
        open_rounds = {
            match.round for match in self.matches if match.outcome == "open" and match.away
        }
        waiting = [one for one in begun if one.number in open_rounds]
        return next(iter(waiting or begun[-1:]), None)


def load_stage(stage: Stage) -> LoadedStage:
    """Read a stage whole. Four queries, whatever its size."""
    (loaded,) = load_stages([stage])
    return loaded


def load_stages(stages: Sequence[Stage]) -> list[LoadedStage]:
    """Read stages whole. Four queries, whatever their number; none without stages."""
    if not stages:
        return []
    rows = Entrant.objects.filter(stage__in=stages).select_related("gang__owner")
    entrants, rounds, fixtures = defaultdict(list), defaultdict(list), defaultdict(list)
    for entrant in rows.defer("gang__snapshot"):
        entrants[entrant.stage_id].append(entrant)
    known, of_rounds = {stage.pk: stage for stage in stages}, {}
    for one in Round.objects.filter(stage__in=stages):
        one.stage = known[one.stage_id]
        of_rounds[one.pk] = one
        rounds[one.stage_id].append(one)
    found = with_games(Fixture.objects.filter(round__stage__in=stages))
    for fixture in found.order_by("round__number", "number"):
        fixture.round = of_rounds[fixture.round_id]
        fixtures[fixture.round.stage_id].append(fixture)
    return [LoadedStage(one, entrants[one.pk], rounds[one.pk], fixtures[one.pk]) for one in stages]


def key_of(gang: Gang | None, name: str) -> str:
    """The key of a gang in a stage's values: its name, if it was deleted."""
    return str(gang.pk) if gang is not None else f"name:{name}"


def as_match(fixture: Fixture) -> Match:
    """A fixture as a value."""
    home = key_of(fixture.home, fixture.home_name)
    away = None if fixture.is_bye else key_of(fixture.away, fixture.away_name)
    game = standing_game(fixture)
    return Match(
        key=fixture.pk,
        round=fixture.round.number,
        number=fixture.number,
        home=home,
        away=away,
        outcome=_outcome(fixture, game),
        day=game.played_on if game is not None else None,
        advances=str(fixture.advances_id or ""),
        follows=fixture.home_from_id is not None or fixture.away_from_id is not None,
        losers=fixture.losers,
    )


def _outcome(fixture: Fixture, game: Game | None) -> Outcome:
    if fixture.called_off_at is not None:
        return "off"
    if game is None or game.status != Game.Status.CONFIRMED:
        return "open"
    kinds = {side.gang_id: side.side for side in game.sides.all()}
    winners = [gang for gang, kind in kinds.items() if kind == "winner"]
    if not winners:
        return "level" if game.is_fought else "void"
    return "home" if winners[0] == fixture.home_id else "away"
