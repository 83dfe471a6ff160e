"""Preparing a side for a game: the dice before it and the crew."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from accounts.models import User
from campaigns import throws
from campaigns.access import may_act_for
from campaigns.engine.crew import (
    Chance,
    Crew,
    CrewCandidate,
    PregameRolls,
    candidates,
    find_fit,
    find_hired,
    pick_crew,
    store_choice,
    waiting,
)
from campaigns.engine.report import About
from campaigns.engine.rolls import Change
from campaigns.models import Game, Side
from campaigns.seeds import Dice, count_dice
from campaigns.stored import sound
from campaigns.table.crews import hiring
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs.engine.roster import Member, Roster
from gangs.models import Gang
from rules.book.model import Book


@dataclass(frozen=True)
class Preparation:
    """A side before its game. ``candidates``: everybody who may play, hired hands too; ``crew``:
    the people who play; ``is_picked``: somebody has chosen them.
    """

    book: Book
    roster: Roster
    before: PregameRolls
    candidates: tuple[CrewCandidate, ...]
    crew: tuple[CrewCandidate, ...]
    is_picked: bool

    @property
    def hired(self) -> list[Member]:
        """The hired hands."""
        return [candidate.member for candidate in self.candidates if candidate.hired]

    @property
    def away(self) -> list[CrewCandidate]:
        """The candidates who cannot play."""
        return [who for who in self.candidates if who.standing in ("away", "sits_out")]

    @property
    def not_brought(self) -> list[Member]:
        """The members whom the scenario can bring in although a condition keeps them away, and whom
        nobody has picked."""
        return [who.member for who in self.candidates if who.brought and who not in self.crew]

    @property
    def waiting(self) -> tuple[Chance, ...]:
        """The dice before the game that nobody has thrown yet."""
        return waiting(self.candidates)

    @property
    def chances(self) -> dict[str, Chance]:
        """All the dice before the game, thrown or not, by key."""
        return {chance.key: chance for candidate in self.candidates for chance in candidate.chances}


def prepare_crew(side: Side, homes: Mapping[str, Roster]) -> Preparation:
    """Return the preparation of a side. ``homes``: the former gangs of its hired hands, by key.

    Raises Refusal if its gang was deleted.
    """
    gang = side.gang
    if gang is None:
        raise Refusal("gone")
    book, roster = gang.book, gang.roster
    before, crew = before_of(side), crew_of(side)
    members = candidates(book, roster, before.rolls, side.game.scenario)
    everybody_hired = (
        find_hired(book, homes[hire.gang], hire, before.rolls)
        for hire in hiring.find_hired(gang, side.game)
        if hire.gang in homes
    )
    everybody = (*members, *(candidate for candidate in everybody_hired if candidate is not None))
    return Preparation(
        book, roster, before, everybody, pick_crew(everybody, crew), crew is not None
    )


def before_of(side: Side) -> PregameRolls:
    """Return the side's rolls before its game."""
    return sound(PregameRolls, side, "before") or PregameRolls()


def crew_of(side: Side) -> Crew | None:
    """Return the chosen crew, None if nobody has chosen one."""
    crew: Crew | None = side.crew
    return crew if crew is None or all(map(_is_somebody, crew)) else None


def _is_somebody(whom: object) -> bool:
    """Whether a stored value is a member or a hired hand."""
    if isinstance(whom, list):
        return list(map(type, whom)) == [str, int]
    return type(whom) is int


def homes_of(sides: Sequence[Side], game: Game) -> dict[str, Roster]:
    """Load the rosters of the former gangs of these sides' hired hands, by key. One query, none if
    nobody is hired. Reads the sides' gangs."""
    keys = {hire.gang for side in sides if side.gang for hire in hiring.find_hired(side.gang, game)}
    if not keys:
        return {}
    return {str(gang.pk): gang.roster for gang in Gang.objects.filter(pk__in=keys)}


def may_prepare(side: Side, user: User) -> bool:
    """Whether the user may prepare the side now."""
    return side.game.status == Game.Status.PLANNED and may_act_for(side, user)


# These raise Refusal if something is not allowed, and Stale if the side has changed since the page
# was shown.


def roll(
    side: Side, change: Change, *, expected_version: int, actor: User, dice: Dice | None = None
) -> None:
    """Throw dice, take over typed dice, or forget a roll, as ``change`` does; all throws are
    stored. ``dice``: the side's dice, if ``change`` throws them. Also raises the exceptions of
    ``change``."""
    with transaction.atomic():
        now = _open(side, expected_version)
        before = now.before.rolls
        after = PregameRolls(rolls=change(now.chances, before))
        columns = count_dice(side, dice)
        _store(side, expected_version, before=after.model_dump(mode="json"), **columns)
        throws.keep_changes(side, before, after.rolls, partial(_about, now), actor, dice)


def pick(
    side: Side,
    choose: Callable[[Preparation], Collection[str]],
    *,
    expected_version: int,
    seen_gang: int,
) -> None:
    """Store the crew. ``choose``: gets the current preparation and returns keys of candidates."""
    if side.gang is None or side.gang.version != seen_gang:
        raise Stale
    with transaction.atomic():
        now = _open(side, expected_version)
        crew = store_choice(now.candidates, choose(now))
        _store(side, expected_version, crew=crew)


def everybody(now: Preparation) -> frozenset[str]:
    """Return the keys of all who can play."""
    return frozenset(candidate.key for candidate in find_fit(now.candidates))


def _about(now: Preparation, key: str) -> About:
    """Return the purpose of a throw."""
    chance = now.chances[key]
    name = chance.member.name or chance.member.rank
    return About(member=name, what=chance.condition.name)


def _open(side: Side, expected_version: int) -> Preparation:
    """Return the current preparation, if the game can still be played and the page was current."""
    hiring.check_planned(side.game)
    if side.draft_version != expected_version:
        raise Stale
    return prepare_crew(side, homes_of([side], side.game))


def _store(side: Side, expected_version: int, **values: object) -> None:
    """Write the side if it has not changed since it was read; the update is the lock."""
    planned = Game.objects.filter(status=Game.Status.PLANNED)
    rows = Side.objects.filter(game__in=planned, draws=side.draws)
    update_if(rows, side.pk, expected_version, counter="draft_version", **values)
    side.draft_version = expected_version + 1
    for name, value in values.items():
        setattr(side, name, value)
