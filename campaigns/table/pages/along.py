"""What a phone takes along of a game, for when there is no network."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from campaigns.table.board import Board
from rules.reference_pages.chapters import CHAPTERS


def addresses(board: Board) -> Iterator[str]:
    """The pages that belong to a table: what was told, everybody at it, the gangs that are the
    reader's, and the rules. One that there is not, or not for the reader, is left out by the
    phone."""
    table = board.table
    yield reverse("campaigns:table-story", args=[table.pk])
    for key, figure in board.now.figures.items():
        yield reverse("campaigns:table-figure", args=[table.pk, key])
        # Everybody tries what their own figures may, which is much to work out.
        if board.seat.taps and figure.side in (board.mine or board.now.sides):
            yield reverse("campaigns:table-beforehand", args=[table.pk, key])
    for side in table.sides.all():
        if side.gang_id is not None:
            yield reverse("gangs:sheet", args=[side.gang_id])
    rules = table.book_version_id
    yield reverse("rules:version", args=[rules])
    for key, _title, _draw in CHAPTERS:
        yield reverse("rules:version-chapter", args=[rules, key])
