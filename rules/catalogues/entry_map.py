"""The entries of an imported game by the ids that army builders write into lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from rules.catalogues.results import Role
from rules.catalogues.rosters import JOINED, Roster, Selection

# Table and key of a row of a rulebook.
type RowKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class EntryMap:
    """``rows``: the id of an entry, perhaps after the ids of links to it, or of a catalogue and
    these, → its row. ``system``: the id of the game system; ``money``: the id of the cost type that
    is paid; ``roles``: the ids of entries, groups and categories that keep records of a campaign →
    their roles; ``bundled``: by the keys of ``rows``, the copies that are part of the selection
    around and of its price."""

    system: str = ""
    money: str = ""
    rows: Mapping[str, RowKey] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    bundled: Mapping[str, int] = field(default_factory=dict)

    def find_row(self, entry_id: str, catalogue: str = "") -> RowKey | None:
        """Return the row of a selection's id in a list of a ``catalogue``."""
        return _find(self.rows, entry_id, catalogue)

    def count_bundled(self, entry_id: str, catalogue: str = "") -> int:
        """Return how many copies of a selection are part of each selection around it."""
        return _find(self.bundled, entry_id, catalogue) or 0

    def find_role(self, selection: Selection) -> Role:
        """Return what a selection means in a campaign; "list" for a choice like any other."""
        ids = [*selection.entry_id.split(JOINED), *selection.group_id.split(JOINED)]
        ids += [category.entry_id for category in selection.categories]
        return next((self.roles[one] for one in ids if one in self.roles), "list")

    def count_known(self, roster: Roster) -> int:
        """Return how many different entries of a list have a row."""
        ids = {(catalogue, selection.entry_id) for catalogue, selection in everything(roster)}
        found = {entry for catalogue, entry in ids if self.find_row(entry, catalogue) is not None}
        return len(found)


def _find[V](values: Mapping[str, V], entry_id: str, catalogue: str) -> V | None:
    """Return the value of an id. Lists may name more links than the map, so the outer ones are left
    out one by one."""
    while entry_id:
        for key in (f"{catalogue}{JOINED}{entry_id}", entry_id):
            if key in values:
                return values[key]
        entry_id = entry_id.partition(JOINED)[2]
    return None


ENTRY_MAP = TypeAdapter(EntryMap)


def everything(roster: Roster) -> Iterator[tuple[str, Selection]]:
    """Yield all selections of a list, each with the id of its force's catalogue."""
    forces = [*roster.forces]
    while forces:
        force = forces.pop()
        forces += force.forces
        waiting = [*force.selections]
        while waiting:
            selection = waiting.pop()
            yield force.catalogue_id, selection
            waiting += selection.selections
