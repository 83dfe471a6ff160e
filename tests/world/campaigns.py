"""Builders of campaigns and games, made by the same functions that a click reaches."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial

from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.league.options import StageOptions
from campaigns.engine.report import Answers, GameReport, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough, StepState
from campaigns.games import results
from campaigns.league import rounds, stages
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.models import Campaign, Game, Night, Side, Stage
from campaigns.postgames import drafts
from gangs.engine.roster import Roster
from gangs.models import Gang
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.dice import parse_roll
from tests.world.gangs import GOLD, make_gang, make_version

GAMES = itertools.count()


def make_campaign(organiser: User, slug: str = GOLD, settings: Settings | None = None) -> Campaign:
    """Return a campaign with the rulebook's usual options."""
    version = make_version(slug)
    return joining.start(
        name="The long winter",
        version=version,
        settings=settings or {},
        notes="",
        organiser=organiser,
        token=uuid.uuid4(),
    )


def make_player(campaign: Campaign, user: User) -> Gang:
    """Return a ready-made gang of ``user`` that has joined."""
    gang = make_gang(user, campaign.book.slug)
    joining.join(campaign, gang, actor=user, expected_version=gang.version)
    return Gang.objects.get(pk=gang.pk)


def make_game(campaign: Campaign, actor: User, *gangs: Gang, day: date | None = None) -> Game:
    """Return a planned game."""
    return plans.plan(
        campaign,
        gangs,
        plans.Plan(day or date(2026, 5, 1)),
        actor=actor,
        token=uuid.uuid4(),
    )


def make_night(campaign: Campaign, starts_at: datetime | None = None, place: str = "") -> Night:
    """Return a night, by default a week from now."""
    return schedule.arrange(
        campaign,
        starts_at=starts_at or timezone.now() + timedelta(days=7),
        place=place,
        note="",
        token=uuid.uuid4(),
    )


def make_stage(campaign: Campaign, *gangs: Gang, stage_format: str = "swiss") -> Stage:
    """Return a stage whose first round lets the first gang meet the second, and so on."""
    stage = stages.start(
        campaign,
        stage_format,
        gangs,
        {"name": "Autumn", "options": StageOptions()},
        token=uuid.uuid4(),
    )
    pairs = zip(gangs[::2], gangs[1::2], strict=True)
    plan = RoundPlan(1, timezone.localdate(), None, [FixturePlan(*pair) for pair in pairs])
    rounds.make_rounds(stage, [plan], expected_version=stage.version)
    return Stage.objects.get(pk=stage.pk)


def reported(
    game: Game, actor: User, *, result: str = "crushing", reports: dict[str, Report] | None = None
) -> Game:
    """Report that the first side won. Everybody took part unless ``reports`` says otherwise."""
    sides = list(game.sides.select_related("gang"))
    told = {}
    for number, side in enumerate(sides):
        assert side.gang is not None
        fielded = tuple(member.id for member in side.gang.roster.members)
        report = (reports or {}).get(str(side.gang_id), Report(fielded=fielded))
        told[side.pk] = SideAccount("loser" if number else "winner", report)
    results.report(
        game,
        Account(result=result, played_on=game.played_on, sides=told),
        actor=actor,
        expected_version=game.version,
    )
    return Game.objects.get(pk=game.pk)


def confirmed(game: Game, *players: User) -> Game:
    """Confirm the game for these players and return it."""
    for player in players:
        results.confirm(game, actor=player, expected_version=game.version)
        game = Game.objects.get(pk=game.pk)
    return game


def side_of(game: Game, gang: Gang) -> Side:
    """Return the gang's side of a game, fresh from the database."""
    return Side.objects.select_related("game__campaign", "gang").get(game=game, gang=gang)


# The answers of somebody in a hurry, by the kind of question.
HURRIED = {"captive": "stay", "search": "nothing", "supply": "0"}


def answered(side: Side, dice: Callable[[int], int] = lambda sides: sides // 2) -> Side:
    """Return the side with its post-game answered by constant dice and default choices. ``dice``:
    the face of a die, by its number of sides."""
    for _ in range(50):
        state = drafts.load(side).playthrough.current
        if state is None:
            return side
        drafts.answer(
            drafts.load(side), partial(_hurried, state, dice), expected_version=side.draft_version
        )
    raise AssertionError("the post-game does not end")


def _hurried(
    state: StepState, dice: Callable[[int], int], through: Playthrough, answers: Answers
) -> Answers:
    if state.waiting:
        thrown = partial(rolls.throw_all, by=dice)
        return engine_answers.roll(through, answers, thrown)
    for question in state.questions:
        if question.kind in HURRIED and question.chosen is None:
            return engine_answers.choose(through, answers, question.key, HURRIED[question.kind])
    return engine_answers.finish(through, answers, state.step.key)


def make_situation(roster: Roster, result: str, side: str, **values: object) -> GameReport:
    """Return the facts for a post-game; everybody took part unless ``report`` says otherwise."""
    data: dict[str, object] = {
        "game": f"tonight-{next(GAMES)}",
        "title": "Here – There",
        "result": result,
        "side": side,
        "report": Report(fielded=tuple(member.id for member in roster.members)),
        "rating": 10,
        "opponents": (10,),
    }
    return GameReport.model_validate(data | values)


def rolled_out(
    book: Book, before: Roster, game_report: GameReport, answers: Answers, *rolls: str
) -> Playthrough:
    """Play the post-game and answer each roll that it needs with the next of ``rolls``."""
    for faces in rolls:
        asked = play(book, before, 100, game_report, answers).requests
        waiting = [one for one in asked.values() if one.roll is None]
        assert waiting, f"nothing is left to roll {faces} for"
        names = (
            [(face["en"], face["fr"]) for face in waiting[0].table.faces]
            if waiting[0].table
            else []
        )
        made = {waiting[0].key: parse_roll(waiting[0].dice, faces, names)}
        answers = answers.model_copy(update={"rolls": answers.rolls | made})
    return play(book, before, 100, game_report, answers)


def report_on(roster: Roster, **told: object) -> Report:
    """Return a report in which all members of the gang took part."""
    data = {"fielded": tuple(member.id for member in roster.members), **told}
    return Report.model_validate(data)
