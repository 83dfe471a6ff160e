"""A user's translations of rulebooks in the export of all their data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from accounts.data_export import File, as_json
from accounts.models import User
from rules.models import BookTranslation


def files_of(user: User) -> Iterator[File]:
    """Yield each translation that the user sent, as a list of place, text and translation."""
    for row in BookTranslation.objects.proposed_by(user).order_by("pk"):
        yield File(f"translations/{row.rulebook_id}-{row.language}.json", _content(row))


def _content(row: BookTranslation) -> str:
    return as_json(
        {
            "game": row.rulebook_id,
            "language": row.language,
            "is_shown": row.is_shown,
            "changed_at": row.changed_at,
            "words": json.loads(row.words),
        }
    )
