"""Fixtures of a league's rounds as every page shows them, and their ties to games and gangs."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from django.db.models import Exists, F, OuterRef, Prefetch, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns import notices as campaigns_notices
from campaigns.models import (
    Campaign,
    Entrant,
    Fixture,
    FixtureQuerySet,
    Game,
    Membership,
    Round,
    Side,
    Stage,
)
from campaigns.round_names import name_rounds
from common.errors import Refusal
from gangs.models import Gang


@dataclass(frozen=True)
class FixtureLine:
    """A fixture in a list. ``title``: the names of its gangs; ``state``: what became of it, or when
    it is due, in words; ``is_late``: its last day is over, and it is not played; ``is_open``: it
    is still to be played."""

    fixture: Fixture
    title: str
    state: str
    is_late: bool = False
    is_open: bool = False


def with_games(fixtures: FixtureQuerySet) -> FixtureQuerySet:
    """Read their rounds, stages, gangs and games, too, whether another gang of the campaign has the
    name of one of theirs, whether the campaign is over (``is_over``), and whether the results of
    one of their gangs are annulled in the stage (``is_annulled``). Two queries."""
    sides = Side.objects.select_related("gang__owner").only(
        "game", "gang", "name", "side", "gang__name", "gang__owner"
    )
    rows = fixtures.select_related("round__stage", "game", "home__owner", "away__owner")
    unread = ("home__snapshot", "away__snapshot", "game__note", "game__luck")
    named = rows.annotate(
        home_namesake=_has_namesake("home"),
        away_namesake=_has_namesake("away"),
        is_over=Q(round__stage__campaign__archived_at__isnull=False),
        is_annulled=Exists(
            Entrant.objects.filter(stage=OuterRef("round__stage"), is_annulled=True).filter(
                Q(gang=OuterRef("home")) | Q(gang=OuterRef("away"))
            )
        ),
    )
    return named.defer(*unread).prefetch_related(Prefetch("game__sides", sides))


def _has_namesake(side: str) -> Exists:
    """Whether another gang that is or was in the campaign has the name of this side's gang."""
    others = Membership.objects.filter(
        campaign=OuterRef("round__stage__campaign"), gang__name=OuterRef(f"{side}__name")
    )
    return Exists(others.exclude(gang=OuterRef(side)))


def fixture_line(fixture: Fixture) -> FixtureLine:
    """The line of a fixture. Reads what ``with_games`` does."""
    state, is_open = _describe(fixture)
    if is_open and (table := describe_table(fixture)):
        state = f"{table} · {state}"
    if getattr(fixture, "is_annulled", False) and standing_game(fixture) is not None:
        state = " · ".join([state, _("result annulled")])
    last = fixture.last_day
    late = is_open and last is not None and last < timezone.localdate()
    return FixtureLine(fixture, fixture_title(fixture), state, late, is_open)


def describe_table(fixture: Fixture) -> str:
    """The table of a fixture in words; "" where there are no tables."""
    number = fixture.table_number
    return _("Table %(number)s") % {"number": number} if number is not None else ""


def fixture_title(fixture: Fixture) -> str:
    """The names of its gangs, as ``fixture_names``."""
    return " – ".join(name for name in fixture_names(fixture) if name)


def fixture_names(fixture: Fixture) -> tuple[str, str]:
    """The names of its gangs, home and away; a gang gets its player's, too, if the other gang or,
    where ``with_games`` was read, another gang of the campaign has its name."""
    sides = [
        (fixture.home, fixture.home_name, "home_namesake"),
        (fixture.away, fixture.away_name, "away_namesake"),
    ]
    names = [gang.name if gang is not None else name for gang, name, _key in sides]
    home, away = [
        f"{name} ({gang.owner})"
        if gang is not None
        and gang.owner
        and (names[0] == names[1] or getattr(fixture, key, False))
        else name
        for name, (gang, _known, key) in zip(names, sides, strict=True)
    ]
    return home, away


def _describe(fixture: Fixture) -> tuple[str, bool]:
    """The state of a fixture in words, and whether it is still to be played."""
    if fixture.called_off_at is not None:
        return _("Called off"), False
    if fixture.is_bye:
        return _("Bye"), False
    game = standing_game(fixture)
    is_over = getattr(fixture, "is_over", False)
    if game is None:
        is_over = is_over or fixture.round.stage.ended_at is not None
        return (_("Not played"), False) if is_over else (_due(fixture), True)
    if game.status == Game.Status.PLANNED:
        if is_over:
            return _("Not played"), False
        day = date_format(game.played_on, "j N Y")
        if game.played_on < timezone.localdate():
            return _("Planned for %(day)s, without a result") % {"day": day}, True
        return _("Planned for %(day)s") % {"day": day}, True
    if game.status != Game.Status.CONFIRMED:
        return str(Game.Status(game.status).label), False
    winner = find_winner(fixture, game)
    manner = [] if game.is_fought else [str(Game.How(game.how).label)]
    if winner is not None:
        home, away = fixture_names(fixture)
        name = home if winner == "home" else away
        return " · ".join([_("%(name)s won") % {"name": name}, *manner]), False
    return " · ".join(manner or [_("Draw")]), False


