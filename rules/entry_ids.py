"""Stores with each version of an imported game which rows the ids of its catalogues mean, so that
lists of army builders become gangs."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping

from rules.book.model import Book
from rules.catalogues.entry_map import ENTRY_MAP, EntryMap, RowKey
from rules.catalogues.examining import EXAMINED
from rules.models import BookDraft, BookVersion, CatalogueImport, EntryIds

TABLES = ("ranks", "items", "traits", "professions", "holdings")


def gather(draft: BookDraft, book: Book) -> EntryMap | None:
    """Return the map of a game about to be published; None if it comes from no catalogue.

    Later imports take precedence. An id of an earlier one counts where its row still exists.
    """
    taken = CatalogueImport.objects.taken_by(draft).reverse().values_list("examined", flat=True)
    found: EntryMap | None = None
    rows: dict[str, RowKey] = {}
    bundled: dict[str, int] = {}
    keys = _keys_of(book)
    for text in taken:
        examined = EXAMINED.validate_json(text)
        answers = examined.answers
        roles = {key: role for key, role in answers.roles.items() if role not in ("list", "leader")}
        rows |= _existing(examined.imported.ids, keys)
        bundled |= examined.imported.bundled
        found = EntryMap(examined.overview.id, answers.money, rows, roles, bundled)
    return found


def keep(version: BookVersion, entries: EntryMap) -> None:
    """Store the map of a version that was just published, with the import that its game comes
    from."""
    draft = version.draft
    origin = CatalogueImport.objects.taken_by(draft).first() if draft is not None else None
    text = ENTRY_MAP.dump_json(entries).decode()
    EntryIds.objects.create(version=version, system_id=entries.system, ids=text, origin=origin)


def find_origin(version: BookVersion) -> uuid.UUID | None:
    """Return the key of the import that a version comes from; None if none is kept. One query."""
    return EntryIds.objects.filter(version=version).values_list("origin", flat=True).first()


def find_maps(books: Mapping[str, Book]) -> dict[str, EntryMap]:
    """Return the maps of versions that have one, by digest. ``books``: the versions' rulebooks. Two
    queries.

    A variant of a game, or a state that came from elsewhere, uses the newest map of the game.
    """
    slugs = {book.slug for book in books.values()}
    newest: dict[str, str] = {}
    known = EntryIds.objects.filter(version__slug__in=slugs).order_by("version__loaded_at")
    for digest, slug in known.values_list("version", "version__slug"):
        newest[slug] = digest
        newest[digest] = digest
    wanted = {
        digest: newest.get(digest, newest.get(book.slug, "")) for digest, book in books.items()
    }
    stored = EntryIds.objects.in_bulk({one for one in wanted.values() if one})
    return {
        digest: _read(stored[source].ids, books[digest])
        for digest, source in wanted.items()
        if source in stored
    }


def find_systems(slugs: Collection[str]) -> dict[str, set[str]]:
    """Return the ids of the game systems that games come from, by slug. One query."""
    found: dict[str, set[str]] = {}
    known = EntryIds.objects.filter(version__slug__in=slugs)
    for slug, system in known.values_list("version__slug", "system_id").distinct():
        found.setdefault(slug, set()).add(system)
    return found


def _read(text: str, book: Book) -> EntryMap:
    """Return a stored map without the rows that a rulebook does not have."""
    stored = ENTRY_MAP.validate_json(text)
    rows = _existing(stored.rows, _keys_of(book))
    return EntryMap(stored.system, stored.money, rows, stored.roles, stored.bundled)


def _keys_of(book: Book) -> dict[str, set[str]]:
    return {table: {row.key for row in getattr(book, table)} for table in TABLES}


def _existing(rows: Mapping[str, RowKey], keys: Mapping[str, set[str]]) -> dict[str, RowKey]:
    return {one: row for one, row in rows.items() if row[1] in keys.get(row[0], ())}
