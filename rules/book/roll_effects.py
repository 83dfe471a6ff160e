"""The vocabulary for effects of a roll's outcomes and of actions on figures, sides and weapons."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.labels import KeyOf
from rules.book.vocabulary import (
    Expression,
    Formula,
    Frozen,
    Key,
    RollKey,
    StateKey,
    TallyKey,
    Text,
)

# The subject of an effect: the one who throws, or the target; a figure, a side, or the weapon used.
Whom = Literal["by", "at", "item", "by_side", "at_side"]
Lasting = Literal["activation", "turn", "next_upkeep", "game", "ended"]


class AnyEffect(Frozen):
    """The fields of every effect of an outcome: it happens only if ``given`` is true."""

    given: Annotated[Expression | None, _("Happens only if")] = None


class Changes(AnyEffect):
    """A track loses or gains (a negative ``amount`` loses): life, luck, ammunition."""

    kind: Literal["changes"]
    whom: Whom = "at"
    track: Key
    amount: Formula


class Sets(AnyEffect):
    """A track is set to a number."""

    kind: Literal["sets"]
    whom: Whom = "at"
    track: Key
    to: Formula


class Begins(AnyEffect):
    """A state begins. ``until``: if it does not last as long as the state says."""

    kind: Literal["begins"]
    whom: Whom = "at"
    state: StateKey
    until: Lasting | None = None


class Ends(AnyEffect):
    """A state ends."""

    kind: Literal["ends"]
    whom: Whom = "at"
    state: StateKey


class Out(AnyEffect):
    """The figure is out of the game. ``mark``: with this mark of the campaign, if it has it;
    ``unhurt``: it has left the table without harm."""

    kind: Literal["out"]
    whom: Whom = "at"
    mark: Annotated[Key, KeyOf("campaign.marks")] | None = None
    unhurt: bool = False


class Back(AnyEffect):
    """A figure that was out is in the game again."""

    kind: Literal["back"]
    whom: Whom = "at"


class EndsActivation(AnyEffect):
    """The figure's activation ends."""

    kind: Literal["ends_activation"]
    whom: Whom = "by"


class LosesWeapon(AnyEffect):
    """The weapon in use is lost for this game; with ``lasting``, for good."""

    kind: Literal["loses_weapon"]
    whom: Literal["by", "at"] = "by"
    lasting: bool = False


class Then(AnyEffect):
    """Another roll follows; ``whom`` throws it. ``many``: for several targets, one after the other,
    until the players say that nobody else is concerned; ``elsewhere``: at somebody else than the
    target of the first roll."""

    kind: Literal["then"]
    roll: RollKey
    whom: Whom = "at"
    many: bool = False
    elsewhere: bool = False


class Counts(AnyEffect):
    """A tally of the report changes by ``amount``: a figure's own, or a side's if it is counted per
    gang."""

    kind: Literal["counts"]
    whom: Literal["by", "at", "by_side", "at_side"] = "by"
    tally: TallyKey
    amount: Formula = 1


class Moves(AnyEffect):
    """A figure moves. ``distance``: in this ``unit``, or in that of the number which it names."""

    kind: Literal["moves"]
    whom: Whom = "at"
    distance: Formula | None = None
    unit: Text | None = None
    text: Text | None = None


RollEffect = Annotated[
    Changes
    | Sets
    | Begins
    | Ends
    | Out
    | Back
    | EndsActivation
    | LosesWeapon
    | Then
    | Counts
    | Moves,
    Field(discriminator="kind"),
]
