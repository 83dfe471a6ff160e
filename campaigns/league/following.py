"""Fixtures of a knock-out that no longer follow, since a result before them has changed: finding
them, and taking over the right gangs with one press."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.engine.league.bracket import TakenOver, take_over
from campaigns.fixtures import fixture_title, standing_game
from campaigns.games import results
from campaigns.league import rounds
from campaigns.league.loading import LoadedStage, load_stage, load_stages
from campaigns.locking import lock
from campaigns.models import Fixture, Game, Stage, Table
from common.errors import Refusal
from common.locking import update_if


def find_outdated(stages: Collection[uuid.UUID]) -> list[Fixture]:
    """Return the fixtures of these stages that no longer follow from the results before them. One
    query, and four more if one of them is a knock-out with a second round."""
    rows = Stage.objects.filter(
        pk__in=stages, format=Stage.Format.KNOCK_OUT, rounds__number__gt=1
    ).distinct()
    loaded = load_stages(list(rows.select_related("campaign")))
    return [fixture for one in loaded for fixture in one.outdated]


@dataclass(frozen=True)
class FollowingLine:
    """A fixture that no longer follows. ``before``: its gangs now; ``after``: the change in words,
    or the reason why it stays."""

    fixture: Fixture
    before: str
    after: str


@dataclass(frozen=True)
class Following:
    """A preview of taking over the right gangs: the fixtures that change, and the others."""

    changes: Sequence[FollowingLine]
    others: Sequence[FollowingLine]


def preview(loaded: LoadedStage) -> Following:
    """Return what taking over the right gangs would change. One query."""
    fixed = _fixed(loaded)
    found = {one.key: one for one in _plan(loaded, fixed)}
    changes, others = [], []
    for fixture in loaded.fixtures:
        title = fixture_title(fixture)
        if fixture.pk in found:
            words = _describe(loaded, fixture, found[fixture.pk])
            changes.append(FollowingLine(fixture, title, words))
        elif fixture in loaded.outdated:
            if fixture.pk in fixed:
                words = _("its game is played, reported or on at the table: it stays as it is")
            elif (place := loaded.bracket.find(fixture.pk)) is not None and place.is_known:
                words = _("it waits: one of its gangs has another game in this round")
            else:
                words = _("it waits: the results before it are not complete")
            others.append(FollowingLine(fixture, title, words))
    return Following(changes, others)


def _describe(loaded: LoadedStage, fixture: Fixture, change: TakenOver) -> str:
    """A change in words."""
    names = [loaded.names[gang] for gang in change.gangs]
    match names:
        case [home, away]:
            parts = [f"{home} – {away}"]
        case [home]:
            parts = [_("%(gang)s has a bye") % {"gang": home}]
        case _:
            parts = [_("taken out: nobody plays here")]
    if standing_game(fixture) is not None:
        parts.append(_("its planned game is cancelled"))
    return " · ".join(parts)


def take_over_gangs(stage: Stage, *, actor: User, expected_version: int) -> int:
    """Let the right gangs meet in every fixture that no longer follows; return the number of
    fixtures that changed.

    Planned games of other gangs are cancelled. A game that is reported, fought or on at the table
    never changes; a fixture waits if its gangs are not known yet, or have another one in the round.
    All players concerned get a notice. Raises Stale if the stage has changed since the preview, and
    Refusal if a game has begun meanwhile.
    """
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version)
        loaded = load_stage(stage)
        changes = _plan(loaded, _fixed(loaded))
        fixtures = {fixture.pk: fixture for fixture in loaded.fixtures}
        for change in changes:
            _change(loaded, fixtures[change.key], change, actor)
        for number in {fixtures[change.key].round_id for change in changes}:
            one = next(one for one in loaded.rounds if one.pk == number)
            rounds.check_round(one)
            if not one.fixtures.exists():
                one.delete()
    return len(changes)


def _plan(loaded: LoadedStage, fixed: Collection[int]) -> list[TakenOver]:
    return take_over(loaded.entered, loaded.matches, third=loaded.stage.rules.third, fixed=fixed)


def _fixed(loaded: LoadedStage) -> set[int]:
    """The fixtures whose games never change: all but those that are merely planned. One query."""
    games = {
        game.pk: fixture.pk
        for fixture in loaded.fixtures
        if (game := standing_game(fixture)) is not None
    }
    planned = Game.objects.filter(pk__in=games, status=Game.Status.PLANNED)
    used = Table.objects.filter(seq__gt=0).values("game")
    free = set(planned.exclude(pk__in=used).values_list("pk", flat=True))
    return {fixture for game, fixture in games.items() if game not in free}


def _change(loaded: LoadedStage, fixture: Fixture, change: TakenOver, actor: User) -> None:
    """Write one change and notify the players: those who no longer play in the fixture, and those
    who now do."""
    gangs = [loaded.gangs[gang] for gang in change.gangs]
    before = [gang for gang in (fixture.home, fixture.away) if gang is not None]
    out = [gang for gang in before if gang not in gangs]
    game = standing_game(fixture)
    if game is not None:
        if game.status != Game.Status.PLANNED:
            raise Refusal("fixture_has_game")
        game.campaign = loaded.stage.campaign
        results.withdraw(game, actor=actor, expected_version=game.version)
    was_planned = game is not None
    campaigns_notices.fixture_lost(fixture, out, was_planned=was_planned)
    if not gangs:
        fixture.delete()
        return
    home, away = gangs[0], gangs[1] if len(gangs) > 1 else None
    rounds.seat_gangs(fixture, home, away)
    campaigns_notices.fixture_changed(fixture, was_planned=was_planned)
