"""Stores the translations of rulebooks, and gives each parsed rulebook those that readers see.

A process looks for changes once in a while (``TRANSLATIONS_LOOK_EVERY``), at the beginning of a
request. A reader's tag contains the state of the translations into their languages, so a change
of one of them is another key of caches and prints.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from threading import Lock
from time import monotonic
from weakref import WeakValueDictionary

from django.conf import settings
from django.db import Error, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from common.errors import Stale
from rules.book.model import Book
from rules.models import BookDraft, BookTranslation, BookVersion, Rulebook
from rules.words.table import Word, WordTable, add_translations

logger = logging.getLogger(__name__)

# Marks that a process keeps: for the languages of its readers.
MOST_STATES = 200
# Game and language of a translation, and its row with the time of its last change.
type Index = dict[tuple[str, str], tuple[int, datetime]]


@dataclass
class _Process:
    """The translations that this process knows, and the parsed rulebooks that have their words."""

    index: Index = field(default_factory=dict)
    # The marks of the index for languages that readers have asked for.
    states: dict[tuple[str, ...], str] = field(default_factory=dict)
    looked_at: float | None = None
    books: WeakValueDictionary[str, Book] = field(default_factory=WeakValueDictionary)
    lock: Lock = field(default_factory=Lock)


_here = _Process()


def current_translations(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that looks for changed translations once in a while."""

    def middleware(request: HttpRequest) -> HttpResponse:
        every = settings.TRANSLATIONS_LOOK_EVERY
        if every and monotonic() - (_here.looked_at or 0) > every:
            try:
                look_for_changes()
            except Error as error:
                logger.warning("Could not look for translations: %s", error)
        return get_response(request)

    return middleware


def look_for_changes() -> None:
    """Read which translations are shown, and give their words to the rulebooks of this process.
    One query, and one for each game with a change."""
    _here.looked_at = monotonic()
    index = _read_index()
    with _here.lock:
        changed = {slug for slug, _language in dict(index.items() ^ _here.index.items())}
        books = [book for book in _here.books.values() if book.slug in changed]
        tables = {slug: read_tables(slug) for slug in {book.slug for book in books}}
        for book in books:
            add_translations(book, tables[book.slug])
        _here.index, _here.states = index, {}


def translate_book(book: Book, digest: str) -> None:
    """Give a rulebook that has just been parsed the translations of its game. Two queries at
    most."""
    with _here.lock:
        if _here.looked_at is None:
            _here.looked_at = monotonic()
            _here.index, _here.states = _read_index(), {}
        if any(slug == book.slug for slug, _language in _here.index):
            add_translations(book, read_tables(book.slug))
        _here.books[digest] = book


def find_state(languages: Sequence[str]) -> str:
    """Return a mark of the state of the translations into these languages; "" without any."""
    asked = tuple(languages)
    state = _here.states.get(asked)
    if state is None:
        found = [str(item) for item in sorted(_here.index.items()) if item[0][1] in asked]
        state = sha256("".join(found).encode()).hexdigest()[:8] if found else ""
        if len(_here.states) < MOST_STATES:
            _here.states[asked] = state
    return state


def translated_languages() -> list[str]:
    """The languages into which a game of this site is translated, as far as this process knows."""
    return sorted({language for _slug, language in _here.index})


def forget() -> None:
    """Forget all translations, as in a new process."""
    for book in _here.books.values():
        add_translations(book, {})
    _here.index, _here.states, _here.looked_at = {}, {}, None


def _read_index() -> Index:
    rows = BookTranslation.objects.shown().order_by()
    found = rows.values_list("rulebook_id", "language", "pk", "changed_at")
    return {(slug, language): (pk, at) for slug, language, pk, at in found}


def read_tables(slug: str) -> dict[str, WordTable]:
    """Return the translations of a game that readers see, by language. One query."""
    rows = BookTranslation.objects.shown().filter(rulebook=slug)
    return {row.language: table_of(row) for row in rows}


