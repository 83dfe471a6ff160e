"""The vocabulary for a game in progress: phases of a turn, tracks, alarms, cautions, activations.

Players record all of it at the table, tap by tap. Expressions (``rules.engine.expressions``) read
the same names as in rolls: ``by`` (the figure), ``gang`` (its side), ``enemy`` and ``table``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from common.wording.sentences import gettext_noop as _
from rules.book.labels import KeyOf, Table, Values
from rules.book.vocabulary import (
    ActionKey,
    Expression,
    Formula,
    Frozen,
    Key,
    Of,
    RollKey,
    Row,
    ScenarioKey,
    Selector,
    Text,
)

PhaseKey = Annotated[Key, KeyOf("phases", _("phase"))]


class Phase(Row):
    """A part of every turn, in the order of the rows.

    ``acts``: figures are activated in it; ``rolls``: those made in it; ``upkeep``: it ends the
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

    ``per``: each member has one, or each side; ``whose``: the members that have one. It begins at
    ``start`` and stays between ``minimum`` and ``maximum``. ``each_turn``: its change in a new
    turn; if it starts again or is filled up, ``start`` is worked out at that time. ``when_out``: a
    member that goes out of action keeps it, or loses it all down to the minimum, as things that are
    carried; one that leaves unhurt keeps it. ``lasts``: a member keeps it after the game and begins
    the next one with it, by a step "tracks". ``scenarios``: it is counted only in these (in all if
    none is named).
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
    when_out: Annotated[
        Literal["kept", "lost"],
        _("When its member goes out of action"),
        Values(kept=_("stays as it is"), lost=_("is lost")),
    ] = "kept"
    lasts: Annotated[bool, _("Lasts after the game")] = False


class Alarm(Row):
    """A reminder that something is due: a test, or something to remember.

    ``given``: the condition for it. ``asks``: each member who meets the condition, the side, or
    once the table: one side deals with it for all.
    ``once``: it is due once in a turn, once in a game, or each time that the condition becomes true
    or its number grows. ``phase``: the phase in which players deal with it, if not immediately: for
    a phase before anybody acts the condition is checked when the turn begins, and the alarm is
    dropped if the condition is no longer true when its phase comes. ``roll``: the roll that is due.
    ``told``: players have nothing to do, so it is only a line of the story. ``scenarios``: it is
    due only in these (in all if none is named).
    """

    editing = Table(_("Reminders"), _("Add a reminder"))
    text: Annotated[Text | None, _("Text")] = None
    given: Annotated[Expression, _("When")]
    asks: Annotated[
        Literal["member", "side", "table"],
        _("Who is reminded"),
        Values(member=_("each member"), side=_("the side"), table=_("one side for all")),
    ] = "side"
    once: Annotated[
        Literal["turn", "game", "time"],
        _("Once in a"),
        Values(turn=_("turn"), game=_("game"), time=_("time that it is true")),
    ] = "turn"
    phase: Annotated[PhaseKey | None, _("In the phase")] = None
    roll: Annotated[RollKey | None, _("Roll")] = None
    told: Annotated[bool, _("Only a line of the story")] = False
    scenarios: Annotated[tuple[ScenarioKey, ...], _("Only in these scenarios")] = ()


class Caution(Row):
    """A question before an action that the game allows less often, or only sometimes. Players who
    confirm it act: nothing is refused.

    ``name``: the button that confirms; ``text``: what speaks against it; ``given``: the condition,
    checked before the action counts; ``actions``: those that it is asked before, all if none is
    named.
    """

    editing = Table(_("Questions before an action"), _("Add a question"), removable=True)
    text: Annotated[Text, _("Text")]
    given: Annotated[Expression, _("When")]
    actions: Annotated[tuple[ActionKey, ...], _("Before these actions")] = ()


class Activation(Frozen):
    """How members act. ``order``: sides take turns member by member, one side acts after the
    other, or as players agree. ``times``: how often a member acts in a turn; ``squads``: the
    members of a squad act together. ``track``: the track that actions are paid from, if there is
    one; ``points``: otherwise the most that the actions of one activation may cost together."""

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
