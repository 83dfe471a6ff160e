"""How a rulebook declares what happens while it is played: turns, what is counted, what falls due.

Everything here is kept by whoever plays at the table, tap by tap. Expressions are those of
``rules.engine.expressions`` and read what rolls read: ``by`` (the figure), ``gang`` (its side),
``enemy`` and ``table``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from rules.book.labels import KeyOf, Table, Values
from rules.book.labels import gettext_noop as _
from rules.book.rolls import Expression, Formula, RollKey
from rules.book.vocabulary import Frozen, Key, Of, Row, ScenarioKey, Selector, Text

PhaseKey = Annotated[Key, KeyOf("phases", "phase")]


class Phase(Row):
    """A part of every turn, in the order of the rows.

    ``acts``: figures are activated in it; ``rolls``: what is thrown in it; ``upkeep``: it ends the
    states that last until the next upkeep.
    """

    editing = Table(_("Phases of a turn"), _("Add a phase"))
    text: Annotated[Text | None, _("Text")] = None
    acts: Annotated[bool, _("Figures act in it")] = False
    upkeep: Annotated[bool, _("Ends states that last until the next upkeep")] = False
    rolls: Annotated[tuple[RollKey, ...], _("Rolls")] = ()


class Track(Row):
    """Something counted at the table that is neither a characteristic nor boxes to tick: a purse of
    actions, cards in hand, points of the scenario.

    ``per``: each member has one, or each side; ``whose``: which members. It begins at ``start`` and
    never leaves ``minimum`` and ``maximum``. ``each_turn``: what a new turn makes of it; what
    begins anew or is filled up comes to ``start`` as that is worked out by then. ``scenarios``: it
    is counted only in one of these, if any is named.
    """

    editing = Table(_("Trackers"), _("Add a tracker"), removable=True)
    text: Annotated[Text | None, _("Text")] = None
    per: Annotated[
        Literal["member", "side"], _("Counted per"), Values(member=_("member"), side=_("side"))
    ] = "side"
    whose: Of = Selector()
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()
    start: Annotated[Formula, _("At the start")] = 0
    minimum: Annotated[int, _("Minimum")] = 0
    maximum: Annotated[Formula | None, _("Maximum")] = None
    each_turn: Annotated[
        Literal["kept", "anew", "filled"],
        _("In every turn"),
        Values(kept=_("stays as it is"), anew=_("starts again"), filled=_("is filled up")),
    ] = "kept"


class Alarm(Row):
    """What falls due when something holds: a test, or something to remember.

    ``given``: when it does. ``asks``: each member for whom it holds, or the side. ``once``: it
    falls due once in a turn, once in a game, or each time that it comes to hold or that its number
    grows. ``phase``: in which phase it is dealt with, if not at once: one before anybody acts is
    looked at when the turn begins, and what no longer holds when its phase comes is dealt with by
    nobody. ``roll``: what is thrown then.
    """

    editing = Table(_("Reminders"), _("Add a reminder"))
    text: Annotated[Text | None, _("Text")] = None
    given: Annotated[Expression, _("When")]
    asks: Annotated[
        Literal["member", "side"], _("Who"), Values(member=_("each member"), side=_("the side"))
    ] = "side"
    once: Annotated[
        Literal["turn", "game", "time"],
        _("Once in a"),
        Values(turn=_("turn"), game=_("game"), time=_("time that it is true")),
    ] = "turn"
    phase: Annotated[PhaseKey | None, _("In the phase")] = None
    roll: Annotated[RollKey | None, _("Roll")] = None


class Activation(Frozen):
    """How members act. ``order``: sides take turns member by member, one side acts after the
    other, or as players agree. ``times``: how often a member acts in a turn; ``squads``: those of a
    squad act together. ``track``: what actions are paid from, if that is counted; ``points``: or
    else what the actions of one activation cost together at most."""

    editing = Table(_("How members act"))
    order: Annotated[
        Literal["alternating", "sides", "free"],
        _("Order"),
        Values(
            alternating=_("sides alternate, member by member"),
            sides=_("one side after the other"),
            free=_("as players agree"),
        ),
    ] = "alternating"
    times: Annotated[Formula, _("Times a turn")] = 1
    squads: Annotated[bool, _("Squads act together")] = False
    track: Annotated[Key | None, _("Paid from")] = None
    points: Annotated[Formula | None, _("Actions cost together")] = None
    text: Annotated[Text | None, _("Text")] = None
