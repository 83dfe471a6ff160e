"""Bonds: what was done in several gangs at once is not taken back, or put back, in one alone.

This app knows no campaign. Whoever does registers a function that says whether a batch of a gang
is bound to something outside of it: half of a bargain would make money out of nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection

from gangs.models import Gang
from gangs.refusal import Refusal

Bond = Callable[[Gang, Collection[uuid.UUID]], Refusal | None]

_bonds: list[Bond] = []


def register(bond: Bond) -> None:
    """Ask ``bond`` before anything of these batches is struck or put back in one gang alone."""
    if bond not in _bonds:
        _bonds.append(bond)


def check(gang: Gang, batches: Collection[uuid.UUID]) -> None:
    """Raise Refusal if one of ``batches`` is not this gang's alone to take back or put back."""
    for bond in _bonds:
        refusal = bond(gang, batches)
        if refusal is not None:
            raise refusal
