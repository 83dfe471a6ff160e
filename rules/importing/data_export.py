"""A user's imports of catalogues in the export of all their data."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.data_export import File
from accounts.models import User
from rules.importing.store import unpack
from rules.models import CatalogueImport


def files_of(user: User) -> Iterator[File]:
    """Yield what was read from each upload, and the uploaded files that are still kept."""
    mine = CatalogueImport.objects.filter(owner=user).order_by("pk")
    # One at a time: each may have megabytes.
    for key in [*mine.values_list("pk", flat=True)]:
        row = mine.filter(pk=key).first()
        if row is None:
            continue
        folder = f"catalogues/{row.pk.hex[:8]}"
        yield File(f"{folder}/answers.json", row.answers or "{}")
        yield File(f"{folder}/result.json", row.examined or "{}")
        if row.files:
            for number, (name, content) in enumerate(unpack(row.files), start=1):
                yield File(f"{folder}/{number}-{name}", content)
