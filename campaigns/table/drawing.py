"""Dice that the application throws at a table, drawn from its seed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from campaigns.models import Table, TableEntry, TableSide, TableThrow
from campaigns.seeds import Dice, counted, next_dice
from campaigns.table.storage import locked_row


@contextmanager
def drawing(table: Table, act: uuid.UUID, seen: int) -> Iterator[Dice | None]:
    """The dice of an act's next throw; None if the log has more taps of it than were ``seen``.

    What is told of them inside is written with them, or nothing is. Raises Refusal if the table is
    gone.
    """
    with transaction.atomic():
        locked = locked_row(table)
        told = TableEntry.objects.filter(table=table.pk, act=act).count()
        if told > seen:
            yield None
            return
        sides = TableSide.objects.filter(table=table.pk).order_by("number")
        dice = next_dice(locked, sides.values_list("word", flat=True))
        yield dice
        if dice.fallen:
            TableThrow.objects.create(table=table, act=act, dice=dice.fallen, **dice.columns)
            Table.objects.filter(pk=table.pk).update(**counted(locked, dice))
