"""The record of all throws of a game: purpose, faces, thrower and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from campaigns.engine.report import About
from campaigns.models import Game, Side, Throw
from campaigns.seeds import Dice
from rules.engine.dice import DiceRoll

# The key of throws for the roles of the sides. Their ``about`` contains the "round".
ROLES_KEY = "roles"


def keep(
    game: Game,
    side: Side | None,
    key: str,
    about: About,
    roll: DiceRoll,
    actor: User | None,
    dice: Dice | None = None,
) -> None:
    """Record one throw of the game. ``side``: None for a throw that concerns all sides; ``dice``:
    the side's, if the throw was drawn from its seed."""
    Throw.objects.bulk_create([_row(game, side, key, about, roll, actor, dice)])


def keep_changes(
    side: Side,
    before: Mapping[str, DiceRoll],
    after: Mapping[str, DiceRoll],
    about: Callable[[str], About],
    actor: User | None,
    dice: Dice | None = None,
) -> None:
    """Record the throws made between two states of a side's rolls.

    Rolls that were removed or replaced are recorded as taken back. ``dice``: the side's, if the
    application's throws were drawn from its seed. At most two queries, none if nothing changed.
    Call it in the transaction that saves the new state.
    """
    gone = [key for key, roll in before.items() if after.get(key) != roll]
    new = [key for key, roll in after.items() if before.get(key) != roll]
    if gone:
        take_back(side.throws.filter(key__in=gone), actor)
    if new:
        Throw.objects.bulk_create(
            _row(side.game, side, key, about(key), after[key], actor, dice) for key in new
        )


def take_back(rows: QuerySet[Throw], actor: User | None) -> None:
    """Mark throws as taken back, except those that already are. One query."""
    rows.filter(taken_back_at=None).update(taken_back_at=timezone.now(), taken_back_by=actor)


def _row(
    game: Game,
    side: Side | None,
    key: str,
    about: About,
    roll: DiceRoll,
    actor: User | None,
    dice: Dice | None,
) -> Throw:
    is_drawn = dice is not None and roll.thrown_by == "app"
    drawn: dict[str, Any] = dice.columns if dice is not None and is_drawn else {}
    return Throw(
        game=game,
        side=side,
        key=key,
        about=about.model_dump(mode="json"),
        roll=roll.model_dump(mode="json"),
        actor=actor,
        **drawn,
    )
