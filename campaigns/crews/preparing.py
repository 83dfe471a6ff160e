"""Preparing for a game: the dice before it and the crew, kept with the side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from accounts.models import User
from campaigns import hiring, throws
from campaigns.crew import (
    Before,
    Candidate,
    Chance,
    Crew,
    Strength,
    candidates,
    hired,
    picked,
    stored,
    strength,
    waiting,
)
from campaigns.models import Game, Side
from gangs.ledger import Stale
from gangs.models import Gang
from gangs.refusal import Refusal
from gangs.roster import Roster
from rules.book import Book
from rules.dice import Roll, Thrower, fair, throw, typed


@dataclass(frozen=True)
class Preparation:
    """A side before its game: everybody who may play, hired hands too, and who is picked.

    ``is_picked``: somebody has said who plays.
    """

    book: Book
    roster: Roster
    before: Before
    candidates: tuple[Candidate, ...]
    crew: tuple[Candidate, ...]
    is_picked: bool

    @property
    def strength(self) -> Strength:
        """How many play, and what they are worth."""
        return strength(self.crew)

    @property
    def waiting(self) -> tuple[Chance, ...]:
        """The dice that are still to be thrown."""
        return waiting(self.candidates)

    def chance(self, key: str) -> Chance:
        """The dice with this key. Raises Refusal if none are asked for."""
        for candidate in self.candidates:
            for chance in candidate.chances:
                if chance.key == key:
                    return chance
        raise Refusal("gone")


def prepared(side: Side, homes: Mapping[str, Roster]) -> Preparation:
    """The side as it is prepared. ``homes``: the gangs that its hired hands come from, by key.

    Raises Refusal if its gang was deleted.
    """
    gang = side.gang
    if gang is None:
        raise Refusal("gone")
    book, roster = gang.book, gang.roster
    before, crew = before_of(side), crew_of(side)
    members = candidates(book, roster, before.rolls)
    hands = (
        hired(book, homes[hand.gang], hand, before.rolls)
        for hand in hiring.hands_of(gang, side.game)
        if hand.gang in homes
    )
    everybody = (*members, *(hand for hand in hands if hand is not None))
    return Preparation(book, roster, before, everybody, picked(everybody, crew), crew is not None)


def before_of(side: Side) -> Before:
    """What was rolled for the side before its game."""
    return Before.model_validate(side.before)


def crew_of(side: Side) -> Crew | None:
    """Who is picked to play; None if nobody has picked."""
    crew: Crew | None = side.crew
    return crew


def homes_of(sides: Sequence[Side], game: Game) -> dict[str, Roster]:
    """The rosters of the gangs that hired hands of these sides come from, by key. One query, none
    if nobody is hired. Reads the sides' gangs."""
    keys = {hand.gang for side in sides if side.gang for hand in hiring.hands_of(side.gang, game)}
    if not keys:
        return {}
    return {str(gang.pk): gang.roster for gang in Gang.objects.filter(pk__in=keys)}


def may_prepare(side: Side, user: User) -> bool:
    """Whether the user may prepare the side: it is his, or he runs the campaign."""
    planned = side.game.status == Game.Status.PLANNED
    return (
        planned
        and side.gang is not None
        and (side.is_of(user) or side.game.campaign.is_run_by(user))
    )


# Each of these raises Refusal if it cannot be done, and Stale if what the page showed has changed.


def roll_for_me(side: Side, key: str, *, seen: int, actor: User, by: Thrower = fair) -> None:
    """Let the application throw once. What it has thrown stands, however often it is asked."""

    def rolled(now: Preparation) -> Before:
        chance = now.chance(key)
        if chance.roll is not None:
            raise Refusal("roll_final")
        return _with(now, chance, throw(chance.dice, by))

    _roll(side, rolled, seen=seen, actor=actor)


def roll_all(side: Side, *, seen: int, actor: User, by: Thrower = fair) -> None:
    """Let the application throw all the dice that are still to be thrown."""

    def rolled(now: Preparation) -> Before:
        made = {chance.key: throw(chance.dice, by) for chance in now.waiting}
        return Before(rolls={**now.before.rolls, **made})

    _roll(side, rolled, seen=seen, actor=actor)


def i_rolled(side: Side, key: str, faces: str, *, seen: int, actor: User) -> None:
    """Take over what was rolled at the table. Raises BadRoll if the dice cannot show that."""

    def rolled(now: Preparation) -> Before:
        chance = now.chance(key)
        if chance.roll is not None:
            raise Refusal("roll_final")
        return _with(now, chance, typed(chance.dice, faces))

    _roll(side, rolled, seen=seen, actor=actor)


def correct(side: Side, key: str, *, seen: int, actor: User) -> None:
    """Forget a roll that was typed in; what the application threw stands."""

    def rolled(now: Preparation) -> Before:
        if now.chance(key).is_final:
            raise Refusal("roll_final")
        kept = {name: roll for name, roll in now.before.rolls.items() if name != key}
        return Before(rolls=kept)

    _roll(side, rolled, seen=seen, actor=actor)


def pick(
    side: Side, choose: Callable[[Preparation], Collection[str]], *, seen: int, seen_gang: int
) -> None:
    """Say who plays: ``choose`` gets the side as it stands and names them by key."""
    if side.gang is None or side.gang.version != seen_gang:
        raise Stale
    with transaction.atomic():
        now = _open(side, seen)
        crew = stored(now.candidates, choose(now))
        _store(side, seen, crew=crew)


def everybody(now: Preparation) -> frozenset[str]:
    """All who can play."""
    return frozenset(candidate.key for candidate in picked(now.candidates, None))


def _with(now: Preparation, chance: Chance, roll: Roll) -> Before:
    return Before(rolls={**now.before.rolls, chance.key: roll})


def _roll(side: Side, change: Callable[[Preparation], Before], *, seen: int, actor: User) -> None:
    """Change what was rolled, and keep the throws that came in between."""
    with transaction.atomic():
        now = _open(side, seen)
        after = change(now)
        _store(side, seen, before=after.model_dump(mode="json"))
        named = {
            chance.key: {
                "member": candidate.member.name or candidate.member.rank,
                "what": chance.condition.name.model_dump(),
            }
            for candidate in now.candidates
            for chance in candidate.chances
        }
        throws.keep_changes(side, now.before.rolls, after.rolls, lambda key: named[key], actor)


def _open(side: Side, seen: int) -> Preparation:
    """The side as it stands, if the game is still to be played and the page showed it so."""
    if side.game.status != Game.Status.PLANNED:
        raise Refusal("not_planned")
    if side.game.campaign.archived_at is not None:
        raise Refusal("campaign_archived")
    if side.draft_version != seen:
        raise Stale
    return prepared(side, homes_of([side], side.game))


def _store(side: Side, seen: int, **values: object) -> None:
    """Write the side if it is still as it was seen; the update is the lock."""
    planned = Game.objects.filter(status=Game.Status.PLANNED)
    kept = Side.objects.filter(pk=side.pk, draft_version=seen, game__in=planned)
    if not kept.update(draft_version=F("draft_version") + 1, **values):
        raise Stale
    side.draft_version = seen + 1
    for name, value in values.items():
        setattr(side, name, value)
