"""Planned games: their gangs, their day and their scenario."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction

from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns import locking, throws
from campaigns import notices as campaigns_notices
from campaigns.club.nights import schedule
from campaigns.engine.report import About
from campaigns.engine.story import Story
from campaigns.models import Campaign, Fixture, Game, Membership, Night, Side
from campaigns.text import GameLine, disambiguate, game_lines, names_here
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs.models import Gang
from rules.book.fates import TableRow
from rules.book.model import Rules
from rules.book.reference import Scenario
from rules.book.season import Play
from rules.engine.dice import DiceRoll, look_up, parse_roll, throw

ROLL = "roll"
TYPED = "typed"
# Of an evening, show a gang at most this many games.
MOST_NEXT = 6
# The key under which the throw for a game's scenario is kept.
SCENARIO_KEY = "scenario"
# The most rolls for a scenario that is open.
MOST_ROLLS = 500


@dataclass(frozen=True)
class Plan:
    """The day and the scenario of a game. ``scenario``: None keeps the scenario of a planned game;
    ``roll``: the dice that chose it."""

    played_on: date
    night: Night | None = None
    scenario: str | None = ""
    roll: DiceRoll | None = None

    def columns(self) -> dict[str, Any]:
        """The plan as columns of the game."""
        columns: dict[str, Any] = {"played_on": self.played_on, "night": self.night}
        if self.scenario is not None:
            roll = self.roll.model_dump(mode="json") if self.roll else None
            columns |= {"scenario": self.scenario, "scenario_roll": roll}
        return columns


def fitting(rules: Rules, gangs: int) -> list[Scenario]:
    """The scenarios with at most as many roles as there are gangs; all scenarios, if none fits."""
    return [row for row in rules.scenarios if len(row.roles) <= gangs] or list(rules.scenarios)


def may_be_rolled(row: TableRow, story: Story | None) -> bool:
    """Whether a row of the table of scenarios counts: its scenario is open in the story."""
    return story is None or row.scenario is None or row.scenario in story.open


def choose_scenario(
    rules: Rules, choice: str, faces: str = "", gangs: int = 2, story: Story | None = None
) -> tuple[str, DiceRoll | None]:
    """The scenario and the dice that chose it.

    ``choice``: a scenario; ROLL to roll on the rulebook's table or, where it has none, evenly among
    those ``fitting`` the ``gangs``; or TYPED for ``faces`` that the players rolled. Raises BadFaces
    for faces that these dice cannot show, and Refusal for faces of a closed scenario. ``story``: of
    the campaign, whose closed scenarios are left out; the site rolls on a table until a scenario is
    open.
    """
    book = rules.book
    if choice not in (ROLL, TYPED):
        return choice, None
    if book.campaign.scenario_table is not None:
        table = book.table[book.campaign.scenario_table]
        if choice == TYPED:
            roll = parse_roll(table.dice, faces)
            row = look_up(table, roll)
            if not may_be_rolled(row, story):
                raise Refusal("closed_scenario", row=row.name)
            return row.scenario or "", roll
        for _try in range(MOST_ROLLS):
            roll = throw(table.dice)
            row = look_up(table, roll)
            if may_be_rolled(row, story):
                return row.scenario or "", roll
        return "", None
    rows = [row for row in fitting(rules, gangs) if story is None or row.key in story.open]
    if choice == TYPED or not rows:
        return "", None
    roll = throw(f"1d{len(rows)}")
    return rows[roll.total - 1].key, roll


def scenario_of(game: Game) -> Scenario | None:
    """The game's scenario, if it is in the rulebook."""
    return game.campaign.book.scenario.get(game.scenario)


def plan(
    campaign: Campaign,
    gangs: Sequence[Gang],
    planned: Plan,
    *,
    actor: User,
    token: uuid.UUID,
    fixture: Fixture | None = None,
    is_news: bool = True,
) -> Game:
    """Plan a game, to be reported after playing. A form that arrives twice plans one.

    It counts for the ``fixture``; without one, for the open fixture between its two gangs, if there
    is one. ``is_news``: its players get a notice. Raises Refusal.
    """
    check_number(campaign.book.who_plays, len(gangs))
    if not campaign.is_run_by(actor) and all(gang.owner_id != actor.pk for gang in gangs):
        raise Refusal("own_gang_plays")
    with transaction.atomic():
        locking.lock(campaign)
        here = Membership.objects.playing().filter(campaign=campaign, gang__in=gangs)
        if here.count() != len(gangs):
            raise Refusal("gang_not_here")
        schedule.check_takes_place(planned.night)
        if fixture is not None:
            campaign_fixtures.check_free(fixture, token)
        game, created = Game.objects.get_or_create(
            token=token, defaults={"campaign": campaign, "reported_by": actor, **planned.columns()}
        )
        if created:
            Side.objects.bulk_create(
                Side(game=game, gang=gang, name=gang.name, rating=gang.rating) for gang in gangs
            )
            _keep_scenario(game, planned, actor)
            if fixture is not None:
                campaign_fixtures.tie(fixture, game)
            elif not campaign.book.who_plays.is_together:
                campaign_fixtures.link_game(game, gangs)
            if is_news:
                campaigns_notices.game_planned(game, actor=actor)
    return game


