"""Dice that are asked for, and how they are answered: thrown here, typed in, corrected."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from common.errors import Refusal
from rules.book.fates import DiceTable
from rules.engine.dice import DiceRoll, Thrower, fair, parse_roll, throw

Rolls = Mapping[str, DiceRoll]


class DiceRequest:
    """Dice that somebody is to roll, on a ``table`` if they are, and the roll, if it is made."""

    key: str
    dice: str
    table: DiceTable | None = None
    roll: DiceRoll | None

    @property
    def is_final(self) -> bool:
        """Whether the roll stands: what the application threw is not thrown again, nor is what an
        organiser put in its place."""
        return self.roll is not None and (self.roll.thrown_by == "app" or bool(self.roll.why))

    def answer(self, rolls: Rolls) -> DiceRoll | None:
        """The roll that was made for it, if it is one of these dice."""
        roll = rolls.get(self.key)
        return roll if roll is not None and roll.dice == self.dice else None


Requests = Mapping[str, DiceRequest]
# What changes the rolls that were made so far: one of the functions below, with its values.
Change = Callable[[Requests, Rolls], dict[str, DiceRoll]]


def throw_one(
    requests: Requests, rolls: Rolls, key: str, by: Thrower = fair
) -> dict[str, DiceRoll]:
    """Let the application throw. What it has thrown stands, however often it is asked."""
    return {**rolls, key: throw(_open_request(requests, key).dice, by)}


def throw_all(requests: Requests, rolls: Rolls, by: Thrower = fair) -> dict[str, DiceRoll]:
    """Let the application throw all the dice that are still waited for."""
    waiting = [request for request in requests.values() if request.roll is None]
    return {**rolls, **{request.key: throw(request.dice, by) for request in waiting}}


def take_over(requests: Requests, rolls: Rolls, key: str, faces: str) -> dict[str, DiceRoll]:
    """Take over what was rolled at the table. Raises BadFaces if the dice cannot show that."""
    request = _open_request(requests, key)
    names = request.table.spellings if request.table else ()
    return {**rolls, key: parse_roll(request.dice, faces, names)}


def overrule(
    requests: Requests, rolls: Rolls, key: str, faces: str, why: str
) -> dict[str, DiceRoll]:
    """Put other faces in the place of what the application threw, for a reason. That somebody may
    do so is not checked here. Raises BadFaces, and Refusal without a reason or such a roll."""
    request = find(requests, key)
    if not request.is_final:
        raise Refusal("not_offered")
    if not why:
        raise Refusal("overruled_why")
    names = request.table.spellings if request.table else ()
    roll = parse_roll(request.dice, faces, names).model_copy(update={"why": why})
    return {**rolls, key: roll}


def forget(requests: Requests, rolls: Rolls, key: str) -> dict[str, DiceRoll]:
    """Forget a roll that was typed in; what the application threw stands."""
    if find(requests, key).is_final:
        raise Refusal("roll_final")
    return {name: roll for name, roll in rolls.items() if name != key}


def find(requests: Requests, key: str) -> DiceRequest:
    """The dice with this key. Raises Refusal if none are asked for."""
    if key not in requests:
        raise Refusal("gone")
    return requests[key]


def _open_request(requests: Requests, key: str) -> DiceRequest:
    request = find(requests, key)
    if request.roll is not None:
        raise Refusal("roll_final")
    return request
