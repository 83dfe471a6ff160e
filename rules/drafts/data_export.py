"""A user's drafts of games in the export of all their data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from accounts.data_export import File
from accounts.models import User
from rules.models import BookDraft


def files_of(user: User) -> Iterator[File]:
    """Yield each draft that the user owns, and its published versions, as JSON."""
    for draft in BookDraft.objects.owned_by(user).order_by("pk"):
        folder = f"games/{draft.slug}"
        yield File(f"{folder}/draft.json", _indented(draft.data))
        for state in draft.states.order_by("number"):
            yield File(f"{folder}/version-{state.number}.json", _indented(state.canonical))


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
