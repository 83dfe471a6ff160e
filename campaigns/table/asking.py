"""Undoing dice that the application threw: requests, and the people who may answer them.

The fold knows no accounts, so the server signs requests and answers with the person who sent them.
The log decides whether a strike is about such dice, because the order of arrival decides nothing
there (``campaigns.table.order.find_requests``).
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence

from campaigns.models import TableSide
from campaigns.table.access import TableSeat
from campaigns.table.folded import fold_table
from campaigns.table.order import UNDOING, find_about_dice
from campaigns.table.storage import Pushed
from campaigns.table.taps import AnyTap, Logged, Struck, UndoAnswered, Undone, resolve_aliases
from common.errors import Refusal


def person_of(seat: TableSeat) -> uuid.UUID:
    """Return the id by which taps know the person in a seat: the same on all their phones. It does
    not reveal the device id of their forms."""
    return uuid.uuid5(seat.device, "person")


def is_own(seat: TableSeat, one: Logged, devices: Collection[uuid.UUID] = ()) -> bool:
    """Whether the reader made a tap: with their account or, without one, by a form of this browser
    or on one of these ``devices``."""
    if seat.user is not None:
        return one.actor == seat.user
    return one.actor is None and (one.device == seat.device or one.device in devices)


def dice_stand(seat: TableSeat) -> bool:
    """Whether the campaign forbids undoing dice that the application threw."""
    game = seat.table.game
    return game is not None and game.campaign.dice_stand


def sign_taps(seat: TableSeat, taps: Sequence[AnyTap]) -> list[AnyTap]:
    """Sign the taps of a form. Raises Refusal for taps that the campaign forbids."""
    signing = _Signing(seat, ())
    return [signing.sign(tap) for tap in taps]


def sign_rows(
    seat: TableSeat, rows: Sequence[Pushed | None]
) -> tuple[list[Pushed | None], dict[int, Refusal]]:
    """Sign the rows that a script sent. Returns them, None for refused rows and for those that are
    no taps, and the refusals by place."""
    signing = _Signing(seat, {row.device for row in rows if row is not None})
    found: list[Pushed | None] = []
    refused: dict[int, Refusal] = {}
    for place, row in enumerate(rows):
        try:
            if row is not None:
                row = row.model_copy(update={"tap": signing.sign(row.tap)})
        except Refusal as refusal:
            row, refused[place] = None, refusal
        found.append(row)
    return found, refused


def has_others(seat: TableSeat, log: Iterable[Logged]) -> bool:
    """Whether somebody else has tapped at a table, from another account or another phone."""
    return any(not is_own(seat, one) for one in log)


class _Signing:
    """Signs one sender's taps before they go into the log. ``devices``: the phones that they send
    for. Reads the log only if one of the taps needs it."""

    def __init__(self, seat: TableSeat, devices: Collection[uuid.UUID]) -> None:
        self.seat = seat
        self.devices = devices

    def sign(self, tap: AnyTap) -> AnyTap:
        """Return the tap, signed if it asks or answers. Raises Refusal."""
        if isinstance(tap, UNDOING):
            return self._strike(tap)
        if isinstance(tap, UndoAnswered):
            if tap.agreed and dice_stand(self.seat):
                raise Refusal("dice_stand")
            return tap.model_copy(update={"by": person_of(self.seat)})
        return tap

    def _strike(self, tap: Struck | Undone) -> Struck | Undone:
        folded = fold_table(self.seat.table)
        log = folded.log
        if isinstance(tap, Struck):
            table, devices = self.seat.table.pk, {one.device for one in log}
            [known] = resolve_aliases(table, [tap], devices)
            assert isinstance(known, Struck)
            tap = known
        is_coming = isinstance(tap, Undone) and tap.act not in folded.acts
        if dice_stand(self.seat):
            if find_about_dice(folded.taps, folded.thrown).has(tap, folded.by_key):
                raise Refusal("dice_stand")
        elif not is_coming and not self._has_opponent(log):
            return tap
        # Even if no such dice are known yet: a forger may strike a tap that is still to come.
        return tap.model_copy(update={"asked_by": person_of(self.seat)})

    def _has_opponent(self, log: Iterable[Logged]) -> bool:
        """Whether somebody else can answer: the player of another gang of the campaign, or somebody
        who has tapped at this table."""
        return any(not is_own(self.seat, one, self.devices) for one in log) or (
            self.seat.table.game is not None and self._plays_others()
        )

    def _plays_others(self) -> bool:
        sides = TableSide.objects.filter(table=self.seat.table.pk, gang__owner__isnull=False)
        return sides.exclude(gang__owner=self.seat.user).exists()
