"""The vocabulary for texts to look up: scenarios, deployments, reference tables, glossary."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from common.wording.sentences import gettext_noop as _
from rules.book.labels import Table, Values
from rules.book.outfits import NonPlayer
from rules.book.schema import Choice
from rules.book.vocabulary import (
    ConditionKey,
    DeploymentKey,
    Frozen,
    Key,
    ModifierKey,
    Name,
    ResultKey,
    RollKey,
    Row,
    ScenarioKey,
    StateKey,
    Text,
    When,
)

Percent = Annotated[float, Field(ge=0, le=100)]
Turns = Annotated[int, Field(ge=0, le=20)]


class Counted(Frozen):
    """A number that each side counts separately in every turn. ``start``: its value in the first
    turn."""

    name: Text
    text: Text
    start: Annotated[int, Field(ge=0, le=999)] | None = None
    when: When = {}


class Pace(Frozen):
    """The turns of a game: their usual number, and what each side counts in every turn."""

    editing = Table(_("Turns of a game"))
    turns: Annotated[Turns, _("Turns")]
    counted: Annotated[tuple[Counted, ...], _("Trackers in every turn")] = ()


class Brought(Frozen):
    """Members with a ``condition`` that keeps them away from other games: they may play, as a
    captive whom their friends come to free. ``state``: in which they begin."""

    condition: ConditionKey
    state: StateKey | None = None


class Lead(Frozen):
    """Consequences of a game of the scenario for its campaign.

    ``results``: it ended with one of these (any if none is named); ``ended``: a gang won, or none
    did; ``winner``: a gang with this role won. ``leads_to``: the scenario to play next, which
    opens; ``opens``, ``closes``: scenarios that can be chosen from then on, or no longer.
    """

    results: tuple[ResultKey, ...] = ()
    ended: Annotated[
        Literal["any", "won", "lost"],
        _("How it ended"),
        Values(any=_("in any way"), won=_("a gang won"), lost=_("no gang won")),
    ] = "any"
    winner: Key | None = None
    leads_to: ScenarioKey | None = None
    opens: tuple[ScenarioKey, ...] = ()
    closes: tuple[ScenarioKey, ...] = ()


class Scenario(Row):
    """The aims of each side in a game, and the end of the game.

    ``roles``: the names of the sides (attacker, defender), if they differ; ``length``: its
    duration; ``turns``: the number of turns, if unusual (0: they are not counted);
    ``deployments``: those it is played with (any if none); ``nonplayers``: figures that belong to
    no gang; ``brings``: members who are away from other games, whom players may choose for it;
    ``closed``: it cannot be chosen before another scenario opens it; ``leads``: what its games lead
    to in a campaign, every row that is true.
    """

    editing = Table(_("Scenarios"), _("Add a scenario"), offered=True)
    text: Annotated[Text, _("Text")]
    victory: Annotated[Text, _("How it is won")]
    roles: Annotated[tuple[Choice, ...], _("Sides")] = ()
    length: Annotated[Text | None, _("Length")] = None
    turns: Annotated[Turns | None, _("Turns")] = None
    deployments: Annotated[tuple[DeploymentKey, ...], _("Deployments")] = ()
    nonplayers: Annotated[tuple[NonPlayer, ...], _("Non-players")] = ()
    brings: Annotated[tuple[Brought, ...], _("Members who may play although they are away")] = ()
    closed: Annotated[bool, _("Closed until another scenario opens it")] = False
    leads: Annotated[tuple[Lead, ...], _("What it leads to")] = ()


class Zone(Frozen):
    """A part of the table in a deployment's diagram, in per cent of its sides from the top left.

    ``x``, ``y``: the top left corner of a box, the centre of a circle or cross, the corner of the
    table in which a triangle has its right angle; ``side``: the side that starts in it. A cross
    marks a place and has no size; a circle's ``width`` is its diameter; ``width`` and ``height`` of
    a triangle are its sides along the edges.
    """

    shape: Literal["box", "circle", "cross", "triangle"]
    side: Literal["first", "second", "third", "fourth", "objective", "forbidden"]
    x: Percent
    y: Percent
    width: Percent = 0
    height: Percent = 0
    name: Text | None = None


class Deployment(Row):
    """The starting places of the gangs. ``zones`` make its diagram; ``broad``: the width of the
    table divided by its depth; ``depth``: in ``unit``, if it is known."""

    editing = Table(_("Deployments"), _("Add a deployment"))
    text: Annotated[Text, _("Text")]
    zones: Annotated[tuple[Zone, ...], _("Zones of the diagram")] = ()
    broad: Annotated[float, Field(gt=0, le=4), _("Width divided by depth")] = 1
    depth: Annotated[Annotated[float, Field(gt=0)] | None, _("Depth of the table")] = None
    unit: Annotated[str, _("Unit")] = '"'


Chapter = Annotated[
    Literal["setup", "turn", "actions", "shooting", "fighting", "wounds", "morale", "other"],
    Values(
        setup=_("Setting up"),
        turn=_("The turn"),
        actions=_("Actions"),
        shooting=_("Shooting"),
        fighting=_("Fighting"),
        wounds=_("Wounds"),
        morale=_("Morale"),
        other=_("Other"),
    ),
]


class ReferenceLine(Frozen):
    """One line of a reference table: its name, and a cell for each column.

    ``names``: the values that expressions read on this line, if its cells are worked out.
    """

    name: Text
    cells: tuple[str | Text, ...] = ()
    names: dict[str, int | str] = {}


class ChanceColumn(Frozen):
    """A column that is worked out: the chance of an ``outcome``, or that a ``number`` is at least
    ``least``, or its ``average``, or the amount of a ``modifier``; nothing if none is named.

    ``names``: the values that expressions read in this column, in addition to the line's; ``roll``:
    its roll, if it is not the table's.
    """

    names: dict[str, int | str] = {}
    roll: RollKey | None = None
    outcome: Name | None = None
    number: Name | None = None
    least: int | None = None
    average: bool = False
    modifier: ModifierKey | None = None

    @property
    def is_typed(self) -> bool:
        """Whether its cells keep their text."""
        return self.outcome is None and self.number is None and self.modifier is None


class Chances(Frozen):
    """Works out cells of a table from a roll: those with "?", or all cells of a line without any.
    ``exact``: chances are shown as fractions, too."""

    roll: RollKey
    exact: bool = False
    columns: Annotated[tuple[ChanceColumn, ...], Field(min_length=1)]


class DrawnModifiers(Frozen):
    """Adds lines to a table: the modifiers of these rolls at these slots ("hits.target").

    ``columns``: the part of a modifier for each column of the table; ``after``: the number of the
    table's own lines before them (all if None).
    """

    rolls: Annotated[tuple[RollKey, ...], Field(min_length=1)]
    on: Annotated[tuple[str, ...], Field(min_length=1)]
    columns: tuple[Literal["who", "amount", "note"], ...] = ("amount",)
    after: Annotated[int, Field(ge=0)] | None = None


class Reference(Row):
    """Something to look up during a game: a table, or a list of steps or modifiers.

    ``columns`` are the headings of the cells, ``corner`` is the heading of the lines' names;
    without columns it is a list. ``numbered``: the lines are steps in order. ``on_sheet``: it is
    printed on the reference sheet, for use during a game; a table for planning is not. ``chances``:
    its cells are worked out; ``modifiers``: it has lines for modifiers of rolls.
    """

    editing = Table(_("Reference tables"), _("Add a reference table"), removable=True)
    chapter: Annotated[Chapter, _("Chapter")]
    text: Annotated[Text | None, _("Text")] = None
    corner: Annotated[Text | None, _("Head of the first column")] = None
    columns: Annotated[tuple[Text, ...], _("Columns")] = ()
    lines: Annotated[tuple[ReferenceLine, ...], _("Lines")] = ()
    numbered: Annotated[bool, _("Steps in order")] = False
    on_sheet: Annotated[bool, _("On the reference sheet")] = True
    chances: Annotated[Chances | None, _("Odds worked out")] = None
    modifiers: Annotated[DrawnModifiers | None, _("Modifiers included")] = None


class Term(Row):
    """A word of the game and its meaning."""

    editing = Table(_("Words of the game"), _("Add a word"), removable=True)
    text: Annotated[Text, _("Text")]
