"""A user's variants and games in the export of all their data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.db.models import Q

from accounts.data_export import File, as_json
from accounts.models import User
from common.downloads import plain_name
from rules.editor.documents import Document, describe_state
from rules.models import BookDraft, SharedGame, Variant


def files_of(user: User) -> Iterator[File]:
    """Yield the draft and every published state of each variant and game, as files; and the
    games on the shelf."""
    for variant in Variant.objects.owned_by(user).order_by("pk"):
        yield from _files(
            variant, f"variants/{plain_name(variant.name, 'variant')}-{variant.pk.hex[:8]}"
        )
    for game in BookDraft.objects.owned_by(user).order_by("pk"):
        yield from _files(game, f"games/{game.slug}")
    shared = [
        {
            "game": one.rulebook_id,
            "digest": one.version_id,
            "licence": one.licence,
            "since": one.shared_at,
        }
        for one in SharedGame.objects.filter(Q(by=user) | Q(draft__owner=user)).order_by("pk")
    ]
    if shared:
        yield File("shelf.json", as_json(shared))


def _files(document: Document, folder: str) -> Iterator[File]:
    yield File(f"{folder}/draft.json", _indented(describe_state(document)))
    for state in document.states.defer("canonical").order_by("number"):
        yield File(
            f"{folder}/version-{state.number}.json", _indented(state.overlay or state.canonical)
        )


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
