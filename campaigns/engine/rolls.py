"""Requests for dice, and their answers: thrown here, typed in, corrected."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from common.errors import Refusal
from rules.book.fates import DiceTable
from rules.engine.dice import DiceRoll, Thrower, fair, parse_roll, throw

Rolls = Mapping[str, DiceRoll]


class DiceRequest:
    """Dice to roll, on a ``table`` if there is one, and the ``roll`` once it is made."""

    key: str
    dice: str
    table: DiceTable | None = None
    roll: DiceRoll | None

    @property
    def is_final(self) -> bool:
        """Whether the roll can no longer change: the application threw it, or an organiser
        overruled it."""
        return self.roll is not None and (self.roll.thrown_by == "app" or bool(self.roll.why))

    def answer(self, rolls: Rolls) -> DiceRoll | None:
        """The roll made for this request, if it is of these dice."""
        roll = rolls.get(self.key)
        return roll if roll is not None and roll.dice == self.dice else None

    def parse(self, faces: str) -> DiceRoll:
        """Read faces that were typed in. Raises BadFaces if the dice cannot show them."""
        return parse_roll(self.dice, faces, self.table.spellings if self.table else ())


Requests = Mapping[str, DiceRequest]
# A change of the rolls made so far: one of the functions below, with its values.
Change = Callable[[Requests, Rolls], dict[str, DiceRoll]]


def throw_one(
    requests: Requests, rolls: Rolls, key: str, by: Thrower = fair
) -> dict[str, DiceRoll]:
    """Let the application throw once. Raises Refusal if the roll is already made."""
    return {**rolls, key: throw(_open_request(requests, key).dice, by)}


def throw_all(requests: Requests, rolls: Rolls, by: Thrower = fair) -> dict[str, DiceRoll]:
    """Let the application throw all the dice that are still missing."""
    waiting = [request for request in requests.values() if request.roll is None]
    return {**rolls, **{request.key: throw(request.dice, by) for request in waiting}}


def take_over(requests: Requests, rolls: Rolls, key: str, faces: str) -> dict[str, DiceRoll]:
    """Enter a roll made at the table. Raises BadFaces if the dice cannot show these faces."""
    return {**rolls, key: _open_request(requests, key).parse(faces)}


def overrule(
    requests: Requests, rolls: Rolls, key: str, faces: str, why: str
) -> dict[str, DiceRoll]:
    """Replace the faces of a final roll, for a reason. The caller checks the permission.

    Raises BadFaces, and Refusal if there is no reason or no such roll.
    """
    request = find(requests, key)
    if not request.is_final:
        raise Refusal("not_offered")
    if not why:
        raise Refusal("overruled_why")
    return {**rolls, key: request.parse(faces).model_copy(update={"why": why})}


def forget(requests: Requests, rolls: Rolls, key: str) -> dict[str, DiceRoll]:
    """Forget a roll that was typed in. Raises Refusal if the roll is final."""
    if find(requests, key).is_final:
        raise Refusal("roll_final")
    return {name: roll for name, roll in rolls.items() if name != key}


def find(requests: Requests, key: str) -> DiceRequest:
    """The request with this key. Raises Refusal if there is none."""
    if key not in requests:
        raise Refusal("gone")
    return requests[key]


def _open_request(requests: Requests, key: str) -> DiceRequest:
    request = find(requests, key)
    if request.roll is not None:
        raise Refusal("roll_final")
    return request
