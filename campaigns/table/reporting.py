"""What a game's table says happened, as the report begins with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.engine.claims import SideAccount
from campaigns.engine.report import SideKind
from campaigns.models import Game, Side, Table
from campaigns.table import storage
from campaigns.table.folded import folded
from campaigns.table.report import reports


@dataclass(frozen=True)
class TableAccount:
    """What a log says: nobody has claimed it. ``result``: "" if none was told; ``sides`` by their
    primary keys."""

    result: str
    sides: Mapping[int, SideAccount]


def table_account(game: Game, sides: Sequence[Side]) -> TableAccount | None:
    """What the game's table says; None if nothing was told at one. A correction of its log changes
    it."""
    table = Table.objects.filter(game=game, seq__gt=0).first()
    if table is None:
        return None
    found = folded(table)
    readable = table.sides.exclude(gang=None).exclude(number__in=storage.unreadable(table))
    numbers = dict(readable.values_list("gang", "number"))
    seats = {numbers[side.gang_id]: side for side in sides if side.gang_id in numbers}
    gangs = {number: str(side.gang_id) for number, side in seats.items()}
    told = reports(found.start, found.now, gangs)
    return TableAccount(
        result=found.now.over or "",
        sides={
            side.pk: SideAccount(_kind(found.now.winner, number), told[number])
            for number, side in seats.items()
        },
    )


def _kind(winner: int | None, number: int) -> SideKind:
    if winner is None:
        return "level"
    return "winner" if number == winner else "loser"
