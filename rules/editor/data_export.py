"""A user's variants and games in the export of all their data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from accounts.data_export import File
from accounts.models import User
from common.downloads import plain_name
from rules.editor.documents import Document, describe_state
from rules.models import BookDraft, Variant


def files_of(user: User) -> Iterator[File]:
    """Yield the draft and every published state of each variant and game, as files."""
    for variant in Variant.objects.owned_by(user).order_by("pk"):
        yield from _files(
            variant, f"variants/{plain_name(variant.name, 'variant')}-{variant.pk.hex[:8]}"
        )
    for game in BookDraft.objects.owned_by(user).order_by("pk"):
        yield from _files(game, f"games/{game.slug}")


def _files(document: Document, folder: str) -> Iterator[File]:
    yield File(f"{folder}/draft.json", _indented(describe_state(document)))
    for state in document.states.defer("canonical").order_by("number"):
        yield File(
            f"{folder}/version-{state.number}.json", _indented(state.overlay or state.canonical)
        )


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
