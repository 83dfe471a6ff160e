"""Random stages: an organiser reports, corrects, settles, lets gangs drop out and come late, draws
and takes the right gangs over, in any order. Tables and fixtures are compared with what brute force
makes of the same results, and every stage reaches an end."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

import pytest

from accounts.models import User
from campaigns.club.planning import plans
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.league.options import StageOptions
from campaigns.engine.report import Report, SideKind
from campaigns.fixtures import standing_game
from campaigns.games import results, unfought
from campaigns.league import following, pages, rounds, stages
from campaigns.league.draws import propose_rounds
from campaigns.league.loading import LoadedStage, load_stage
from campaigns.league.views import plan_as_proposed
from campaigns.models import Campaign, Fixture, Game, Side, Stage
from common.errors import Refusal
from gangs.models import Gang
from tests.random_cases import MANY, SEED, one_soon
from tests.world.campaigns import make_player

FORMATS = ("swiss", "round-robin", "knock-out")
# Acts before the organiser brings the stage to its end, and the most that this may take.
ACTS, LAST = 25, 120
SEASONS = 40 if MANY else 2
# The usual points of a stage.
WIN, DRAW, BYE = 3, 1, 3
KINDS: dict[str, tuple[SideKind, SideKind]] = {
    "home": ("winner", "loser"),
    "away": ("loser", "winner"),
    "draw": ("level", "level"),
}


class Organiser:
    """An organiser who does anything that the stage allows, and looks at it after every act."""

    def __init__(self, campaign: Campaign, bob: User, stage_format: str, seed: int) -> None:
        self.dice, self.bob, self.campaign = random.Random(seed), bob, campaign
        self.gangs = self._gather(self.dice.randint(4, 7))
        self.late = self.gangs.pop()
        options = StageOptions(days=0, third=self.dice.random() < 0.5)
        details: stages.Details = {"name": "Stage", "options": options}
        self.stage = stages.start(campaign, stage_format, self.gangs, details, token=uuid.uuid4())
        # The facts of each confirmed game, as it was last settled.
        self.settled: dict[uuid.UUID, object] = {}

    def _gather(self, count: int) -> list[Gang]:
        made = []
        for _ in range(count):
            user = User.objects.create_user(f"player{uuid.uuid4().hex[:8]}")
            made.append(make_player(self.campaign, user))
        return made

    # Acts

    def act(self) -> None:
        """Do something at random, then look."""
        acts: list[Callable[[LoadedStage], None]] = [
            self.draw,
            *[self.settle] * 6,
            *[self.correct] * 2,
            self.withdraw_game,
            self.drop_out,
            self.come_late,
            self.draw_again,
            self.take_over,
            self.decide_draw,
        ]
        loaded = self.load()
        # A page says why it refuses something; nothing has changed then.
        with suppress(Refusal):
            self.dice.choice(acts)(loaded)
        self.look()

    def load(self) -> LoadedStage:
        self.stage = Stage.objects.select_related("campaign").get(pk=self.stage.pk)
        return load_stage(self.stage)

    def draw(self, loaded: LoadedStage) -> None:
        """Make the next rounds as they are proposed; a Swiss waits for its results."""
        if loaded.open_rounds and loaded.stage.format == "swiss":
            return
        if loaded.stage.format == "swiss" and len(loaded.rounds) >= 4:
            return
        proposal = propose_rounds(loaded)
        made = [plan_as_proposed(loaded, one) for one in proposal.rounds if one.lines]
        if made:
            rounds.make_rounds(
                self.stage,
                made,
                expected_version=self.stage.version,
                replaces_byes=proposal.replaces_byes,
            )

    def draw_again(self, loaded: LoadedStage) -> None:
        """Delete the fixtures of a round that have no game; the next draw proposes them again."""
        if loaded.rounds and self.dice.random() < 0.3:
            rounds.clear(self.dice.choice(loaded.rounds), expected_version=self.stage.version)

    def open_fixtures(self, loaded: LoadedStage) -> list[Fixture]:
        found = {match.key for match in loaded.matches if match.outcome == "open" and match.away}
        return [fixture for fixture in loaded.fixtures if fixture.pk in found]

    def settle(self, loaded: LoadedStage) -> None:
        """Decide an open fixture: played, drawn, or not fought at all."""
        fixtures = [
            one
            for one in self.open_fixtures(loaded)
            if one not in loaded.outdated and one.home and one.away
        ]
        if not fixtures:
            return
        fixture = self.dice.choice(fixtures)
        game = standing_game(fixture)
        if game is None:
            assert fixture.home is not None and fixture.away is not None
            game = plans.plan(
                self.campaign,
                [fixture.home, fixture.away],
                plans.Plan(fixture.round.opens),
                actor=self.bob,
                token=uuid.uuid4(),
                fixture=fixture,
            )
        self.decide(game, "")

    def decide(self, game: Game, why: str) -> None:
        game = Game.objects.get(pk=game.pk)
        game.campaign = self.campaign
        sides = list(game.sides.select_related("gang"))
        for side in sides:
            side.game = game
        how = self.dice.choice(["home", "away"] * 3 + ["draw", "no-show", "void"])
        if why and not game.is_fought:
            how = "no-show"
        elif why:
            how = self.dice.choice(["home", "away", "draw"])
        if how in ("no-show", "void"):
            absent = [self.dice.choice(sides).pk] if how == "no-show" else []
            if self.dice.random() < 0.2:
                absent = [side.pk for side in sides]
            account = unfought.account_without_battle(game, sides, how, absent)
        else:
            parts = {
                side.pk: SideAccount(kind, Report())
                for side, kind in zip(sides, KINDS[how], strict=True)
            }
            is_draw = how == "draw"
            account = Account(
                result="" if is_draw else "crushing",
                how="recorded" if is_draw else "played",
                played_on=game.played_on,
                sides=parts,
            )
        results.decide(
            game, account=account, actor=self.bob, expected_version=game.version, why=why
        )
        self.settled[game.pk] = facts(game)

    def correct(self, loaded: LoadedStage) -> None:
        confirmed = [
            game
            for fixture in loaded.fixtures
            if (game := standing_game(fixture)) is not None and game.status == "confirmed"
        ]
        if confirmed:
            self.decide(self.dice.choice(confirmed), "It was the other way round.")

    def withdraw_game(self, loaded: LoadedStage) -> None:
        games = [game for one in loaded.fixtures if (game := standing_game(one)) is not None]
        if games and self.dice.random() < 0.4:
            game = Game.objects.get(pk=self.dice.choice(games).pk)
            key = game.pk
            results.withdraw(game, actor=self.bob, expected_version=game.version)
            self.settled.pop(key, None)

    def drop_out(self, loaded: LoadedStage) -> None:
        if self.dice.random() < 0.3 and len(loaded.playing) > 2:
            annuls = loaded.stage.format == "round-robin" and self.dice.random() < 0.5
            stages.drop_out(self.stage, self.dice.choice(loaded.playing), annuls=annuls)

    def come_late(self, loaded: LoadedStage) -> None:
        left = [one.gang for one in loaded.entrants if one.left_at is not None and one.gang]
        if loaded.stage.format != "knock-out" and self.dice.random() < 0.3:
            stages.enter(self.stage, self.dice.choice([self.late, *left]))

    def take_over(self, loaded: LoadedStage) -> None:
        if loaded.outdated:
            following.take_over_gangs(
                self.stage, actor=self.bob, expected_version=self.stage.version
            )

    def decide_draw(self, loaded: LoadedStage) -> None:
        """Say who goes on after a draw in a knock-out."""
        undecided = [one for one in loaded.fixtures if one.pk in loaded.bracket.undecided_keys]
        if undecided:
            fixture = self.dice.choice(undecided)
            gangs = [gang for gang in (fixture.home, fixture.away) if gang]
            rounds.advance(fixture, self.dice.choice(gangs), expected_version=self.stage.version)

    # The end

    def finish(self) -> None:
        """Bring the stage to its end: an organiser who does what the page offers gets there."""
        for _ in range(LAST):
            loaded = self.load()
            if self.is_over(loaded):
                return
            before = Stage.objects.get(pk=self.stage.pk).version
            for act in (self.untie_outdated, self.take_over, self.decide_draw, self.settle):
                act(self.load())
            self.draw(self.load())
            self.look()
            moved = Stage.objects.get(pk=self.stage.pk).version != before
            assert moved or self.is_over(self.load()), "the stage stands still"
        raise AssertionError("the stage does not end")

    def untie_outdated(self, loaded: LoadedStage) -> None:
        """Let games that were fought by the wrong gangs not count for their fixtures."""
        for fixture in loaded.outdated:
            game = standing_game(fixture)
            if game is not None and game.status != "planned":
                stage = Stage.objects.get(pk=self.stage.pk)
                rounds.untie(fixture, expected_version=stage.version)

    def is_over(self, loaded: LoadedStage) -> bool:
        if self.open_fixtures(loaded) or not loaded.rounds or loaded.outdated:
            return False
        if loaded.stage.format == "knock-out":
            return bool(pages.winner_name(loaded)) or pages.ends_without_winner(loaded)
        if loaded.stage.format == "swiss":
            return len(loaded.rounds) >= 4 or len(loaded.playing) < 2
        return propose_rounds(loaded).is_empty

    # Looking

    def look(self) -> None:
        """Compare everything with brute force."""
        for key, known in self.settled.items():
            assert facts(Game.objects.get(pk=key)) == known, "a settled game changed by itself"
        loaded = self.load()
        if loaded.stage.format == "knock-out":
            self.look_at_bracket(loaded)
        else:
            found = {line.gang: (line.points, line.strength) for line in loaded.table}
            assert found == brute_table(self.stage)
        twice: dict[int, list[uuid.UUID]] = {}
        for fixture in loaded.fixtures:
            if fixture.called_off_at is None:
                here = twice.setdefault(fixture.round.number, [])
                here += [gang.pk for gang in (fixture.home, fixture.away) if gang]
        assert all(len(set(gangs)) == len(gangs) for gangs in twice.values())

    def look_at_bracket(self, loaded: LoadedStage) -> None:
        """Check that every fixture without a game has the gangs that its sources send, or is named
        as one that does not."""
        by_key = {fixture.pk: fixture for fixture in loaded.fixtures}
        for fixture in loaded.fixtures:
            sources = [by_key.get(fixture.home_from_id or 0), by_key.get(fixture.away_from_id or 0)]
            if fixture.called_off_at or standing_game(fixture) or None in sources:
                continue
            sent = {brute_goes_on(one, loser=fixture.losers) for one in sources if one}
            here = {gang.pk for gang in (fixture.home, fixture.away) if gang}
            if None not in sent and not sent & {gang.pk for gang in gone(loaded)}:
                assert here == sent or fixture in loaded.outdated


def facts(game: Game) -> object:
    """Return the result of a game, and of each of its sides."""
    sides = game.sides.order_by("pk").values_list("gang", "side", "finish")
    game.refresh_from_db()
    return game.status, game.how, game.result, list(sides)


def gone(loaded: LoadedStage) -> list[Gang]:
    """Return the gangs that have left the stage."""
    return [one.gang for one in loaded.entrants if one.left_at is not None and one.gang]


def brute_goes_on(fixture: Fixture, *, loser: bool) -> uuid.UUID | None:
    """Return the gang that a decided fixture sends on: its winner, or its loser."""
    gangs = [gang.pk for gang in (fixture.home, fixture.away) if gang]
    game = standing_game(fixture)
    winner = fixture.advances_id
    if winner is None and fixture.is_bye and fixture.called_off_at is None:
        winner = fixture.home_id
    if winner is None and game is not None and game.status == "confirmed":
        won = Side.objects.filter(game=game, side="winner").values_list("gang", flat=True)
        winner = next(iter(won), None)
    if winner is None or not loser:
        return winner
    return next((gang for gang in gangs if gang != winner), None)


def brute_table(stage: Stage) -> dict[str, tuple[int, Fraction]]:
    """Return points and opponents' match-win percentage, worked out from the rows of the database
    by the words of the page alone."""
    entrants = list(stage.entrants.all())
    annulled = {one.gang_id for one in entrants if one.is_annulled}
    points = {one.gang_id: 0 for one in entrants}
    met: dict[object, list[tuple[object, int]]] = {one.gang_id: [] for one in entrants}
    by_round: dict[int, list[Fixture]] = {}
    rows = Fixture.objects.filter(round__stage=stage, called_off_at=None)
    for fixture in rows.select_related("round", "game"):
        if annulled & {fixture.home_id, fixture.away_id}:
            continue
        by_round.setdefault(fixture.round.number, []).append(fixture)
    for fixtures in by_round.values():
        decided = [one for one in fixtures if one.game and one.game.status == "confirmed"]
        is_over = all(one in decided or not one.away_name for one in fixtures)
        for fixture in fixtures:
            if not fixture.away_name:
                points[fixture.home_id] += BYE if is_over else 0
        for fixture in decided:
            game = fixture.game
            assert game is not None
            kinds = dict(game.sides.values_list("gang", "side"))
            is_fought = game.how in ("played", "recorded")
            for gang, kind in kinds.items():
                won = {"winner": WIN, "level": DRAW if is_fought else 0, "loser": 0}[kind]
                points[gang] += won
                if is_fought:
                    (other,) = [one for one in kinds if one != gang]
                    met[gang].append((other, won))
    share = {
        gang: max(Fraction(1, 3), Fraction(sum(won for _other, won in games), WIN * len(games)))
        for gang, games in met.items()
        if games
    }
    return {
        str(gang): (
            points[gang],
            sum((share[other] for other, _won in met[gang]), Fraction(0)) / len(met[gang])
            if met[gang]
            else Fraction(1, 3),
        )
        for gang in points
    }


@pytest.mark.random(cases=1)
@pytest.mark.parametrize("number", one_soon(range(SEASONS)))
@pytest.mark.parametrize("stage_format", FORMATS)
def test_random_stage_equals_brute_force_and_reaches_an_end(
    campaign: Campaign, bob: User, stage_format: str, number: int
) -> None:
    seed = random.Random(f"{SEED} {stage_format} {number}").randrange(2**32)
    organiser = Organiser(campaign, bob, stage_format, seed)
    organiser.draw(organiser.load())
    for _ in range(ACTS):
        organiser.act()
    organiser.finish()
    assert organiser.settled