def table_of(row: BookTranslation) -> dict[Word, str]:
    """The words of a stored translation."""
    return {Word(place, text): words for place, text, words in json.loads(row.words)}


def write_table(table: WordTable) -> str:
    """Return a table as it is stored."""
    rows = sorted([word.place, word.text, words] for word, words in table.items())
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def may_decide(user: User, slug: str) -> bool:
    """Whether the user decides which translations of a game are shown: its owner does, and so do
    administrators for every game that is one of the site's rulebooks. Two queries at most."""
    if BookDraft.objects.owned_by(user).filter(slug=slug).exists():
        return True
    return user.is_staff and BookVersion.objects.rulebooks().filter(slug=slug).exists()


def deciders(slug: str) -> list[User]:
    """The people who decide about a game's translations: its owner, or else the administrators."""
    draft = BookDraft.objects.select_related("owner").filter(slug=slug).first()
    if draft is not None:
        return [draft.owner]
    return list(User.objects.filter(is_staff=True, is_active=True))


def propose(user: User, slug: str, language: str, table: WordTable) -> BookTranslation:
    """Store a translation, in place of the user's last one for this game and language that readers
    do not see. It is not shown until somebody chooses it. Raises QuotaFull.
    """
    with quotas.turn(user):
        mine = BookTranslation.objects.proposed_by(user).filter(
            rulebook=slug, language=language, is_shown=False
        )
        row = mine.select_for_update().first()
        if row is None:
            quotas.check(user, "translations")
            row = BookTranslation(rulebook_id=slug, language=language, author=user)
        row.words, row.changed_at = write_table(table), timezone.now()
        row.save()
    return row


def show(row: BookTranslation) -> None:
    """Show a translation to readers in place of the one they see. Raises Stale, and hides nothing,
    if its author has deleted it meanwhile."""
    with transaction.atomic():
        _hide_shown(row)
        changed = BookTranslation.objects.filter(pk=row.pk)
        if not changed.update(is_shown=True, changed_at=timezone.now()):
            raise Stale
        transaction.on_commit(look_for_changes)


def hide(row: BookTranslation) -> None:
    """Hide a translation from readers."""
    with transaction.atomic():
        _hide_shown(row)
        transaction.on_commit(look_for_changes)


def _hide_shown(row: BookTranslation) -> None:
    """Hide the translation that readers see into this language. Delete it if its author has sent
    another one since. Call it in a transaction."""
    Rulebook.objects.select_for_update().get(pk=row.rulebook_id)
    alike = BookTranslation.objects.filter(rulebook=row.rulebook_id, language=row.language)
    waiting = alike.filter(is_shown=False, author__isnull=False).values("author")
    alike.shown().filter(author__in=list(waiting.values_list("author", flat=True))).delete()
    alike.filter(is_shown=True).update(is_shown=False)


def remove(row: BookTranslation) -> None:
    """Delete a translation."""
    with transaction.atomic():
        row.delete()
        transaction.on_commit(look_for_changes)


def store_shipped(slug: str, language: str, table: WordTable) -> None:
    """Store a translation that came with a game's files. Readers see it from its first start on,
    unless they see another one; afterwards, the site's own choice stays."""
    with transaction.atomic():
        Rulebook.objects.select_for_update().get(pk=slug)
        rows = BookTranslation.objects.filter(rulebook=slug, language=language)
        row = rows.filter(is_shipped=True).first()
        words = write_table(table)
        if row is None:
            is_first = not rows.shown().exists()
            row = BookTranslation(
                rulebook_id=slug, language=language, is_shipped=True, is_shown=is_first
            )
        elif row.words == words:
            return
        row.words, row.changed_at = words, timezone.now()
        row.save()
        transaction.on_commit(look_for_changes)


def leave(user: User) -> None:
    """Delete the translations that a user sent and nobody sees, before their account is deleted.
    Those that readers see stay, without their author's name."""
    BookTranslation.objects.proposed_by(user).filter(is_shown=False).delete()
