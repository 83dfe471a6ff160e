"""Storing documents of the editor: each function is one transaction.

The caller of a change passes the version of the document that the player has seen: if another
person (or tab) was faster, Stale is raised and nothing is written.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.db.models.functions import Length
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.errors import Stale
from common.locking import update_if
from rules import entry_ids
from rules.book.model import Book, digest_of
from rules.editor import slugs
from rules.editor.checking import Checked
from rules.editor.data import start_from
from rules.editor.documents import (
    Document,
    Refused,
    check,
    describe_state,
    fields_of,
    newest_state,
    next_number,
    overlay_of,
    version_of,
    write_game,
    write_overlay,
)
from rules.editor.files import VariantFile, write_variant
from rules.editor.moving import try_move
from rules.editor.overlay import EMPTY, Overlay
from rules.editor.places import Data, between
from rules.library import book_of
from rules.loading import apart
from rules.loading.reader import BadBook
from rules.models import BookDraft, BookVersion, CatalogueImport, Rulebook, Variant
from rules.untrusted import LIMITS

MOST_STATES = 100
MOST_EDITORS = 10
# The states kept for undo, and as many for redo; and the letters of those for undo together, except
# for the newest.
MOST_PAST = 20
MOST_PAST_LETTERS = 4 * LIMITS.size


def start_variant(
    owner: User, base: BookVersion, name: str, *, token: uuid.UUID, overlay: Overlay = EMPTY
) -> Variant:
    """Start a variant; a form that arrives twice starts it once.

    Raises QuotaFull, or BadVariant if it exceeds the limits.
    """
    text = write_overlay(overlay)
    with quotas.turn(owner):
        if not Variant.objects.filter(token=token, owner=owner).exists():
            quotas.check(owner, "variants")
        variant, _ = Variant.objects.get_or_create(
            token=token, owner=owner, defaults={"base": base, "name": name, "draft": text}
        )
    return variant


def start_game(owner: User, data: Data, *, token: uuid.UUID) -> BookDraft:
    """Start a game; a form that arrives twice starts it once.

    Raises QuotaFull, or Refused if its slug is taken or it exceeds the limits.
    """
    slug, text = str(data["slug"]), write_game(data)
    with quotas.turn(owner):
        found = BookDraft.objects.filter(token=token, owner=owner).first()
        if found is not None:
            return found
        quotas.check(owner, "drafts")
        if not slugs.is_reachable(slug):
            raise Refused("bad_slug")
        if not slugs.is_free(slug):
            raise Refused("slug_taken")
        try:
            with transaction.atomic():
                return BookDraft.objects.create(owner=owner, slug=slug, data=text, token=token)
        except IntegrityError:
            raise Refused("slug_taken") from None


def save(document: Document, text: str, *, expected_version: int, **fields: Any) -> None:
    """Store another text, from ``documents.write``, so that ``undo`` can take it back. ``fields``:
    other columns of its row. Raises Stale."""
    before = describe_state(document)
    with transaction.atomic():
        _update(document, expected_version, **fields, **fields_of(document, text))
        document.past.filter(is_undone=True).delete()
        _remember(document, before, is_undone=False)


def _remember(document: Document, state: str, *, is_undone: bool) -> None:
    """Keep a state for undo or redo, with the import that a game comes from, and drop the oldest
    ones beyond the bounds. Those for redo are no more than undo has kept, and the oldest of them is
    the document's newest text."""
    origin = None
    if isinstance(document, BookDraft):
        origin = CatalogueImport.objects.taken_by(document).first()
    document.past.create(text=state, is_undone=is_undone, origin=origin)
    if is_undone:
        return
    letters = 0
    kept = document.past.filter(is_undone=is_undone).order_by("-pk")
    for place, (key, size) in enumerate(kept.values_list("pk", Length("text"))):
        letters += size
        if place and (place >= MOST_PAST or letters > MOST_PAST_LETTERS):
            document.past.filter(is_undone=is_undone, pk__lte=key).delete()
            break


def save_data(game: BookDraft, data: Data, *, expected_version: int) -> None:
    """Store other data for a game. Raises Stale, or Refused if it exceeds the limits."""
    save(game, write_game({**data, "slug": game.slug}), expected_version=expected_version)