def _due(fixture: Fixture) -> str:
    today, opens, last = timezone.localdate(), fixture.round.opens, fixture.last_day
    if opens > today:
        return _("From %(day)s") % {"day": date_format(opens, "j N Y")}
    if last is None:
        return _("To be played")
    values = {"day": date_format(last, "j N Y")}
    if last < today:
        return _("Was due by %(day)s") % values
    return _("To be played by %(day)s") % values


def find_winner(fixture: Fixture, game: Game) -> Literal["home", "away"] | None:
    """Return which gang of a fixture won its confirmed game, or None. Reads what ``with_games``
    does. Sides of deleted gangs have only a name, and perhaps another than the fixture."""
    sides = list(game.sides.all())
    winner = next((side for side in sides if side.side == "winner"), None)
    if winner is None:
        return None
    if fixture.home_id is not None or fixture.away_id is not None:
        return "home" if winner.gang_id == fixture.home_id else "away"
    for side in sides:
        # One side with one of the two names decides which side is which.
        is_home = side.name == fixture.home_name
        if is_home != (side.name == fixture.away_name):
            return "home" if is_home == (side == winner) else "away"
    return "home" if winner == sides[0] else "away"


def standing_game(fixture: Fixture) -> Game | None:
    """The game of a fixture; None if there is none, or if it was taken back."""
    game = fixture.game
    return None if game is None or game.status == Game.Status.STRUCK else game


@dataclass(frozen=True)
class CurrentRound:
    """The round of a stage that is being played. ``days``: its name and its days in words;
    ``lines``: its fixtures."""

    stage: Stage
    days: str
    lines: Sequence[FixtureLine]

    @property
    def shown(self) -> tuple[object, ...]:
        """Everything that a page shows of it, to compare it."""
        return self.stage.pk, self.days, [(one.fixture.pk, one.state) for one in self.lines]


def current_rounds(campaign: Campaign) -> list[CurrentRound]:
    """For each open stage the first round that has begun and is not played, or else the newest
    that has begun. One query without stages, else at most four, and two with a knock-out."""
    begun = Round.objects.filter(
        stage__campaign=campaign, stage__ended_at=None, opens__lte=timezone.localdate()
    )
    unplayed = Fixture.objects.unplayed().filter(round=OuterRef("pk"))
    rounds = begun.annotate(is_unplayed=Exists(unplayed)).select_related("stage")
    current: dict[uuid.UUID, Round] = {}
    for one in rounds.order_by("stage__number", "number"):
        known = current.get(one.stage_id)
        if known is None or not getattr(known, "is_unplayed", False):
            current[one.stage_id] = one
    if not current:
        return []
    rows = with_games(Fixture.objects.filter(round__in=current.values()))
    of_rounds: defaultdict[int, list[FixtureLine]] = defaultdict(list)
    for fixture in rows.order_by("number"):
        of_rounds[fixture.round_id].append(fixture_line(fixture))
    names = name_rounds(current.values())
    return [
        CurrentRound(one.stage, _name_and_days(one, names[one.pk]), of_rounds[one.pk])
        for one in current.values()
    ]


def _name_and_days(one: Round, name: str) -> str:
    return name if one.stage.format == Stage.Format.LADDER else f"{name} · {describe_days(one)}"


def describe_days(one: Round) -> str:
    """When a round is played, in words."""
    opens = date_format(one.opens, "j N Y")
    if one.due is None:
        return _("from %(day)s") % {"day": opens}
    last = date_format(one.due, "j N Y")
    if one.opens > timezone.localdate():
        return _("%(first)s to %(last)s") % {"first": opens, "last": last}
    return _("until %(day)s") % {"day": last}


def find_fixture(game: Game) -> Fixture | None:
    """The fixture that a game counts for; None if there is none. No query for a game whose fixture
    was read with it."""
    try:
        return game.fixture
    except Fixture.DoesNotExist:
        return None


def find_open(gangs: Sequence[Gang]) -> Fixture | None:
    """The oldest fixture between exactly these two gangs that is open and has no game. One
    query."""
    if len(gangs) != 2:
        return None
    one, other = gangs
    between = Q(home=one, away=other) | Q(home=other, away=one)
    found = Fixture.objects.unplayed().of_open_rounds().filter(between)
    free = found.filter(Q(game=None) | Q(game__status=Game.Status.STRUCK))
    return free.order_by("round__opens", "round__number", "pk").first()


