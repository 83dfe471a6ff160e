"""What a rulebook only tells: scenarios, deployments, reference tables, the glossary."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rules.schema import Choice
from rules.vocabulary import Frozen, Key, Row, Text, When

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

    turns: Turns
    counted: tuple[Counted, ...] = ()


class Scenario(Row):
    """What a game is about: who must do what, and when it ends.

    ``roles``: what the sides are (attacker, defender), if they differ; ``length``: how long it
    lasts; ``turns``: how many turns, if not as many as usual (0: they are not counted);
    ``deployments``: those it is played with (any if none).
    """

    text: Text
    victory: Text
    roles: tuple[Choice, ...] = ()
    length: Text | None = None
    turns: Turns | None = None
    deployments: tuple[Key, ...] = ()


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
    wide as it is deep."""

    text: Text
    zones: tuple[Zone, ...] = ()
    broad: Annotated[float, Field(gt=0, le=4)] = 1


Chapter = Literal["setup", "turn", "actions", "shooting", "fighting", "wounds", "morale", "other"]


class ReferenceLine(Frozen):
    """One line of a reference table: its head, and a cell for each column."""

    name: Text
    cells: tuple[str | Text, ...] = ()


class Reference(Row):
    """Something to look up during a game: a table, or a list of steps or modifiers.

    ``columns`` head the cells of the lines, ``corner`` heads the lines' names; without columns it
    is a list. ``numbered``: the lines are steps in order. ``on_sheet``: it is looked up while
    playing, and so printed on the reference sheet; what helps to plan or to weigh chances is not.
    """

    chapter: Chapter
    text: Text | None = None
    corner: Text | None = None
    columns: tuple[Text, ...] = ()
    lines: tuple[ReferenceLine, ...] = ()
    numbered: bool = False
    on_sheet: bool = True


class Term(Row):
    """A word of the game and what it means."""

    text: Text
