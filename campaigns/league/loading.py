"""A stage as pages need it: its rows, and the values from which tables and draws are made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from campaigns.engine.how import DEFAULTS, FOUGHT, unfought_rules
from campaigns.engine.league.bracket import BracketState, follow_bracket
from campaigns.engine.league.facts import Entered, Match, Outcome, key_of, standing_matches
from campaigns.engine.league.ladder import ladder_order
from campaigns.engine.league.ranking import Value
from campaigns.engine.league.standings_rules import Criterion
from campaigns.engine.league.tables import Around, TableLine, stage_table
from campaigns.fixtures import find_winner, standing_game, with_games
from campaigns.models import Entrant, Fixture, Game, Round, Stage
from campaigns.season.loading import load_season
from campaigns.statistics.season_facts import Season
from campaigns.statistics.standings import count_bonuses, find_sides
from gangs.models import Gang
from rules.book.season import Measure
from rules.engine.costing import Points

# The criteria that the reports of the games decide.
OF_GAMES: Sequence[Measure] = ("money", "taken_out")


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
            key_of(one.gang_id, one.name): one.gang.name if one.gang is not None else one.name
            for one in self.entrants
        }
        for fixture in self.fixtures:
            # A gang may have changed its name between entering and being deleted.
            called.setdefault(key_of(fixture.home_id, fixture.home_name), str(fixture.home_name))
            called.setdefault(key_of(fixture.away_id, fixture.away_name), str(fixture.away_name))
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
                gang=key_of(one.gang_id, one.name),
                seed=one.seed,
                rating=one.gang.rating if one.gang is not None else 0,
                owner=str(one.gang.owner_id) if one.gang and one.gang.owner_id else None,
                has_left=one.left_at is not None or one.gang is None,
                is_annulled=one.is_annulled,
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
    def around(self) -> Around:
        """The facts of the campaign that the table needs. The season is read only where bonuses
        count or a measure of the games breaks ties."""
        stage, rules = self.stage, self.stage.rules
        campaign = stage.campaign
        special = DEFAULTS
        if rules.edition != 1 and any(match.how not in FOUGHT for match in self.matches):
            special = unfought_rules(campaign.rules, campaign.club_results)
        bonuses: dict[str, int] = {}
        measures: dict[str, dict[Criterion, Value]] = {}
        asked: list[Measure] = [one for one in OF_GAMES if one in rules.ranking]
        if rules.bonus or asked:
            season = load_season(campaign.pk).season
            if rules.bonus:
                bonuses = count_bonuses(season)
            if asked:
                measures = self._measure(season, asked)
        return Around(special, stage.ended_at is not None, bonuses, measures)

    def _measure(
        self, season: Season, asked: Sequence[Measure]
    ) -> dict[str, dict[Criterion, Value]]:
        """Each gang's sums of these measures from the games of this stage."""
        standing = {match.key for match in standing_matches(self.entered, self.matches)}
        here = {
            str(one.game_id)
            for one in self.fixtures
            if one.called_off_at is None and one.pk in standing
        }
        found: dict[str, dict[Criterion, Points]] = {
            one.gang: dict.fromkeys(asked, 0) for one in self.entered
        }
        for game, side, brought in find_sides(season):
            if game.id in here and side.who in found:
                for criterion in asked:
                    found[side.who][criterion] += getattr(brought, criterion)
        return {gang: {**values} for gang, values in found.items()}

    @cached_property
    def table(self) -> list[TableLine]:
        """The table of the stage, the best gang first."""
        return stage_table(self.entered, self.matches, self.stage.rules, self.around)

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
    def open_rounds(self) -> set[int]:
        """The numbers of the rounds with a game whose result is open."""
        return {match.round for match in self.matches if match.outcome == "open" and match.away}

    @property
    def next_to_open(self) -> Round | None:
        """The first round with an open game, if it has not begun: all rounds before it are decided,
        so it may begin today."""
        waiting = self.open_rounds
        first = next((one for one in self.rounds if one.number in waiting), None)
        return first if first is not None and not first.is_open else None

    @property
    def current(self) -> Round | None:
        """The first round that has begun and is not played; else the newest that has begun."""
        begun = [one for one in self.rounds if one.is_open]
        waiting = [one for one in begun if one.number in self.open_rounds]
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


def as_match(fixture: Fixture) -> Match:
    """A fixture as a value."""
    home = key_of(fixture.home_id, fixture.home_name)
    away = None if fixture.is_bye else key_of(fixture.away_id, fixture.away_name)
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
        how=game.manner if game is not None else "played",
        follows=fixture.home_from_id is not None or fixture.away_from_id is not None,
        losers=fixture.losers,
    )


def _outcome(fixture: Fixture, game: Game | None) -> Outcome:
    if fixture.called_off_at is not None:
        return "off"
    if game is None or game.status != Game.Status.CONFIRMED:
        return "open"
    return find_winner(fixture, game) or ("level" if game.is_fought else "void")
