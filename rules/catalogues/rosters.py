"""A list of an army builder as values, in the terms of the newest format (2.03)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

# The ids of links and entry in the id of a selection are joined by this.
JOINED = "::"


@dataclass(frozen=True, slots=True)
class RosterCategory:
    """A category that a selection has in a list."""

    entry_id: str
    name: str
    is_primary: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """An entry that a player selected.

    ``entry_id`` and ``group_id``: the id of the entry, and of the group that it was selected from
    ("" for none); links that led there come before it, joined by "::". ``number``: how many, in
    the whole list. ``costs``: cost type's id → cost of all of them, without the selections inside.
    """

    entry_id: str
    group_id: str
    name: str
    custom_name: str
    number: int
    kind: str
    costs: tuple[tuple[str, Decimal], ...] = ()
    categories: tuple[RosterCategory, ...] = ()
    selections: tuple[Selection, ...] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class RosterForce:
    """A force of a list: its shape, its catalogue, and what it consists of."""

    entry_id: str
    name: str
    custom_name: str
    catalogue_id: str
    catalogue_name: str
    selections: tuple[Selection, ...] = ()
    forces: tuple[RosterForce, ...] = ()


@dataclass(frozen=True, slots=True)
class Roster:
    """A list. ``costs`` and ``limits``: cost type's id → the sum, and the most that the player
    set."""

    name: str
    system_id: str
    system_name: str = ""
    format: str = ""
    file: str = ""
    costs: tuple[tuple[str, Decimal], ...] = ()
    limits: tuple[tuple[str, Decimal], ...] = ()
    forces: tuple[RosterForce, ...] = ()
    notes: str = ""
