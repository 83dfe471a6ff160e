"""A user's variants in the export of all their data."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.data_export import File
from accounts.models import User
from common.downloads import plain_name
from rules.editor.files import write_variant
from rules.editor.store import overlay_of
from rules.library import book_of
from rules.models import Variant


def files_of(user: User) -> Iterator[File]:
    """Yield the draft and every published state of each variant, as files."""
    for variant in Variant.objects.owned_by(user).order_by("pk"):
        folder = f"variants/{plain_name(variant.name, 'variant')}-{variant.pk.hex[:8]}"
        text = write_variant(variant.name, book_of(variant.base_id), overlay_of(variant))
        yield File(f"{folder}/draft.json", text)
        for state in variant.states.order_by("number").defer("canonical"):
            yield File(f"{folder}/version-{state.number}.json", state.overlay)
