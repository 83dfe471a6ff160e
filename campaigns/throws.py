"""Every throw of a game is kept: what for, what it showed, who threw it and when."""

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

# What the throws for the roles of the sides are kept as. Their ``about`` says in which "round".
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
    """Keep one throw of the game. ``side``: whose it was; None for one that concerns all; ``dice``:
    the side's, if it was drawn from its seed."""
    Throw.objects.bulk_create([_row(game, side, key, about, roll, actor, dice)])


def keep_changes(
    side: Side,
    before: Mapping[str, DiceRoll],
    after: Mapping[str, DiceRoll],
    about: Callable[[str], About],
    actor: User | None,
    dice: Dice | None = None,
) -> None:
    """Keep the throws that came in between two states of a side's rolls.

    What was typed in and is gone since, or is another now, is kept as taken back. ``dice``: the
    side's, with which those of the application were thrown, if they were drawn from its seed. At
    most two queries, none if nothing changed; the caller's transaction holds both states together.
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
    """Let these count no more, of which some may be taken back already. One query."""
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
