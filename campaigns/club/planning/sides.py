"""The roles of a game's sides, where its scenario has roles: the players choose them, or the player
with the highest die chooses. ``campaigns/games/_plan.html`` shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from campaigns import locking, throws
from campaigns.club.planning import plans
from campaigns.club.planning.forms import RolesForm
from campaigns.engine.report import About
from campaigns.models import Game, Side
from campaigns.seeds import count_dice, dice_of
from campaigns.text import side_names
from common.errors import Refusal
from gangs.text.formats import localize
from rules.book.reference import Scenario
from rules.engine.dice import Thrower, fair, throw

DIE = "1d6"


# One throw for the roles: the die of each side. After a tie the highest throw again.
Round = Sequence[tuple[Side, int]]


@dataclass(frozen=True)
class Roles:
    """The roles as a game's page shows them.

    ``named``: each side's name with its role in words ("" for none yet); ``rounds``: for each round
    the sides' names with their dice, and whether it was a tie; ``chooser``: the name of the side
    whose die was highest; ``form``: for readers who may change the roles now.
    """

    named: tuple[tuple[str, str], ...]
    rounds: tuple[tuple[tuple[tuple[str, int], ...], bool], ...]
    chooser: str
    form: RolesForm | None

    @property
    def are_settled(self) -> bool:
        """Whether every side has a role."""
        return all(role for _side, role in self.named)


def roles_of(
    game: Game, sides: Sequence[Side], user: User, form: RolesForm | None = None
) -> Roles | None:
    """The roles of a game's sides; None if its scenario has none, or if the game was played without
    deciding on them. ``form``: a form with errors, to be shown again. Makes one query."""
    scenario = plans.scenario_of(game)
    if scenario is None or not scenario.roles:
        return None
    names = {role.key: localize(role.name) for role in scenario.roles}
    rounds = load_rolls(game, sides)
    planned = game.status == Game.Status.PLANNED
    if not planned and not rounds and not any(side.role for side in sides):
        return None  # The game was played without roles: there is nothing left to decide.
    may = plans.may_replan(game, user, sides)
    names_of_sides = side_names(sides)
    return Roles(
        named=tuple((names_of_sides[side.pk], names.get(side.role, "")) for side in sides),
        rounds=tuple(
            (
                tuple((names_of_sides[side.pk], face) for side, face in one_round),
                len(_highest(one_round)) > 1,
            )
            for one_round in rounds
        ),
        chooser=names_of_sides[_highest(rounds[-1])[0].pk] if rounds else "",
        form=(form or RolesForm(scenario, sides)) if may else None,
    )


def _highest(one_round: Round) -> list[Side]:
    """The side that may choose, or several sides if they are tied."""
    best = max(face for _side, face in one_round)
    return [side for side, face in one_round if face == best]


def load_rolls(game: Game, sides: Sequence[Side]) -> list[Round]:
    """The throws for the roles that are not taken back, round by round. Makes one query."""
    by_key = {side.pk: side for side in sides}
    kept = game.throws.filter(key=throws.ROLES_KEY, taken_back_at=None)
    rounds: defaultdict[int, list[tuple[Side, int]]] = defaultdict(list)
    for row in kept:
        die, number = row.sound_roll, row.sound_about.round
        if row.side_id in by_key and die is not None and number is not None:
            rounds[number].append((by_key[row.side_id], die.total))
    return [rounds[number] for number in sorted(rounds)]


def roll(game: Game, *, actor: User, expected_version: int, thrower: Thrower | None = None) -> None:
    """Roll a die for each side, again for sides that are tied: the highest may choose its role.

    ``thrower``: dice to use instead of the sides' seeded dice. Raises Refusal if the scenario has
    no roles or the dice are already rolled, and Stale.
    """
    scenario = _with_roles(game)
    with transaction.atomic():
        locking.lock(game.campaign)
        plans.count(game, expected_version)
        sides = list(game.sides.select_for_update(no_key=True))
        if load_rolls(game, sides):
            raise Refusal("roll_final")
        number, throwing = 0, sides
        while len(throwing) > 1:
            number += 1
            faces = []
            for side in throwing:
                dice = dice_of(side) if thrower is None else None
                die = throw(DIE, dice or thrower or fair)
                about = About(roles=scenario.key, round=number)
                throws.keep(game, side, throws.ROLES_KEY, about, die, actor, dice)
                side.draws = count_dice(side, dice).get("draws", side.draws)
                faces.append((side, die.total))
            throwing = _highest(faces)
        Side.objects.bulk_update(sides, ["draws"])


def choose(game: Game, chosen: Mapping[int, str], *, expected_version: int) -> None:
    """Set the roles. ``chosen``: a role, or "" for none yet, by the side's primary key. Raises
    Refusal if the scenario has no such role, and Stale."""
    known = {role.key for role in _with_roles(game).roles} | {""}
    if not known.issuperset(chosen.values()):
        raise Refusal("no_such_role")
    with transaction.atomic():
        locking.lock(game.campaign)
        plans.count(game, expected_version)
        for side in game.sides.all():
            side.role = chosen.get(side.pk, "")
            side.save(update_fields=["role"])


def _with_roles(game: Game) -> Scenario:
    scenario = plans.scenario_of(game)
    if scenario is None or not scenario.roles:
        raise Refusal("no_such_role")
    return scenario