def undo(document: Document, *, expected_version: int) -> None:
    """Take back the last act on the document that is not undone yet.

    Raises Stale, or Refused if there is none.
    """
    _step(document, expected_version, is_undone=False)


def redo(document: Document, *, expected_version: int) -> None:
    """Do again the act that was undone last. Raises Stale, or Refused if there is none."""
    _step(document, expected_version, is_undone=True)


def _step(document: Document, expected_version: int, *, is_undone: bool) -> None:
    """Return to the newest past state of this kind, and keep the present one for the way back."""
    past = document.past.filter(is_undone=is_undone).order_by("-pk").first()
    if past is None and is_undone:
        raise Refused("nothing_to_redo")
    if past is None:
        raise Refused("nothing_to_undo")
    before = describe_state(document)
    fields = _read_state(document, past.text)
    with transaction.atomic():
        _update(document, expected_version, **fields)
        past.delete()
        _remember(document, before, is_undone=not is_undone)
        if isinstance(document, BookDraft):
            _renew_origin(document, past.origin_id)


def _renew_origin(game: BookDraft, origin: uuid.UUID | None) -> None:
    """Make the import that a game comes from the newest again, so that its notes and ids are those
    of the game, and newer catalogues are compared with it. If it is not kept, nothing changes."""
    newest = CatalogueImport.objects.taken_by(game).first()
    if origin is not None and newest is not None and newest.pk != origin:
        CatalogueImport.objects.filter(pk=origin, draft=game).update(taken_at=timezone.now())


def restore(document: Document, state: BookVersion, *, expected_version: int) -> None:
    """Take the document back to a published state. Raises Stale or Refused.

    A game comes from the import of that state again; if that is not kept, the differences count as
    changes of the author.
    """
    if isinstance(document, BookDraft):
        with transaction.atomic():
            save_data(document, start_from(book_of(state.pk)), expected_version=expected_version)
            _renew_origin(document, entry_ids.find_origin(state))
        return
    fields = _read_state(document, state.overlay)
    save(document, fields.pop("draft"), expected_version=expected_version, **fields)


def _read_state(document: Document, saved: str) -> dict[str, Any]:
    """Return the columns of a state that ``describe_state`` described. The name of a variant stays.
    Raises Refused if the site no longer has its base."""
    if isinstance(document, BookDraft):
        return fields_of(document, saved)
    file = VariantFile.model_validate_json(saved)
    base = BookVersion.objects.rulebooks().filter(digest=file.digest).first()
    if base is None:
        raise Refused("no_base")
    return {**fields_of(document, file.overlay.model_dump_json()), "base": base}


def rename(variant: Variant, name: str, *, expected_version: int) -> None:
    """Rename the variant. Raises Stale."""
    _update(variant, expected_version, name=name)


def _update(document: Document, expected_version: int, **fields: Any) -> None:
    """Write ``fields`` if the document still has the version that the player has seen."""
    fields["changed_at"] = timezone.now()
    counter = "draft_version" if isinstance(document, Variant) else "version"
    update_if(type(document), document.pk, expected_version, counter=counter, **fields)
    document.refresh_from_db()


def publish(document: Document, *, expected_version: int) -> BookVersion:
    """Make the document a version that gangs and campaigns can be founded on.

    A game stays off the front page until an administrator puts it there (``library.load``). Raises
    Stale, Busy, or Refused if the document has mistakes, nothing is new, or its pages would be too
    slow.
    """
    if version_of(document) != expected_version:
        raise Stale
    checked = check(document)
    book = _try_out(checked)
    entries = entry_ids.gather(document, book) if isinstance(document, BookDraft) else None
    with transaction.atomic():
        _update(document, expected_version)
        last = newest_state(document)
        if is_published(last, checked) or BookVersion.objects.filter(pk=book.digest).exists():
            raise Refused("nothing_new")
        number = next_number(document)
        if number > MOST_STATES:
            raise Refused("too_many_states")
        if isinstance(document, Variant):
            base = book_of(document.base_id)
            overlay = write_variant(document.name, base, overlay_of(document))
            owned: dict[str, Any] = {"variant": document, "overlay": overlay}
        else:
            Rulebook.objects.get_or_create(slug=book.slug)
            owned = {"draft": document}
        version = BookVersion.objects.create(
            digest=book.digest,
            slug=book.slug,
            canonical=book.canonical(),
            loaded_at=timezone.now(),
            number=number,
            **owned,
        )
        if entries is not None:
            entry_ids.keep(version, entries)
    return version


