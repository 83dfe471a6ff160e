"""A gang's ledger as a file."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from common.downloads import json_pieces
from gangs.engine.entries import Joined
from gangs.files.format import FORMAT, FORMAT_2, Correction, GangFile, Record, format_needed
from gangs.ledger.storage import read_entries
from gangs.models import Gang
from rules.book.since import NEWEST


def export_gang(gang: Gang) -> str:
    """The gang's whole ledger as a file's text: with struck entries, without people's names.

    Only one entry is in memory as more than text.
    """
    data = _head(gang)
    data["corrections"] = [each.model_dump(mode="json") for each in data["corrections"]]
    data["records"] = (record.model_dump(mode="json") for record in _records(gang, "", {}))
    return "".join(json_pieces(sorted(data.items())))


def as_file(gang: Gang, here: str) -> tuple[GangFile, list[uuid.UUID]]:
    """The gang's whole ledger as a file, and its batches in the order of their numbers there.

    ``here``: the campaign, if the gang is part of a campaign's file.
    """
    batches: dict[uuid.UUID, int] = {}
    records = tuple(_records(gang, here, batches))
    return GangFile.model_validate({**_head(gang), "records": records}), list(batches)


def _head(gang: Gang) -> dict[str, Any]:
    """All of the file but its records."""
    acts = list(gang.strikes.order_by("pk"))
    numbers = _act_numbers(gang)
    corrections = [
        Correction(
            at=act.at,
            reason=act.reason,
            by_organiser=act.by_organiser,
            undoes=numbers[act.undoes_id],
            restored=tuple(act.restored),
            replayed=tuple(act.replayed),
        )
        for act in acts
    ]
    formats = {2 if any(act.replayed for act in acts) else 1}
    entries = gang.entries.values_list("kind", "data")
    formats |= {format_needed(kind, data) for kind, data in entries}
    if not all(FORMAT_2.says([Correction], act.model_dump(mode="json")) for act in corrections):
        formats.add(NEWEST)
    book = gang.first_book
    return {
        "format": FORMAT,
        "format_version": max(formats),
        "book": book.slug,
        "digest": book.digest,
        "corrections": corrections,
    }


def _act_numbers(gang: Gang) -> dict[int | None, int | None]:
    keys = gang.strikes.order_by("pk").values_list("pk", flat=True)
    return {None: None, **{key: number for number, key in enumerate(keys)}}


def _records(gang: Gang, here: str, batches: dict[uuid.UUID, int]) -> Iterator[Record]:
    """Every entry in the order of writing; numbers their ``batches``.

    Campaigns other than ``here`` are elsewhere in a file.
    """
    acts = _act_numbers(gang)
    columns = ("seq", "place", "number", "at", "batch", "struck_id", "added_by_id")
    rows = read_entries(gang.entries.order_by("seq"), *columns)
    for entry, seq, place, number, at, batch, struck, added_by in rows:
        if isinstance(entry, Joined) and entry.campaign != here:
            entry = entry.model_copy(update={"elsewhere": True})  # noqa: PLW2901
        yield Record(
            seq=seq,
            place=None if place == seq else place,
            number=None if number == seq else number,
            at=at,
            batch=batches.setdefault(batch, len(batches)),
            struck=acts[struck],
            added_by=acts[added_by],
            entry=entry,
        )
