"""What a rulebook only tells: scenarios, deployments, reference tables, the glossary."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.book.labels import Table, Values
from rules.book.labels import gettext_noop as _
from rules.book.rolls import ModifierKey, Name, RollKey
from rules.book.schema import Choice
from rules.book.vocabulary import DeploymentKey, Frozen, Row, Text, When

Percent = Annotated[float, Field(ge=0, le=100)]


Turns = Annotated[int, Field(ge=0, le=20)]


class Counted(Frozen):
    """Something that each side counts anew in every turn. ``start``: what it is in the first."""

    name: Text
    text: Text
    start: Annotated[int, Field(ge=0, le=999)] | None = None
    when: When = {}


class Pace(Frozen):
    """The turns of a game: how many there usually are, and what is counted in each of them."""

    editing = Table(_("Turns of a game"))
    turns: Annotated[Turns, _("Turns")]
    counted: Annotated[tuple[Counted, ...], _("Trackers in every turn")] = ()


class Scenario(Row):
    """What a game is about: who must do what, and when it ends.

    ``roles``: what the sides are (attacker, defender), if they differ; ``length``: how long it
    lasts; ``turns``: how many turns, if not as many as usual (0: they are not counted);
    ``deployments``: those it is played with (any if none).
    """

    editing = Table(_("Scenarios"), _("Add a scenario"), offered=True)
    text: Annotated[Text, _("Text")]
    victory: Annotated[Text, _("How it is won")]
    roles: Annotated[tuple[Choice, ...], _("Sides")] = ()
    length: Annotated[Text | None, _("Length")] = None
    turns: Annotated[Turns | None, _("Turns")] = None
    deployments: Annotated[tuple[DeploymentKey, ...], _("Deployments")] = ()


class Zone(Frozen):
    """A part of the table in a deployment's diagram, in per cent of its sides from the top left.

    ``x``, ``y``: the top left corner of a box, the centre of a circle or cross, the corner of the
    table in which a triangle has its right angle; ``side``: whose it is. A cross marks a place and
    has no size; a circle's ``width`` is its diameter; ``width`` and ``height`` of a triangle are
    its sides along the edges.
    """

    shape: Literal["box", "circle", "cross", "triangle"]
    side: Literal["first", "second", "third", "fourth", "objective", "forbidden"]
    x: Percent
    y: Percent
    width: Percent = 0
    height: Percent = 0
    name: Text | None = None


class Deployment(Row):
    """Where the gangs start. ``zones`` make its diagram; ``broad``: the table is so many times as
    wide as it is deep; ``depth``: how deep it is, in ``unit``, if that is known."""

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
    """One line of a reference table: its head, and a cell for each column.

    ``names``: what holds on this line, where its cells are worked out.
    """

    name: Text
    cells: tuple[str | Text, ...] = ()
    names: dict[str, int | str] = {}


class ChanceColumn(Frozen):
    """What a column works out: how likely an ``outcome`` is, or that a ``number`` is ``least`` or
    more, or what it is on ``average``, or what a ``modifier`` adds; nothing if it names none of
    them. ``names``: what holds in this column, besides its line.

    ``roll``: if it is another than the table's.
    """

    names: dict[str, int | str] = {}
    roll: RollKey | None = None
    outcome: Name | None = None
    number: Name | None = None
    least: int | None = None
    average: bool = False
    modifier: ModifierKey | None = None


class Chances(Frozen):
    """The cells of a table are worked out from a roll: those of each line that hold "?", or all of
    them if a line has no cells. ``exact``: chances are shown as fractions, too."""

    roll: RollKey
    exact: bool = False
    columns: Annotated[tuple[ChanceColumn, ...], Field(min_length=1)]


class DrawnModifiers(Frozen):
    """Lines of a table are modifiers: those of these rolls at these slots ("hits.target").

    ``columns``: what of each stands in the table's columns; ``after``: how many of the lines that
    the table has itself come before them, all if none is said.
    """

    rolls: Annotated[tuple[RollKey, ...], Field(min_length=1)]
    on: Annotated[tuple[str, ...], Field(min_length=1)]
    columns: tuple[Literal["who", "amount", "note"], ...] = ("amount",)
    after: Annotated[int, Field(ge=0)] | None = None


class Reference(Row):
    """Something to look up during a game: a table, or a list of steps or modifiers.

    ``columns`` head the cells of the lines, ``corner`` heads the lines' names; without columns it
    is a list. ``numbered``: the lines are steps in order. ``on_sheet``: it is looked up while
    playing, and so printed on the reference sheet; what helps to plan or to weigh chances is not.
    ``chances``: its cells are worked out; ``modifiers``: its lines are drawn from those of rolls.
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
    """A word of the game and what it means."""

    editing = Table(_("Words of the game"), _("Add a word"), removable=True)
    text: Annotated[Text, _("Text")]
