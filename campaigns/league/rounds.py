"""Rounds and fixtures: making them, and changing them until they are played.

The caller checks that the user runs the campaign. Every change locks the campaign first, and counts
the change of the stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaigns import fixtures as campaign_fixtures
from campaigns import notices as campaigns_notices
from campaigns.club.nights import schedule
from campaigns.engine.league.options import MOST_FIXTURES, MOST_ROUNDS
from campaigns.league.loading import load_stage
from campaigns.locking import lock
from campaigns.models import Campaign, Fixture, Round, Stage
from campaigns.text import names_here
from common.errors import Refusal
from common.locking import update_if
from gangs.models import Gang


@dataclass(frozen=True)
class FixturePlan:
    """A fixture to make: its gangs (``away``: None for a bye), and the fixtures that they come from
    in a knock-out. ``number``: its place in its round, None for the next free one."""

    home: Gang
    away: Gang | None = None
    home_from: Fixture | None = None
    away_from: Fixture | None = None
    losers: bool = False
    number: int | None = None


@dataclass(frozen=True)
class RoundPlan:
    """A round to make, or one to add to: its number, days and fixtures."""

    number: int
    opens: date
    due: date | None
    fixtures: Sequence[FixturePlan]


def last_day(opens: date, days: int) -> date | None:
    """The last day of a round of this many days; None if it has none."""
    return opens + timedelta(days=days - 1) if days else None


def make_rounds(
    stage: Stage,
    plans: Sequence[RoundPlan],
    *,
    expected_version: int,
    replaces_byes: bool = False,
) -> None:
    """Make rounds with their fixtures, or add fixtures to rounds that exist, there in place of
    their byes if ``replaces_byes``. The players of a round that has begun get a notice.

    Raises Stale if the stage has changed since the draw was seen, and Refusal if a gang is in two
    fixtures of a round or no longer plays in the stage.
    """
    with transaction.atomic():
        lock(stage.campaign)
        update_if(Stage, stage.pk, expected_version)
        playing = set(stage.entrants.filter(left_at=None).values_list("gang", flat=True))
        for plan in plans:
            gangs = [gang for one in plan.fixtures for gang in (one.home, one.away) if gang]
            if not playing.issuperset(gang.pk for gang in gangs):
                raise Refusal("not_in_stage")
            one, _made = stage.rounds.get_or_create(
                number=plan.number, defaults={"opens": plan.opens, "due": plan.due}
            )
            one.stage = stage
            if replaces_byes:
                one.fixtures.filter(away_name="", called_off_at=None).delete()
            if stage.format != Stage.Format.ROUND_ROBIN:
                _check_members(stage.campaign, gangs)
            _add(one, plan.fixtures)
            announce(one)
        _check_size(stage)


def _add(one: Round, plans: Sequence[FixturePlan]) -> list[Fixture]:
    """Write the fixtures of a round. Raises Refusal if a gang would be in two of them."""
    last = one.fixtures.aggregate(last=Max("number"))["last"] or 0
    rows = []
    for number, plan in enumerate(plans, start=last + 1):
        rows.append(
            Fixture(
                round=one,
                number=plan.number or number,
                home=plan.home,
                away=plan.away,
                home_name=plan.home.name,
                away_name=plan.away.name if plan.away else "",
                home_from=plan.home_from,
                away_from=plan.away_from,
                losers=plan.losers,
            )
        )
    made = Fixture.objects.bulk_create(rows)
    check_round(one)
    return made


def check_round(one: Round) -> None:
    """Raise Refusal if a gang is in two fixtures of the round."""
    standing = one.fixtures.filter(called_off_at=None)
    gangs = [key for pair in standing.values_list("home", "away") for key in pair if key]
    if len(set(gangs)) < len(gangs) and one.stage.format != Stage.Format.LADDER:
        raise Refusal("twice_in_round")


def _check_members(campaign: Campaign, gangs: Sequence[Gang]) -> None:
    """Raise Refusal if one of the gangs has no members: nobody can play it."""
    if empty := schedule.find_empty(gangs):
        names = names_here(campaign)
        found = sorted(names[gang.pk] for gang in gangs if gang.pk in empty)
        raise Refusal("no_members", gangs=", ".join(found))


def _check_size(stage: Stage) -> None:
    if stage.rounds.count() > MOST_ROUNDS:
        raise Refusal("rounds_full", maximum=MOST_ROUNDS)
    if Fixture.objects.filter(round__stage=stage).count() > MOST_FIXTURES:
        raise Refusal("fixtures_full", maximum=MOST_FIXTURES)


def announce(one: Round) -> bool:
    """Send the notice of a round that has begun to the players in it, once; returns whether it is
    sent now. The update is the lock: of two processes, one sends the notice."""
    unsent = Round.objects.filter(pk=one.pk, announced_at=None)
    if not one.is_open or not unsent.update(announced_at=timezone.now()):
        return False
    campaigns_notices.round_opened(one)
    return True


def change_days(one: Round, opens: date, due: date | None, *, expected_version: int) -> None:
    """Change the days of a round. Fixtures with a last day of their own keep it. Raises Stale."""
    with transaction.atomic():
        _turn(one.stage, expected_version)
        Round.objects.filter(pk=one.pk).update(opens=opens, due=due)
        one.opens, one.due = opens, due
        one.fixtures.filter(due=None).update(reminded_at=None)
        announce(one)


def open_now(one: Round, *, expected_version: int) -> None:
    """Let a round begin today, before its first day. Its last day stays. Raises Stale."""
    today = timezone.localdate()
    change_days(one, min(one.opens, today), one.due, expected_version=expected_version)


def clear(one: Round, *, expected_version: int) -> None:
    """Delete the fixtures of a round that have no game, so that it can be drawn again; without any
    left, the round too. Raises Stale, and Refusal if a later round follows from it."""
    with transaction.atomic():
        _turn(one.stage, expected_version)
        if one.stage.format == Stage.Format.KNOCK_OUT and (
            one.stage.rounds.filter(number__gt=one.number).exists()
        ):
            raise Refusal("later_round")
        one.fixtures.filter(game=None).delete()
        if not one.fixtures.exists():
            one.delete()


def add_fixture(one: Round, plan: FixturePlan, *, expected_version: int) -> Fixture:
    """Add a fixture to a round. Raises Stale and Refusal."""
    with transaction.atomic():
        _turn(one.stage, expected_version)
        (made,) = _add(one, [plan])
        _check_size(one.stage)
    return made


def add_challenge(stage: Stage, plan: FixturePlan) -> Fixture:
    """Add a challenge to the only round of a ladder, which begins with the first. Raises
    Refusal."""
    one, _made = stage.rounds.get_or_create(
        number=1, defaults={"opens": timezone.localdate(), "announced_at": timezone.now()}
    )
    one.stage = stage
    (made,) = _add(one, [plan])
    _check_size(stage)
    return made


def change_gangs(fixture: Fixture, home: Gang, away: Gang | None, *, expected_version: int) -> None:
    """Let other gangs meet in a fixture that has no game yet. Raises Stale and Refusal."""
    with transaction.atomic():
        _turn(fixture.round.stage, expected_version)
        campaign_fixtures.check_free(fixture)
        one = fixture.round
        playing = set(one.stage.entrants.filter(left_at=None).values_list("gang", flat=True))
        if not playing.issuperset(gang.pk for gang in (home, away) if gang is not None):
            raise Refusal("not_in_stage")
        seat_gangs(fixture, home, away)
        check_round(one)
        campaigns_notices.fixture_changed(fixture)


def seat_gangs(fixture: Fixture, home: Gang, away: Gang | None) -> None:
    """Write the gangs of a fixture, which begins again: without a game, without a decision about
    who goes on, and not called off."""
    values = {
        "home": home,
        "away": away,
        "home_name": home.name,
        "away_name": away.name if away else "",
        "game": None,
        "advances": None,
        "called_off_at": None,
        "reminded_at": None,
    }
    Fixture.objects.filter(pk=fixture.pk).update(**values)
    for name, value in values.items():
        setattr(fixture, name, value)


def call_off(fixture: Fixture, *, expected_version: int) -> None:
    """Call a fixture off: it counts for nobody. Raises Stale, and Refusal if it has a game."""
    with transaction.atomic(), campaign_fixtures.telling_outdated(fixture):
        _turn(fixture.round.stage, expected_version)
        campaign_fixtures.check_free(fixture)
        Fixture.objects.filter(pk=fixture.pk).update(called_off_at=timezone.now())
        campaigns_notices.fixture_off(fixture)


def put_back(fixture: Fixture, *, expected_version: int) -> None:
    """Put a fixture back that was called off, in a knock-out with the gangs that belong there by
    now. Raises Stale, and Refusal if one of its gangs has another fixture in the round."""
    with transaction.atomic(), campaign_fixtures.telling_outdated(fixture):
        _turn(fixture.round.stage, expected_version)
        loaded = load_stage(fixture.round.stage)
        Fixture.objects.filter(pk=fixture.pk).update(called_off_at=None, advances=None)
        place = loaded.bracket.find(fixture.pk)
        gangs = [loaded.gangs[gang] for gang in place.gangs] if place is not None else []
        is_free = campaign_fixtures.standing_game(fixture) is None
        if place is not None and place.round > 1 and place.is_known and gangs and is_free:
            seat_gangs(fixture, gangs[0], gangs[1] if len(gangs) > 1 else None)
            campaigns_notices.fixture_changed(fixture)
        check_round(fixture.round)


def extend(fixture: Fixture, due: date | None, *, expected_version: int) -> None:
    """Give a fixture a last day of its own; None: the day of its round again. Raises Stale."""
    with transaction.atomic():
        _turn(fixture.round.stage, expected_version)
        Fixture.objects.filter(pk=fixture.pk).update(due=due, reminded_at=None)
        if due is not None:
            fixture.due = due
            campaigns_notices.fixture_extended(fixture)


def advance(fixture: Fixture, gang: Gang | None, *, expected_version: int) -> None:
    """Decide which gang goes on; None: its game decides. Raises Stale."""
    with transaction.atomic(), campaign_fixtures.telling_outdated(fixture):
        _turn(fixture.round.stage, expected_version)
        Fixture.objects.filter(pk=fixture.pk).update(advances=gang)


def untie(fixture: Fixture, *, expected_version: int) -> None:
    """Let the game of a fixture not count for it: the fixture is open again. Raises Stale."""
    with transaction.atomic(), campaign_fixtures.telling_outdated(fixture):
        _turn(fixture.round.stage, expected_version)
        Fixture.objects.filter(pk=fixture.pk).update(game=None)


def keep_gangs(fixture: Fixture, *, expected_version: int) -> None:
    """Let the fixture count with its gangs, though they do not follow from the results before it:
    it is as if an organiser had added it by hand. Raises Stale."""
    with transaction.atomic():
        _turn(fixture.round.stage, expected_version)
        Fixture.objects.filter(pk=fixture.pk).update(home_from=None, away_from=None)


def _turn(stage: Stage, expected_version: int) -> None:
    """Lock the campaign and count a change of the stage. Raises Stale."""
    lock(stage.campaign)
    update_if(Stage, stage.pk, expected_version)
    stage.version = expected_version + 1
