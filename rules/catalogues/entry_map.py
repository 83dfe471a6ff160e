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
    """``rows``: the id of an entry, perhaps after the ids of links to it, → its row. ``system``:
    the id of the game system; ``money``: the id of the cost type that is paid; ``roles``: the ids
    of entries, groups and categories that keep records of a campaign → their roles."""

    system: str = ""
    money: str = ""
    rows: Mapping[str, RowKey] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)

    def find_row(self, entry_id: str) -> RowKey | None:
        """Return the row of a selection's id. Lists may name more links than the map, so the outer
        ones are left out one by one."""
        while entry_id not in self.rows:
            _outer, _joined, inner = entry_id.partition(JOINED)
            if not inner:
                return None
            entry_id = inner
        return self.rows[entry_id]

    def find_role(self, selection: Selection) -> Role:
        """Return what a selection means in a campaign; "list" for a choice like any other."""
        ids = [*selection.entry_id.split(JOINED), *selection.group_id.split(JOINED)]
        ids += [category.entry_id for category in selection.categories]
        return next((self.roles[one] for one in ids if one in self.roles), "list")

    def count_known(self, roster: Roster) -> int:
        """Return how many different entries of a list have a row."""
        ids = {selection.entry_id for selection in everything(roster)}
        return sum(self.find_row(one) is not None for one in ids)


ENTRY_MAP = TypeAdapter(EntryMap)


def everything(roster: Roster) -> Iterator[Selection]:
    """Yield all selections of a list."""
    forces = [*roster.forces]
    while forces:
        force = forces.pop()
        forces += force.forces
        waiting = [*force.selections]
        while waiting:
            selection = waiting.pop()
            yield selection
            waiting += selection.selections