def check_number(play: Play, gangs: int) -> None:
    """Raise Refusal if a game has too few gangs, or too many, by the rulebook."""
    if gangs < play.fewest:
        if play.fewest == 2 and not play.is_together:
            raise Refusal("two_gangs")
        raise Refusal("few_gangs", fewest=play.fewest)
    if play.most is not None and gangs > play.most:
        raise Refusal("many_gangs", most=play.most)


def plan_pairs(
    night: Night, pairs: Sequence[Sequence[Gang]], *, actor: User, token: uuid.UUID
) -> None:
    """Plan a game of the night for each of the pairs. A form that arrives twice plans each game
    once. Raises Stale if somebody has meanwhile given one of the gangs another game that night, and
    Refusal if one of the gangs has no members."""
    keys = [uuid.uuid5(token, " ".join(sorted(str(gang.pk) for gang in pair))) for pair in pairs]
    gangs = [gang.pk for pair in pairs for gang in pair]
    if empty := schedule.find_empty(gang for pair in pairs for gang in pair):
        names = names_here(night.campaign)
        raise Refusal("no_members", gangs=", ".join(sorted(names[key] for key in empty)))
    with transaction.atomic():
        locking.lock(night.campaign)
        others = night.games.filter(status=Game.Status.PLANNED).exclude(token__in=keys)
        if len(set(gangs)) < len(gangs) or others.filter(sides__gang__in=gangs).exists():
            raise Stale
        for pair, key in zip(pairs, keys, strict=True):
            plan(night.campaign, pair, Plan(schedule.day_of(night), night), actor=actor, token=key)


def replan(game: Game, planned: Plan, *, actor: User, expected_version: int) -> None:
    """Change the plan of a game, until the game is reported.

    A scenario that dice chose is final, unless an organiser decides again: then the old throw and
    the throws for its roles are kept as taken back. Raises Refusal, and Stale if the game has
    changed since it was seen.
    """
    decided = planned.scenario is not None
    if decided and game.scenario_roll and not game.campaign.is_run_by(actor):
        raise Refusal("scenario_final")
    is_new = planned.roll is not None or (decided and planned.scenario != game.scenario)
    with transaction.atomic():
        locking.lock(game.campaign)
        if planned.night is not None and planned.night.pk != game.night_id:
            schedule.check_takes_place(planned.night)
        count(game, expected_version, **planned.columns())
        if is_new:
            game.sides.update(role="")
            throws.take_back(game.throws.filter(key__in=[SCENARIO_KEY, throws.ROLES_KEY]), actor)
        _keep_scenario(game, planned, actor)


def may_replan(game: Game, user: User, sides: Sequence[Side]) -> bool:
    """Whether the user may change the game's plan now. Reads the sides' gangs."""
    if game.status != Game.Status.PLANNED or game.campaign.archived_at is not None:
        return False
    return game.campaign.is_run_by(user) or any(side.is_of(user) for side in sides)


def count(game: Game, expected_version: int, **values: Any) -> None:
    """Change a game that is still to be played. The update is the lock. Raises Refusal if the game
    has been reported meanwhile, and Stale if it has changed since it was seen."""
    planned = Game.objects.filter(status=Game.Status.PLANNED)
    try:
        update_if(planned, game.pk, expected_version, **values)
    except Stale:
        if planned.filter(pk=game.pk).exists():
            raise
        raise Refusal("played_already") from None
    game.refresh_from_db(fields=["version", *values])


def next_games(gang: Gang, user: User) -> list[GameLine]:
    """The games of the gang's next evening, as the user sees them; the one being played first."""
    planned = Game.objects.filter(status=Game.Status.PLANNED, sides__gang=gang)
    planned = planned.filter(campaign__archived_at=None).select_related("campaign", "night")
    lines = game_lines(planned.order_by("played_on", "created_at")[:MOST_NEXT], user)
    evening = [line for line in lines if line.game.played_on == lines[0].game.played_on]
    return sorted(disambiguate(evening), key=lambda line: not line.is_live)


def _keep_scenario(game: Game, planned: Plan, actor: User) -> None:
    """Keep the throw that chose the scenario, if there is one."""
    if planned.roll is not None:
        table = game.campaign.book.campaign.scenario_table
        about = About(scenario_table=table) if table else About(asked="scenario")
        throws.keep(game, None, SCENARIO_KEY, about, planned.roll, actor)