def _try_out(checked: Checked) -> Book:
    """Return the rulebook, after working out its odds. Raises Busy or Refused."""
    if not checked.is_sound:
        raise Refused("too_large" if checked.too_large else "mistakes")
    try:
        # This takes a while, so it comes before the transaction.
        return apart.read_apart(json.loads(checked.canonical), "", tried=True)
    except apart.TooLarge:
        raise Refused("too_large") from None
    except BadBook:
        raise Refused("mistakes") from None


def is_published(state: BookVersion | None, checked: Checked) -> bool:
    """Whether the document is as it was published last, in ``state``."""
    if state is None or checked.book is None:
        return False
    if checked.book.variant is None:
        return digest_of(checked.canonical) == state.pk
    old = book_of(state.pk)
    # Two states of a variant always differ in their numbers.
    same_name = old.variant is not None and old.variant.name == checked.book.variant.name
    return same_name and not between(old, checked.book)


def move(variant: Variant, version: BookVersion, *, expected_version: int) -> None:
    """Move the variant to another version of its base, without the changes that do not fit.

    Raises Stale, Busy, or Refused if it is too large to work out there.
    """
    there = try_move(variant, version)
    if there.checked.too_large:
        raise Refused("too_large")
    text = there.overlay.model_dump_json()
    save(variant, text, expected_version=expected_version, base=version)


def archive(variant: Variant, *, back: bool) -> None:
    """Archive the variant, or take it ``back``. Gangs and campaigns keep the state they have."""
    when = None if back else timezone.now()
    Variant.objects.filter(pk=variant.pk).update(archived_at=when)


def share(game: BookDraft, name: str) -> None:
    """Let a person edit the game, too. Nothing shows whether there is such an account.

    Raises Refused if the game has too many editors.
    """
    user = User.objects.filter(username__iexact=name, is_active=True, stands_for="").first()
    with transaction.atomic():
        BookDraft.objects.select_for_update().get(pk=game.pk)
        if game.editors.filter(name__iexact=name).exists():
            return
        if game.editors.count() >= MOST_EDITORS:
            raise Refused("too_many_editors")
        game.editors.create(name=name, user=user)


def unshare(game: BookDraft, editor: int) -> None:
    """Take the right to edit the game from a person."""
    game.editors.filter(pk=editor).delete()


def newest_numbers(documents: Sequence[Document]) -> dict[uuid.UUID, int]:
    """Return the number of the version published last, by document. One query."""
    keys = [document.pk for document in documents]
    states = BookVersion.objects.filter(Q(variant__in=keys) | Q(draft__in=keys)).order_by()
    newest = states.values_list("variant", "draft").annotate(Max("number"))
    return {variant or draft: number for variant, draft, number in newest}


def listed_numbers(documents: Sequence[Document]) -> dict[uuid.UUID, int | None]:
    """Return the number of the newest version on the front page, by game. One query."""
    keys = [document.pk for document in documents]
    offered = BookVersion.objects.offered().filter(draft__in=keys)
    return dict(offered.values_list("draft", "number"))


def find_offered(user: User) -> list[tuple[BookVersion, Book]]:
    """List the newest published state of each of the user's variants and games, to found gangs
    with, except hidden ones; and the games that they took in from other sites. Editors of a game
    have it, too."""
    mine = Q(variant__owner=user, variant__archived_at=None, variant__hidden_why="")
    mine |= Q(draft__in=BookDraft.objects.open_to(user), draft__hidden_why="")
    states = BookVersion.objects.filter(mine)
    ordered = states.defer("canonical", "overlay").order_by("number")
    newest = {(state.variant_id, state.draft_id): state for state in ordered}
    taken = BookVersion.objects.filter(taken_by__owner=user).exclude(draft__hidden_why__gt="")
    others = taken.defer("canonical", "overlay")
    found = {state.pk: state for state in (*newest.values(), *others)}
    listed = [(state, book_of(state.pk)) for state in found.values()]

    def place(pair: tuple[BookVersion, Book]) -> tuple[str, str]:
        book = pair[1]
        return book.slug, book.variant.name.casefold() if book.variant else ""

    return sorted(listed, key=place)
