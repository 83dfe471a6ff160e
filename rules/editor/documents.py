"""Documents of the editor: variants, which have a base, and players' own games, which have none.

Both are edited as ``Written``. A variant stores its overlay, a game its data.
"""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Max
from pydantic import ValidationError

from common.errors import Refusal
from common.measuring import BadData, measure
from common.text import clean_data
from rules.book.model import Book, Variation
from rules.editor.checking import Checked, check_text
from rules.editor.data import assemble, languages_of, name_of, take_apart_data
from rules.editor.files import BadVariant, check_bounds, write_variant
from rules.editor.languages import text_of
from rules.editor.overlay import Overlay, apply, find_overlay
from rules.editor.places import Data, Written
from rules.library import book_of
from rules.loading.sample_odds import NO_ATTACK, Attack
from rules.models import BookDraft, BookVersion, Variant
from rules.untrusted import LIMITS

type Document = Variant | BookDraft


class Refused(Refusal):
    """Raised for a refused act. Its codes: ``refusals.REFUSALS``."""


def base_of(document: Document) -> Book | None:
    """Return the rulebook that a variant changes; None for a game."""
    return book_of(document.base_id) if isinstance(document, Variant) else None


def version_of(document: Document) -> int:
    """Return the number that counts the changes of the document."""
    return document.draft_version if isinstance(document, Variant) else document.version


def text_stored(document: Document) -> str:
    """Return the text that stores the document."""
    return document.draft if isinstance(document, Variant) else document.data


def title_of(document: Document) -> str:
    """Return the name of the document in the reader's language."""
    if isinstance(document, Variant):
        return document.name
    return text_of(name_of(data_of(document)))


def languages_in(document: Document) -> tuple[str, ...]:
    """Return the languages that the document's texts are written in."""
    if isinstance(document, Variant):
        return book_of(document.base_id).text_languages
    return languages_of(data_of(document))


def data_of(game: BookDraft) -> Data:
    """Return the data of a game."""
    found: Data = json.loads(game.data)
    return found


def overlay_of(variant: Variant) -> Overlay:
    """Return the changes of a variant."""
    return Overlay.model_validate_json(variant.draft)


def read(document: Document) -> Written:
    """Return the document's data, to be edited."""
    if isinstance(document, Variant):
        return apply(book_of(document.base_id), overlay_of(document))[0]
    return take_apart_data(data_of(document))


def write(document: Document, written: Written, *, dropped: tuple[str, str] | None = None) -> str:
    """Return the text that stores edited data. ``written`` is changed; do not use it afterwards.

    ``dropped``: the table and row of changes to leave out if they do not fit the base. Raises
    BadVariant or Refused if the document exceeds its limits.
    """
    if isinstance(document, BookDraft):
        return write_game({**assemble(written), "slug": document.slug})
    base, known = book_of(document.base_id), overlay_of(document)
    misfits = [one.change for one in apply(base, known)[1]]
    kept = [change for change in misfits if (change.table, change.row) != dropped]
    try:
        overlay = find_overlay(base, written, known)
        overlay = Overlay(changes=(*overlay.changes, *kept))
    except ValidationError as error:
        # Anything but too many changes would be a mistake of this program.
        if any(one["type"] != "too_long" for one in error.errors(include_input=False)):
            raise
        raise BadVariant("too_many") from None
    return write_overlay(overlay)


def write_overlay(overlay: Overlay) -> str:
    """Return the text that stores a variant's changes. Raises BadVariant if it is too large."""
    check_bounds(overlay)
    return overlay.model_dump_json()


def write_game(data: Data) -> str:
    """Return the text that stores a game's data. Raises Refused if it is too large."""
    data = clean_data(data)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) > LIMITS.size:
        raise Refused("too_big")
    try:
        measure(data, LIMITS)
    except BadData:
        raise Refused("too_big") from None
    return text


def check(document: Document, text: str | None = None, *, attack: Attack = NO_ATTACK) -> Checked:
    """Check the document, or ``text`` instead of what it stores. Raises Busy."""
    text = text_stored(document) if text is None else text
    if isinstance(document, BookDraft):
        return check_text("", None, text, attack)
    mark = variation(document, next_number(document))
    return check_text(document.base_id, mark, text, attack)


def variation(variant: Variant, number: int) -> Variation:
    """Return the mark of a rulebook that is this state of this variant."""
    return Variation(key=str(variant.pk), name=variant.name, number=number)


def next_number(document: Document) -> int:
    """Return the number of the next published version. One query."""
    return (document.states.aggregate(highest=Max("number"))["highest"] or 0) + 1


def newest_state(document: Document) -> BookVersion | None:
    """Return the version published last; None before the first. One query."""
    return document.states.defer("canonical").order_by("-number").first()


def describe_state(document: Document) -> str:
    """Return all that ``store.undo`` needs to return to the document's present state."""
    if isinstance(document, BookDraft):
        return document.data
    return write_variant(document.name, book_of(document.base_id), overlay_of(document))


def fields_of(document: Document, text: str) -> dict[str, Any]:
    """Return the column of the document's row that stores ``text``."""
    return {"draft" if isinstance(document, Variant) else "data": text}