def link_game(game: Game, gangs: Sequence[Gang]) -> None:
    """Let a new game of two gangs count for their open fixture, if they have one. At most two
    queries."""
    fixture = find_open(gangs)
    if fixture is not None:
        tie(fixture, game)


def check_free(fixture: Fixture, token: uuid.UUID | None = None) -> None:
    """Raise Refusal if the fixture was called off, or has a game other than that of the form with
    this ``token``."""
    fresh = Fixture.objects.select_related("game").get(pk=fixture.pk)
    if fresh.called_off_at is not None:
        raise Refusal("fixture_off")
    game = standing_game(fresh)
    if game is not None and game.token != token:
        raise Refusal("fixture_has_game")


def tie(fixture: Fixture, game: Game) -> None:
    """Let this game count for the fixture, and count the change of its stage."""
    Fixture.objects.filter(pk=fixture.pk).update(game=game)
    fixture.game = game
    count_change([fixture.round.stage_id])


def count_change(stages: Iterable[uuid.UUID]) -> None:
    """Count a change of these stages."""
    Stage.objects.filter(pk__in=stages).update(version=F("version") + 1)


# The finder of the fixtures of stages that no longer follow: the league is above this module.
_finders: list[Callable[[Collection[uuid.UUID]], list[Fixture]]] = []


def register(find: Callable[[Collection[uuid.UUID]], list[Fixture]]) -> None:
    """Register the function that finds the fixtures of stages, by their keys, that no longer follow
    from the results before them, with their rounds, stages and campaigns."""
    _finders.append(find)


def find_outdated(stages: Collection[uuid.UUID]) -> list[Fixture]:
    """The fixtures of these stages that no longer follow from the results before them. No query
    without stages, else one, and four more if a knock-out with a second round is among them."""
    return [fixture for find in _finders for fixture in find(stages)] if stages else []


@dataclass(frozen=True)
class Outdated:
    """How a corrected result concerns a fixture. ``itself``: its gangs no longer follow from the
    results before it; ``later``: the fixtures whose gangs come from it and no longer follow."""

    itself: bool = False
    later: Sequence[FixtureLine] = ()


def find_outdated_near(fixture: Fixture | None) -> Outdated:
    """Find how a corrected result concerns a fixture. No query without a fixture in a knock-out."""
    if fixture is None or fixture.round.stage.format != Stage.Format.KNOCK_OUT:
        return Outdated()
    return outdated_near(fixture, find_outdated([fixture.round.stage_id]))


def outdated_near(fixture: Fixture, found: Collection[Fixture]) -> Outdated:
    """How a corrected result concerns a fixture, by the fixtures of its stage that no longer
    follow."""
    later = [one for one in found if fixture.pk in (one.home_from_id, one.away_from_id)]
    return Outdated(fixture in found, [fixture_line(one) for one in later])


@contextmanager
def telling_outdated(fixture: Fixture | None) -> Iterator[None]:
    """Notify the players and organisers of each fixture that no longer follows after the change of
    the block, and did before. Use it in the transaction of a change of this fixture's result."""
    if fixture is None or fixture.round.stage.format != Stage.Format.KNOCK_OUT:
        yield
        return
    stages = [fixture.round.stage_id]
    before = find_outdated(stages)
    yield
    for one in find_outdated(stages):
        if one not in before:
            campaigns_notices.fixture_outdated(one)


def leave_stages(campaign: Campaign, gang: Gang) -> None:
    """Take a gang out of all stages of a campaign, as ``leave_stage``."""
    for stage in campaign.stages.filter(entrants__gang=gang, entrants__left_at=None):
        leave_stage(stage, gang)


def leave_stage(stage: Stage, gang: Gang) -> None:
    """Take a gang out of a stage: it is not paired any more, and its fixtures without a game are
    called off. In a knock-out, its opponents go on. A planned game stays, for an organiser to
    settle, and counts for its fixture."""
    now = timezone.now()
    if not stage.entrants.filter(gang=gang, left_at=None).update(left_at=now):
        return
    without_game = Q(game=None) | Q(game__status=Game.Status.STRUCK)
    unplayed = Fixture.objects.unplayed().filter(without_game, round__stage=stage)
    goes_on = stage.format == Stage.Format.KNOCK_OUT
    mine = unplayed.filter(Q(home=gang) | Q(away=gang))
    for fixture in mine.select_related("round__stage__campaign", "home__owner", "away__owner"):
        campaigns_notices.fixture_off(fixture)
        other = fixture.away_id if fixture.home_id == gang.pk else fixture.home_id
        Fixture.objects.filter(pk=fixture.pk).update(
            called_off_at=now, advances=other if goes_on else None
        )
    count_change([stage.pk])
