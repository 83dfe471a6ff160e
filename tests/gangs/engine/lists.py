"""Lists of an army builder, for tests of the gangs that they become."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rules.catalogues.entry_map import EntryMap
from rules.catalogues.rosters import Roster, RosterCategory, RosterForce, Selection

# Ids of catalogues, for rows of a shipped game.
IDS = EntryMap(
    "system",
    "gold",
    {
        "boss": ("ranks", "leader"),
        "crew": ("ranks", "henchman"),
        "team": ("ranks", "henchman"),
        "rookie": ("ranks", "henchman"),
        "blade": ("items", "sword"),
        "link::blade": ("items", "sabre"),
        "pike": ("items", "spear"),
        "luck": ("traits", "lucky"),
    },
    {"xp": "experience", "wounds": "injury"},
)


def pick(
    entry_id: str, *inside: Selection, number: int = 1, kind: str = "model", called: str = "",
    cost: int | str = 0, name: str = "", group: str = "", notes: str = "", category: str = "",
) -> Selection:  # fmt: skip
    """Return a selection. ``called``: the player's own name for it."""
    return Selection(
        entry_id=entry_id, group_id=group, name=name or entry_id.title(), custom_name=called,
        number=number, kind=kind, costs=(("gold", Decimal(cost)),), selections=inside, notes=notes,
        categories=(RosterCategory(category, category, is_primary=True),) if category else (),
    )  # fmt: skip


def make_list(
    *selections: Selection, name: str = "The Reds", total: int | str = 0, **others: Any
) -> Roster:
    """Return a list with one force of the catalogue "Reds". ``others``: other fields of it."""
    force = RosterForce("f", "Warband", "", "reds", "Reds", selections)
    fields: dict[str, Any] = {"forces": (force,), "costs": (("gold", Decimal(total)),)}
    return Roster(name=name, system_id="system", **(fields | others))
